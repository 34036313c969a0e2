"""The plain translation: what turn 1 proposes, and what every speedup is named against."""

from __future__ import annotations

import pytest
from corpus import load_corpus

from cudaperf_magic.policies.search import SearchPolicy
from cudaperf_magic.proposals import Candidates
from cudaperf_magic.records import Episode
from cudaperf_magic.tasks.c import read_task
from cudaperf_magic.tasks.plain import plain_candidate

PATHS = ("matvec/gemv_transposed.c", "reductions/dot.c", "transposes/transpose.c")
FILES = {one.path: one for one in load_corpus() if one.path in PATHS}


@pytest.mark.parametrize("path", PATHS)
def test_the_baseline_is_the_very_program_of_turn_1(path: str) -> None:
    task, function = read_task(FILES[path].source, entry=FILES[path].entry)
    proposal = SearchPolicy(function).propose(Episode(task))
    plain = plain_candidate(task, function)
    assert isinstance(proposal, Candidates)
    assert plain is not None and plain.source == proposal.ranked[0].source


def test_a_chain_of_values_has_no_plain_translation() -> None:
    task, function = read_task(
        "void f(int n, float x[n]) { for (int i = 1; i < n; i++) x[i] = 3.7f * x[i - 1] * (1 - x[i - 1]); }"
    )
    assert plain_candidate(task, function) is None
