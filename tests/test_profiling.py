"""The child that holds a device's profiler, from the parent's side: kept, replaced, refused. No device."""

from __future__ import annotations

from typing import Any

import pytest

from cudaperf_magic.bench.counters import availability, profiling
from cudaperf_magic.bench.counters.availability import BUSY, REASONS, Refused
from cudaperf_magic.bench.counters.metrics import Counts
from cudaperf_magic.bench.counters.profiler_child import CountLent, Opened
from cudaperf_magic.bench.counters.profiling import Profiling
from cudaperf_magic.bench.gpu.messages import Broke, Given
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.sandbox import Crashed, Finished
from cudaperf_magic.records import Fault

QUESTION = CountLent(b"", {}, LaunchPlan(()), (Given("x", "in", "float32", (3, 5)),), bytes(64), ("sm__x.sum",))
COUNTS = Counts({"sm_cycles": 5.0})
FAULT = Fault("trap", "a kernel stops itself while it was counted")
OPENED = Opened("FAKE100", 130001)


class FakeSession:
    def __init__(self, greeting: Any, answers: list[Any]) -> None:
        self.greeting, self.answers = greeting, answers
        self.is_closed = False

    def answer(self, *, timeout_s: float) -> Any:
        return Finished(value=self.greeting) if self.greeting is not None else Crashed(why="exit status 1")

    def ask(self, question: Any, *, timeout_s: float) -> Any:
        assert not self.is_closed
        found = self.answers.pop(0)
        return found if isinstance(found, Crashed) else Finished(value=found)

    def close(self) -> None:
        self.is_closed = True


class Sessions:
    """Each session in turn; `opened` are those that were started."""

    def __init__(self, *sessions: FakeSession) -> None:
        self.coming, self.opened = list(sessions), list[FakeSession]()

    def __call__(self, *_: Any, **__: Any) -> FakeSession:
        self.opened.append(self.coming.pop(0))
        return self.opened[-1]


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Any:
    def started(*sessions: FakeSession) -> tuple[Profiling, Sessions]:
        all_sessions = Sessions(*sessions)
        monkeypatch.setattr(availability, "_KNOWN", {})
        monkeypatch.setattr(profiling, "open_session", all_sessions)
        return Profiling(0, b""), all_sessions

    return started


def test_one_child_counts_for_many_candidates(start: Any) -> None:
    held, sessions = start(FakeSession(OPENED, [COUNTS, COUNTS, COUNTS]))
    assert [held.count(QUESTION) for _ in range(3)] == [COUNTS] * 3
    assert len(sessions.opened) == 1
    assert availability.available(0) == availability.Available("FAKE100", 130001)


def test_a_kernel_that_fails_is_a_fault_and_the_next_candidate_meets_a_new_child(start: Any) -> None:
    held, sessions = start(FakeSession(OPENED, [Broke(FAULT)]), FakeSession(OPENED, [COUNTS]))
    assert held.count(QUESTION) == FAULT
    assert sessions.opened[0].is_closed
    assert held.count(QUESTION) == COUNTS


def test_a_child_that_dies_costs_its_candidate_the_counts_and_nobody_else(start: Any) -> None:
    held, _ = start(FakeSession(OPENED, [Crashed(why="signal 9")]), FakeSession(OPENED, [COUNTS]))
    answer = held.count(QUESTION)
    assert isinstance(answer, Refused) and "did not answer" in answer.reason
    assert held.count(QUESTION) == COUNTS


def test_a_child_is_replaced_after_so_many_candidates(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiling, "MOST_COUNTS", 2)
    held, sessions = start(FakeSession(OPENED, [COUNTS] * 2), FakeSession(OPENED, [COUNTS]))
    assert [held.count(QUESTION) for _ in range(3)] == [COUNTS] * 3
    assert [session.is_closed for session in sessions.opened] == [True, False]


def test_a_refusal_is_found_out_once(start: Any) -> None:
    closed = Refused("counters are closed")
    held, sessions = start(FakeSession(closed, []))
    assert [held.count(QUESTION), held.count(QUESTION)] == [closed, closed]
    assert len(sessions.opened) == 1 and availability.available(0) == closed


def test_a_profiler_that_another_program_holds_is_tried_again(start: Any) -> None:
    busy = Refused(REASONS[BUSY])
    held, _ = start(FakeSession(busy, []), FakeSession(None, []), FakeSession(OPENED, [COUNTS]))
    assert held.count(QUESTION) == busy
    assert isinstance(held.count(QUESTION), Refused)  # it crashed while opening
    assert held.count(QUESTION) == COUNTS


def test_a_profiler_at_rest_is_closed_until_the_next_count(start: Any) -> None:
    held, sessions = start(FakeSession(OPENED, [COUNTS]), FakeSession(OPENED, [COUNTS]))
    held.count(QUESTION)
    held.rest()
    assert sessions.opened[0].is_closed and len(sessions.opened) == 1
    assert held.count(QUESTION) == COUNTS


def test_a_lent_program_has_the_lenders_layout_without_its_data() -> None:
    (array,) = QUESTION.program.arrays
    assert (array.host.shape, array.host.nbytes, array.role) == ((3, 5), 60, "in")
    assert QUESTION.program.layout.arrays["x"].size_bytes == 60
