"""The words that the next turn reads: the line, the cause, the next move; and nothing that it must not know."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cudaperf_magic.fakes import BROKEN, RACY, SAXPY, WRONG, correct
from cudaperf_magic.records import (
    Build,
    Candidate,
    Case,
    Episode,
    Fault,
    Outcome,
    OutputError,
    Property,
    Structure,
    Turn,
    Verdict,
)
from cudaperf_magic.reflection import MOST_CHARACTERS, reflect
from cudaperf_magic.rewards import score

SOURCE = "\n".join(f"    statement_{line}();" for line in range(1, 20))
CANDIDATE = Candidate(SOURCE, intention="run threadIdx.x along j")


def told(outcome: Outcome, episode: Episode | None = None, candidate: Candidate | None = CANDIDATE) -> str:
    return reflect(outcome, score(outcome), episode, candidate)


def measured(*properties: Property) -> Outcome:
    return replace(correct(), structure=Structure(properties))


WALK = Property("coalescing", 0.125, 32.0, "sectors a request", "simulator",
                "line 12 asks for 32 sectors where 4 would do", "let threadIdx.x run along j", 12)
CROWD = Property("occupancy", 0.25, 16.0, "warps", "static", "48 registers a thread leave room for 16 of 64 warps")


def test_a_failed_build_is_told_by_the_compilers_first_error_and_the_line_it_means() -> None:
    log = 'warning: x is unused\nkernel.cu(3): error: expected a ";"\nkernel.cu(9): error: expected a ")"\n2 errors'
    words = told(Outcome(Build(ok=False, log=log)))
    assert 'kernel.cu(3): error: expected a ";"' in words
    assert "2 errors" in words and "3 | statement_3();" in words
    assert "unused" not in words


def test_a_wrong_result_is_told_by_its_first_wrong_element() -> None:
    words = told(WRONG)
    assert "y[32] is 0, expected 1.5 (n=33, nominal inputs)" in words and "1 of 2 cases passed" in words


def test_a_race_is_told_with_both_lines_and_their_text() -> None:
    words = told(RACY)
    assert "line 7 and line 6" in words
    assert "7 | statement_7();" in words and "6 | statement_6();" in words


def test_a_fault_names_its_block_and_thread() -> None:
    fault = Fault("out_of_bounds", "reads x[33], one past its end", line=4, block=(1, 0, 0), thread=(31, 0, 0))
    words = told(replace(RACY, verdict=Verdict("fault", "reads past a buffer", faults=(fault,), cases_total=2)))
    assert "out of bounds (line 4, block (1, 0, 0), thread (31, 0, 0)): reads x[33]" in words


def test_one_mistake_met_by_many_threads_is_told_once_and_each_line_quoted_once() -> None:
    def race(thread: int, other_line: int) -> Fault:
        return Fault("shared_race", f"thread {thread} reads what thread 0 wrote", line=7, other_line=other_line,
                     thread=(thread, 0, 0))

    faults = tuple(race(thread, other) for other in (6, 5) for thread in (1, 2, 3))
    words = told(replace(RACY, verdict=Verdict("fault", "a race", faults=faults, cases_total=2)))
    assert words.count("shared race") == 2 and words.count("7 | statement_7();") == 1
    assert "6 | statement_6();" in words and "5 | statement_5();" in words
    assert "shared race (line 7 and line 6): thread 1 reads" in words


def test_a_line_that_the_compiler_quotes_is_not_quoted_again() -> None:
    log = "kernel.cu(3): error: no such name\n      statement_3();\n      ^"
    assert told(Outcome(Build(ok=False, log=log))).count("statement_3") == 1


def test_what_the_reason_says_already_is_not_said_twice() -> None:
    fault = Fault("trap", "the kernel traps", line=4)
    words = told(replace(RACY, verdict=Verdict("fault", "trap (line 4): the kernel traps", faults=(fault,))))
    assert words.count("the kernel traps") == 1


def test_a_correct_kernel_is_told_what_limits_it_where_and_what_to_try() -> None:
    words = told(measured(CROWD, WALK))
    assert "What limits it most is coalescing (0.12): line 12 asks for 32 sectors where 4 would do" in words
    assert "12 | statement_12();" in words and "Try: let threadIdx.x run along j" in words
    assert "Then occupancy (0.25)" in words


def test_what_costs_no_reward_limits_nothing() -> None:
    assert "No measured property limits it" in told(correct(coalescing=1.0, occupancy=0.6))


def test_what_was_tried_and_what_it_changed_is_told() -> None:
    before = correct(coalescing=0.1, divergence=1.0)
    turn = Turn(Candidate("before", intention="plain map"), before, score(before), "")
    words = told(correct(coalescing=0.9, divergence=0.99), Episode(SAXPY, (turn,)))
    assert "This turn tried: run threadIdx.x along j." in words
    assert "coalescing 0.10 to 0.90" in words and "divergence 1.00" not in words
    assert "1: plain map (1." in words


def test_the_turn_to_go_on_from_is_named_when_it_is_not_this_one() -> None:
    def turn(outcome: Outcome) -> Turn:
        return Turn(Candidate(str(outcome)), outcome, score(outcome), "")

    good, poor = correct(coalescing=0.9), correct(coalescing=0.1)
    episode = Episode(SAXPY, (turn(WRONG), turn(good)))
    assert "Turn 2 (1.90) is still the best" in told(poor, episode)
    assert "Turn 2 (1.90) is still the best" in told(BROKEN, episode)
    assert "still the best" not in told(correct(coalescing=1.0), episode)
    assert "still the best" not in told(poor, Episode(SAXPY, (turn(WRONG),)))


def test_a_turn_of_the_compiler_is_called_by_its_last_move() -> None:
    tiled = Candidate("x", intention="intensity is 0.1; and so on", schedule="tile(k, l, 16)\ncoarsen(k, 4, 4)")
    words = told(BROKEN, Episode(SAXPY, (Turn(tiled, BROKEN, score(BROKEN), ""),)))
    assert "Failed: 1: coarsen(k, 4, 4) (no build, -1.00)." in words


def test_a_speedup_is_told_only_where_one_was_measured() -> None:
    assert "2 times as fast" in told(correct(2.0))
    assert "fast" not in told(correct(coalescing=0.5))


HIDDEN = Case((("n", 31), ("m", 7)), family="x100", seed=987654321, hidden=True)
SECRETS = ("x100", "987654321", "hidden", "0.00031", "tolerance", "0.25", "1.5")


@pytest.mark.parametrize("status", ["mismatch", "fault", "crash", "timeout", "cheat"])
def test_a_hidden_case_is_told_by_its_sizes_and_the_element_alone(status: str) -> None:
    error = OutputError("y", 0.00031, 0.00031, 0.00031, 0.00031)
    fault = Fault("uninitialised", f"reads s[3] before it is written ({HIDDEN})", line=4)
    verdict = Verdict(status, f"y[3][17] is 0.25, expected 1.5 ({HIDDEN})", HIDDEN, (error,), (fault,), 3, 9)
    task = replace(SAXPY, cases=(*SAXPY.cases, HIDDEN))
    words = told(Outcome(Build(ok=True), verdict), Episode(task, seed=HIDDEN.seed))
    assert "y[3][17] is wrong" in words and "n=31, m=7" in words
    for secret in SECRETS:
        assert secret not in words


@given(st.text(), st.text(), st.text())
def test_no_words_of_others_make_it_long_or_break_it(log: str, reason: str, source: str) -> None:
    candidate = Candidate(source, intention=reason)
    fault = Fault("launch", log, line=1, other_line=2)
    turn = Turn(candidate, BROKEN, score(BROKEN), "")
    for outcome in (
        Outcome(Build(ok=False, log=log * 50)),
        Outcome(Build(ok=True), Verdict("crash", reason * 50, faults=(fault,) * 3)),
        measured(replace(WALK, reason=reason * 50, remedy=log)),
    ):
        words = reflect(outcome, score(outcome), Episode(SAXPY, (turn,) * 5), Candidate(source + "x", intention=log))
        assert 0 < len(words) <= MOST_CHARACTERS
        assert words == reflect(outcome, score(outcome), Episode(SAXPY, (turn,) * 5),
                                Candidate(source + "x", intention=log))


def test_it_can_tell_of_a_kernel_without_an_episode_or_a_source() -> None:
    for outcome in (BROKEN, WRONG, RACY, correct(coalescing=0.2)):
        assert reflect(outcome, score(outcome))
