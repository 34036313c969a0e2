"""Goals of a check: how they are written, when they are reached, and what a missed one says."""

from __future__ import annotations

import pytest

from cudaperf_magic import commands
from cudaperf_magic.errors import UsageError
from cudaperf_magic.fakes import RACY, SAXPY, FakeBench, correct
from cudaperf_magic.goals import Goal, Result, hold, read_goal
from cudaperf_magic.notebook.report import check_data, check_html
from cudaperf_magic.records import Property, Structure

LOW = Property("coalescing", 0.25, 16.0, "sectors", "simulator", "line 7 asks for 16 sectors a request", line=7)
STRUCTURE = Structure((LOW, Property("occupancy", 0.9, 57.6, "warps", "static", "room for 58 warps", line=3)))


@pytest.mark.parametrize("text", ["coalescing>=0.9", "coalescing=0.9", " coalescing >= 0.9 "])
def test_a_goal_is_a_property_and_its_least_score(text: str) -> None:
    assert read_goal(text) == Goal("coalescing", 0.9)
    assert str(read_goal(text)) == "coalescing>=0.9"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("coalescing", "write NAME=SCORE, for example --goal coalescing=0.9"),
        ("coalescing>0.9", "write NAME=SCORE"),
        ("coalesing>=0.9", "coalesing is no property; did you mean coalescing?"),
        ("zz>=0.9", "there are coalescing, occupancy"),
        ("shared>=all", "'all' is not a number"),
        ("shared>=90", "a score lies between 0 and 1"),
        ("shared>=nan", "a score lies between 0 and 1"),
    ],
)
def test_what_is_no_goal_is_refused_with_what_to_write(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_goal(text)
    assert said in str(caught.value)


def test_a_missed_goal_names_the_score_the_goal_and_the_line() -> None:
    (found,) = hold([Goal("coalescing", 0.9)], STRUCTURE)
    assert not found.ok
    assert found.sentence == "coalescing is 0.25, the goal is 0.9; line 7 asks for 16 sectors a request"


def test_a_line_that_the_reason_does_not_name_is_told() -> None:
    (found,) = hold([Goal("occupancy", 1.0)], STRUCTURE)
    assert found.sentence == "occupancy is 0.9, the goal is 1; line 3: room for 58 warps"


def test_a_score_just_below_the_goal_is_not_rounded_up_to_it() -> None:
    near = Result(Goal("balance", 0.9), Property("balance", 0.89996, 0.9, "", "simulator", "a wave is short"))
    assert not near.ok and "balance is 0.89996, the goal is 0.9" in near.sentence


def test_a_property_that_does_not_apply_loses_nothing_and_one_not_measured_reaches_nothing() -> None:
    (absent,) = hold([Goal("shared", 1.0)], STRUCTURE)
    assert absent.ok and "does not apply here" in absent.sentence
    (unknown,) = hold([Goal("shared", 0.0)], None)
    assert not unknown.ok and "was not measured" in unknown.sentence


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = {"right": correct(coalescing=0.25, occupancy=0.75), "racy": RACY}
    made = FakeBench(outcomes)
    made.close = lambda: None  # type: ignore[attr-defined]
    monkeypatch.setattr(commands, "open_bench", lambda device: made)


def test_a_right_kernel_that_misses_a_goal_does_not_pass(bench: None) -> None:
    checked = commands.check("right", SAXPY, goals=("coalescing>=0.9", "occupancy>=0.5"))
    assert checked.outcome.ok and not checked.ok
    assert [result.ok for result in checked.goals] == [False, True]
    assert checked.shortfall.startswith("coalescing is 0.25, the goal is 0.9")
    assert "computes saxpy as the C does, but coalescing is 0.25" in checked.report.text
    page = check_html(SAXPY, checked.turn, checked.goals)
    assert "misses 1 goal" in page and "✓ reached" in page and "✗ missed" in page
    assert [found["ok"] for found in check_data(SAXPY, checked.turn, checked.goals)["goals"]] == [False, True]


def test_a_right_kernel_that_reaches_its_goals_passes(bench: None) -> None:
    checked = commands.check("right", SAXPY, goals=("coalescing>=0.25",))
    assert checked.ok and checked.shortfall == ""
    assert "computes saxpy as the C does. " in checked.report.text


def test_a_wrong_kernel_is_not_held_against_goals(bench: None) -> None:
    checked = commands.check("racy", SAXPY, goals=("coalescing>=0.9",))
    assert not checked.ok and checked.goals == ()
    assert checked.shortfall.startswith("not saxpy yet")


def test_a_goal_that_cannot_be_read_is_refused_before_anything_runs(bench: None) -> None:
    with pytest.raises(UsageError, match="no property"):
        commands.check("right", SAXPY, goals=("speed>=1",))
