"""Six turns of the search make a kernel better, by the very property that its plainest form lacks, and by how much.

The structure is the simulator's, measured, not modelled; the margins are stated as scores in [0, 1]. No times.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from corpus import load_corpus

from cudaperf_magic import commands
from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.episode import play
from cudaperf_magic.records import Task, Turn

CORPUS = {file.path: file for file in load_corpus()}
TURNS, PROPOSALS = 6, 4
COLUMNS = """void scale_columns(int n, int m, float k, float a[n][m]) {
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++) a[i][j] *= k;
}"""

# What it is, the property that is poor at first, at most what it scores then, and at least what it ends at.
GAINS = [
    ("a column-major walk", COLUMNS, "coalescing", 0.3, 0.95),
    ("a transpose", "transposes/transpose.c", "coalescing", 0.45, 0.95),
    ("a matrix product", "matmul/matmul.c", "intensity", 0.1, 0.5),
    ("a matrix product by rows of the result", "matmul/scaled_rows.c", "intensity", 0.1, 0.4),
    ("a stencil over time", "stencils/heat2d_swap.c", "coalescing", 0.85, 0.9),
    ("a reduction", "reductions/dot.c", "balance", 0.1, 0.9),
    ("a histogram", "histograms/histogram256.c", "coalescing", 0.3, 0.9),
    ("a softmax over rows", "reductions/row_softmax.c", "coalescing", 0.2, 0.9),
    ("a matrix times a vector", "matvec/gemv.c", "coalescing", 0.2, 0.9),
]


def task_of(source: str) -> Task:
    file = CORPUS.get(source)
    if file is None:
        return commands.read(source)
    return commands.read_file(file.file, entry=file.entry, sizes=file.size, ranges=file.ranges)


def score_of(turn: Turn, name: str) -> float:
    assert turn.outcome.structure is not None
    found = turn.outcome.structure.get(name)
    assert found is not None, f"{name} was not measured"
    return found.score


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with Bench("simulator") as shared:
        yield shared


@pytest.mark.slow
@pytest.mark.parametrize(("what", "source", "name", "at_first", "at_last"), GAINS, ids=[gain[0] for gain in GAINS])
def test_six_turns_mend_what_the_plainest_kernel_lacks(
    what: str, source: str, name: str, at_first: float, at_last: float, bench: Bench
) -> None:
    task = task_of(source)
    policy = commands.open_policy("search", task, proposals=PROPOSALS, seed=0)
    (*_, episode) = play([task], policy, bench, turns=TURNS, proposals=PROPOSALS)
    first, best = episode.turns[0], episode.best
    assert best is not None
    assert score_of(first, name) <= at_first
    assert score_of(best, name) >= at_last, f"{what}: {best.candidate.schedule}"
    assert best.reward.total > first.reward.total
    assert best.candidate.schedule, "the best is not the plainest"
    unsound = [
        (candidate.schedule, outcome.verdict.reason if outcome.verdict else outcome.build.log)
        for turn in episode.turns
        for candidate, outcome in ((turn.candidate, turn.outcome), *turn.others)
        if outcome is not None and not outcome.ok
    ]
    assert not unsound, "the search proposed programs that are wrong"
