"""Every C file of the corpus as a person would bring it: read, one turn of the search, and the right answer.

What is translated is verified on the sizes that corpus.toml lists as well (nothing, one, 31, 33, no multiple of any
tile), all of them watched for races and stray accesses. What stays sequential or is refused says why, with its line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from corpus import CorpusFile, load_corpus

from cudaperf_magic import commands
from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.episode import play
from cudaperf_magic.errors import TaskError
from cudaperf_magic.records import Case, Episode, Task

CORPUS = load_corpus()
CORPUS_SEED = 1000  # apart from the seeds of the task's own cases


@pytest.fixture(scope="session")
def bench() -> Iterator[Bench]:
    with Bench("simulator") as shared:
        yield shared


def files(*decisions: str) -> pytest.MarkDecorator:
    chosen = [file for file in CORPUS if file.decision in decisions]
    return pytest.mark.parametrize("file", chosen, ids=lambda file: file.path)


def read(file: CorpusFile) -> Task:
    return commands.read_file(file.file, entry=file.entry or None, sizes=file.size, ranges=file.ranges)


def first_turn(file: CorpusFile, bench: Bench) -> Episode:
    """The episode after one turn, verified on the corpus' own sizes beside those that the task chose for itself."""
    task = read(file)
    own = [Case(tuple(sizes.items()), seed=CORPUS_SEED + k) for k, sizes in enumerate(file.sizes)]
    known = {case.sizes for case in task.cases if case.family == "nominal"}
    task = replace(task, cases=(*task.cases, *(case for case in own if case.sizes not in known)))
    policy = commands.open_policy("search", task, proposals=1, seed=0)
    (*_, episode) = play([task], policy, bench, turns=1)
    return episode


def names_a_line(file: CorpusFile, sentence: str) -> bool:
    """Whether the sentence says `line K` with one of the lines that are right."""
    words = "".join(c if c.isalnum() else " " for c in sentence).split()
    named = {after for before, after in pairwise(words) if before == "line"}
    return bool(named & {str(line) for line in file.lines})


@pytest.mark.slow
@files("translate")
def test_it_becomes_a_kernel_that_equals_the_c(file: CorpusFile, bench: Bench) -> None:
    if "refused" in file.decisions:
        pytest.skip("either answer is right; it is held to the refusal's sentence below")
    episode = first_turn(file, bench)
    if episode.kept and "keep" in file.decisions:
        assert file.is_said_by(episode.kept), episode.kept
        return
    assert not episode.kept, episode.kept
    (turn,) = episode.turns
    assert turn.outcome.build.ok, f"{turn.outcome.build.log}\n{turn.candidate.source}"
    verdict = turn.outcome.verdict
    assert verdict is not None
    assert verdict.ok, f"{verdict.status}: {verdict.reason}\n{turn.candidate.source}"
    assert verdict.cases_passed == verdict.cases_total >= len(episode.task.cases)
    assert turn.outcome.structure is not None, "the measured case was not inspected"


@files("keep")
def test_it_stays_sequential_and_says_which_line_holds_it(file: CorpusFile, bench: Bench) -> None:
    episode = first_turn(file, bench)
    if "translate" in file.decisions and not episode.kept:
        assert episode.best is not None
        return
    assert episode.decision == "keep", [turn.candidate.source for turn in episode.turns]
    assert file.is_said_by(episode.kept), episode.kept
    assert file.path == "keep/quadratic_roots.c" or names_a_line(file, episode.kept), episode.kept


@files("refused")
def test_it_is_refused_in_one_sentence_that_names_the_line(file: CorpusFile) -> None:
    with pytest.raises(TaskError) as refusal:
        read(file)
    sentence = str(refusal.value)
    assert "\n" not in sentence
    assert file.is_said_by(sentence), sentence
    assert names_a_line(file, sentence), sentence


def test_a_counted_pointer_walk_is_translated_or_refused_with_its_reason(bench: Bench) -> None:
    (file,) = (file for file in CORPUS if "refused" in file.decisions and file.decision == "translate")
    try:
        episode = first_turn(file, bench)
    except TaskError as refusal:
        assert file.is_said_by(str(refusal)), str(refusal)
    else:
        assert episode.best is not None
