"""The mutation benchmark counts rightly: what is caught, what escapes, what nobody can tell apart, what is no CUDA."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from kernel_files import FUNCTIONS, task_of
from mutants import KINDS, Mutant, mutants
from mutants_of_values import ALL_KINDS, MORE_KINDS
from witness import Witness

from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.records import Build, Candidate, Outcome, Task, Verdict

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

from mutation import Found, Program, Tally, drawn, judged, table

SUM = (FUNCTIONS / "total" / "warps_of_a_block.cu").read_text()
TWICE = (FUNCTIONS / "twice" / "plain.cu").read_text()


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with Bench("simulator") as made:
        yield made


@dataclass
class Lenient:
    """A bench that lets every program pass that builds."""

    bench: Bench

    def evaluate(self, task: Task, candidate: Candidate) -> Outcome:
        return Outcome(Build(True), Verdict("pass", "anything does"))


def planted(source: str, kind: str) -> Mutant:
    return next(mutants(source, {kind: ALL_KINDS[kind]}))


def fate(program: Program, source: str, bench: Bench | Lenient) -> Found:
    mutant = replace(planted(program.candidate.source, "no launch"), source=source)
    return judged(program, mutant, bench, Witness(program.task, program.candidate))  # type: ignore[arg-type]


def test_a_fault_that_verification_finds_is_caught(bench: Bench) -> None:
    program = Program("twice", task_of("twice"), Candidate(TWICE))
    assert fate(program, TWICE.replace("2 *", "3 *"), bench).fate == "caught"


def test_a_fault_that_a_lenient_check_lets_pass_is_witnessed_and_escapes(bench: Bench) -> None:
    program = Program("twice", task_of("twice"), Candidate(TWICE))
    found = fate(program, TWICE.replace("2 *", "2.0001f *"), Lenient(bench))
    assert found.fate == "escaped" and "on other inputs" in found.why


def test_a_change_that_no_comparison_can_tell_is_set_aside(bench: Bench) -> None:
    program = Program("twice", task_of("twice"), Candidate(TWICE))
    assert fate(program, TWICE.replace("2 * x[i]", "x[i] + x[i]"), bench).fate == "equivalent"


def test_a_text_that_is_no_cuda_is_not_counted(bench: Bench) -> None:
    program = Program("twice", task_of("twice"), Candidate(TWICE))
    assert fate(program, TWICE.replace("2 *", "2 * nothing *"), bench).fate == "no CUDA"


def test_an_exact_bit_that_differs_is_a_witness_where_rounding_hides_it() -> None:
    witness = Witness(task_of("total"), Candidate(SUM))
    assert "differs on" in witness.differs(Candidate(SUM.replace("*s = sum", "*s = sum * 1.0000002f")))
    assert not witness.differs(Candidate(SUM.replace("i = threadIdx.x; i < n", "i = 255 - threadIdx.x; i < n")))


def test_kinds_are_drawn_evenly_and_the_same_way_for_one_seed() -> None:
    program = Program("total", task_of("total"), Candidate(SUM))
    first, again = (drawn(program, 12, random.Random(3)) for _ in range(2))
    assert [m.name for m in first] == [m.name for m in again]
    kinds = [m.kind for m in first]
    assert len(set(kinds)) == min(12, len({m.kind for m in mutants(SUM, ALL_KINDS)}))


def test_every_new_kind_of_fault_fits_somewhere_and_changes_the_text() -> None:
    sources = [path.read_text() for path in sorted(FUNCTIONS.glob("*/*.cu"))]
    met = {mutant.kind for source in sources for mutant in mutants(source, MORE_KINDS)}
    assert met == MORE_KINDS.keys() and not met & KINDS.keys()
    assert all(mutant.source != SUM for mutant in mutants(SUM, ALL_KINDS))


def test_the_table_gives_the_share_of_those_that_can_be_witnessed_and_names_the_escapes() -> None:
    tally = Tally([Found("p", "kind", f"m{k}", f, "why") for k, f in enumerate(("caught", "caught", "caught", "escaped",
                                                                               "equivalent", "no CUDA"))])  # fmt: skip
    assert tally.share() == 0.75
    text = table(tally)
    assert "| kind | 6 | 3 | 1 | 1 | 1 |" in text and "75.00%" in text and "escaped: p, m3: why" in text
    assert Tally().share() is None and "none can be witnessed" in table(Tally())
