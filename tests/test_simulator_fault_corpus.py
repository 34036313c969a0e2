"""Each faulty kernel of tests/kernels/faults is named with its lines, threads and element; its mended twin is clean."""

from __future__ import annotations

import fault_corpus
import pytest
from fault_corpus import Faulty

from cudaperf_magic.bench.simulator.launch import SCHEDULES, Schedule
from cudaperf_magic.records import Fault


def place(word: str, where: tuple[int, int, int] | None) -> str:
    return f"{word} ({','.join(map(str, where))})" if where else ""


def fits(fault: Fault, faulty: Faulty) -> bool:
    lines = {fault.line, fault.other_line} - {None}
    marked = {faulty.line("fault"), faulty.line("other")} - {None}
    said = (fault.message + " | " + fault.remedy, place("thread", fault.thread), place("block", fault.block))
    return (
        fault.kind == faulty.kind
        and (lines == marked or (not faulty.line("other") and fault.line == faulty.line("fault")))
        and all(any(words in text for text in said) for words in faulty.expected[1:])
    )


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", fault_corpus.ALL)
def test_a_fault_is_named_with_its_lines_threads_and_element(name: str, schedule: Schedule) -> None:
    faulty = fault_corpus.read(name)
    found = faulty.run(mended=False, schedule=schedule).faults
    assert any(fits(fault, faulty) for fault in found), found
    assert {fault.kind for fault in found} <= {faulty.kind} | faulty.also, found
    assert all(fault.kernel and (fault.remedy or fault.kind == "launch") for fault in found)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", fault_corpus.ALL)
def test_a_mended_kernel_has_no_fault(name: str, schedule: Schedule) -> None:
    assert fault_corpus.read(name).run(mended=True, schedule=schedule).faults == ()


def test_a_race_names_both_threads_and_blocks() -> None:
    for name in (name for name in fault_corpus.ALL if name.startswith("race_")):
        races = [f for f in fault_corpus.read(name).run(mended=False, schedule="forward").faults if "race" in f.kind]
        assert races and all(f.other_thread is not None and f.other_block is not None for f in races), name
        assert all((f.thread, f.block) != (f.other_thread, f.other_block) for f in races), name


def test_the_corpus_is_large_and_every_file_says_what_it_expects() -> None:
    assert len(fault_corpus.ALL) >= 60
    for name in fault_corpus.ALL:
        faulty = fault_corpus.read(name)
        assert {"run", "arrays", "expect"} <= set(faulty.heads), name
        assert "MENDED" in faulty.text or "run mended" in faulty.heads, name
