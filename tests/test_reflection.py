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
    Clocks,
    Episode,
    Fault,
    Hint,
    KernelRun,
    Label,
    Outcome,
    OutputError,
    Property,
    Roofline,
    Structure,
    Timing,
    Turn,
    Verdict,
    WrongElement,
)
from cudaperf_magic.reflection import MOST_CHARACTERS, reflect, with_hint
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


def wrong(got: str, expected: str, count: int, total: int, *errors: float | None, **more: object) -> Outcome:
    """A mismatch with the errors of its output."""
    name = "y[3]" if total > 1 else "s"
    found = tuple(OutputError(name[0], error, error, 1e-8, 1e-7) for error in errors)
    element = WrongElement(name, got, expected, count, total)
    verdict = Verdict("mismatch", f"{name} is {got}, expected {expected}", errors=found, wrong=element)
    return Outcome(Build(ok=True), replace(verdict, **more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("outcome", "advice"),
    [
        (wrong("nan", "1.5", 1, 9, None), "division by zero"),
        (wrong("inf", "1.5", 9, 9, None), "an exp that overflows"),
        (wrong("1.5", "nan", 1, 9, 0.0), "drop NaN"),
        (wrong("1.501", "1.5", 9, 9, 0.001), "precision is lost"),
        (wrong("1.501", "1.5", 1, 1, 0.001), "precision is lost"),
        (wrong("0.5", "1.5", 9, 9, 0.7), "rows and columns"),
        (wrong("0.5", "1.5", 1, 9, 0.7), "the border"),
        (wrong("7", "8", 1, 9, 1.0), "the border"),
        (wrong("false", "true", 9, 9, 1.0), "check the formula"),
        (wrong("7", "8", 1, 1, 1.0), "first case is wrong already"),
        (wrong("7", "8", 1, 1, 1.0, cases_passed=4, cases_total=9), "past the last whole block"),
        (wrong("7", "8", 1, 9, 1.0, is_deterministic=False), "threads race"),
        (wrong("(1+2j)", "(1-2j)", 9, 9, 0.9), "check the formula"),
    ],
)
def test_a_wrong_number_is_told_with_what_to_look_for(outcome: Outcome, advice: str) -> None:
    assert advice in told(outcome)


def test_lost_digits_on_inputs_far_from_zero_are_told_as_cancellation() -> None:
    case = Case((("n", 31),), "offset", 3)
    assert "subtract the mean" in told(wrong("1.501", "1.5", 9, 9, 0.001, failing_case=case))
    assert "subtract the mean" not in told(wrong("1.501", "1.5", 9, 9, 0.001, failing_case=replace(case, hidden=True)))


def test_the_sizes_that_passed_right_before_are_told() -> None:
    cases = tuple(Case((("n", n),)) for n in (4096, 0, 1, 31, 33, 257))
    failed = wrong("7", "8", 1, 9, 1.0, failing_case=cases[5], cases_passed=4, cases_total=6)
    words = told(failed, Episode(replace(SAXPY, cases=cases)))
    assert "4 of 6 cases passed; right before it: n=0; n=1; n=31; n=33." in words


@pytest.mark.parametrize(
    ("log", "source", "advice"),
    [
        ('kernel.cu(1): error: identifier "blockIndex" is undefined', "int i = blockIndex.x;", "blockIdx in the place"),
        ('kernel.cu(2): error: identifier "summ" is undefined', "float sum = 0;\nsumm += 1;", "sum in the place of"),
        ("ptxas fatal   : Unresolved extern function '_Z6helperf'", "", "define helper in this file"),
        ("kernel.cu: error: there is no host function named f.", "__global__ void k() {", "1 of { and 0 of }"),
    ],
)
def test_a_failed_build_is_told_with_what_may_be_meant(log: str, source: str, advice: str) -> None:
    assert advice in told(Outcome(Build(ok=False, log=log)), candidate=Candidate(source))


def test_a_name_that_nothing_resembles_gets_no_advice() -> None:
    log = 'kernel.cu(1): error: identifier "z" is undefined'
    assert "in the place of" not in told(Outcome(Build(ok=False, log=log)), candidate=Candidate("y[i] = z;"))


def test_a_line_of_a_source_within_the_source_is_not_quoted_as_the_programs() -> None:
    log = "line 2: RuntimeError: Error building extension: kernel.cu(1): error: cannot include ROOT"
    words = told(Outcome(Build(ok=False, log=log)), candidate=Candidate("first = 1\nsecond = 2"))
    assert "2 | second = 2" in words and "first = 1" not in words


FILLING = Case((("n", 1 << 24),))


def timed(us: float = 100.0, floor_us: float | None = 20.0, **more: object) -> Outcome:
    """A correct outcome with a time, and with a structure that leaves something to win everywhere."""
    found = correct(None, coalescing=0.5, intensity=0.5, occupancy=0.5, balance=0.5)
    timing = Timing((us,), "turn 1", (us * 2,), floor_us=floor_us, floor_by="memory bandwidth", case=FILLING)
    assert found.structure is not None
    structure = replace(found.structure, case=FILLING)
    return replace(found, timing=timing, structure=structure, **more)  # type: ignore[arg-type]


def roofed(us: float, moved_gb: float, operations: float) -> Outcome:
    """The same below the roofs of a card of 1,000 GB/s and 10 T/s, with what it moved and computed."""
    found = timed(us)
    roof = Roofline(
        operations, "float32", moved_gb * 1e9, "between L2 and memory, counted", 1000.0, 10.0, "measured"
    )
    assert found.structure is not None
    return replace(found, structure=replace(found.structure, roofline=roof))


@pytest.mark.parametrize(
    ("outcome", "resource", "first"),
    [
        (roofed(100.0, 0.09, 1e6), "Memory bandwidth limits it (90% of what the card reaches)", "coalescing (0.50)"),
        (roofed(100.0, 0.01, 9e8), "float32 arithmetic limits it (90%", "balance (0.50)"),
        (roofed(100.0, 0.03, 1e8), "Latency limits it: neither memory bandwidth (30%", "coalescing (0.50)"),
        (timed(21.0), "next to nothing is left to win", ""),
        (timed(100.0), "memory bandwidth alone would take 20% of its time", ""),
        (timed(2.0, floor_us=0.2), "Launching limits it: 1 launch in 2 us", ""),
        (timed(100.0, floor_us=None), "It is correct", ""),
    ],
)
def test_a_timed_kernel_is_told_which_resource_limits_it(outcome: Outcome, resource: str, first: str) -> None:
    words = told(outcome)
    assert resource in words and f"What limits it most is {first}" in words
    assert words.count(" limits it") <= 2, "one resource, one property"


def test_no_resource_is_named_without_a_time() -> None:
    words = told(correct(None, coalescing=0.2))
    assert not any(word in words for word in ("Latency", "bandwidth", "Launching", "floor"))


def test_bytes_that_a_simulator_counted_on_another_case_are_no_share_of_a_time() -> None:
    found = roofed(100.0, 0.09, 1e6)
    assert found.structure is not None
    small = replace(found, structure=replace(found.structure, case=Case((("n", 33),))))
    assert "90%" not in told(small)


def test_many_launches_are_told_with_what_to_do_about_them() -> None:
    found = timed(20.0, floor_us=2.0)
    assert found.structure is not None
    words = told(replace(found, structure=replace(found.structure, launches=10)))
    assert "10 launches in 20 us; fuse kernels" in words


def test_what_was_seen_beside_the_numbers_is_told() -> None:
    runs = (KernelRun("reduce", "candidate", 1, 0.7), KernelRun("gemm", "library", 1, 0.3, "cublas"))
    found = timed(kernels=runs, labels=(Label("library_call", "30% of the time is others' kernels: gemm"),))
    assert found.timing is not None
    hot = replace(found, timing=replace(found.timing, clocks=Clocks(throttled_by=("thermal",))))
    words = told(hot)
    assert "Its time by kernel: reduce 70%, gemm (cublas) 30%." in words
    assert "slowed down (thermal)" in words and "others' kernels: gemm" in words


def test_a_ratio_within_the_noise_is_not_told_as_faster() -> None:
    found = timed()
    assert found.timing is not None
    unsure = replace(found, timing=replace(found.timing, interval=(0.97, 1.08), noise=0.02))
    assert "not surely faster than turn 1 (0.97 to 1.08 times)" in told(unsure)


def test_a_broken_contract_is_told_with_what_the_task_asks_for() -> None:
    label = Label("library_call", "the framework computes aten.mm in its place")
    verdict = Verdict("cheat", f"{label.message}; the task asks for own kernels only")
    outcome = Outcome(Build(True), verdict, labels=(label,))
    assert "aten.mm" in told(outcome) and "Try: do that work in a kernel of your own" in told(outcome)


def test_a_reward_of_speed_alone_still_tells_which_property_is_low() -> None:
    outcome = correct(coalescing=0.2, occupancy=1.0)
    words = reflect(outcome, score(outcome, "kevin"))
    assert "What limits it most is coalescing (0.20)" in words


def played(*outcomes: tuple[str, Outcome]) -> Episode:
    """An episode in which each turn read what the one before it taught."""
    episode = Episode(SAXPY)
    for intention, outcome in outcomes:
        candidate = Candidate(intention, intention=intention)
        words = reflect(outcome, score(outcome), episode, candidate)
        episode = episode.then(Turn(candidate, outcome, score(outcome), words))
    return episode


def test_the_same_advice_is_not_given_twice_in_a_row() -> None:
    outcome = measured(WALK, replace(CROWD, remedy="use fewer registers"))
    episode = played(("one", outcome), ("two", outcome))
    first, second = (turn.reflection for turn in episode.turns)
    assert "Try: let threadIdx.x run along j" in first
    assert "let threadIdx.x run along j" not in second and "Try for that: use fewer registers" in second
    assert second.count("occupancy (0.25)") == 1 and "What limits it most is coalescing" in second


def test_what_every_turn_taught_is_told_in_three_lists() -> None:
    episode = played(
        ("plain", correct(coalescing=0.1)), ("tiles", correct(coalescing=0.6)), ("pads", correct(coalescing=0.5)),
        ("shuffles", RACY), ("vectors", BROKEN), ("last", correct(coalescing=0.9)),
    )  # fmt: skip
    words = episode.turns[-1].reflection
    assert "Right so far, each better than the last: 1: plain (1." in words and "2: tiles (1." in words
    assert "No better: 3: pads (1." in words
    assert "Failed: 4: shuffles (shared race at line 7, " in words and "5: vectors (no build, -1.00)" in words
    assert "Against turn 2, the best before it, it changed the reward by +" in words


def test_the_latest_of_many_turns_are_told_and_how_many_came_before() -> None:
    turns = [(f"attempt {number} of many that are tried", correct(coalescing=0.5)) for number in range(1, 41)]
    words = played(*turns).turns[-1].reflection
    assert "39: attempt 39" in words and "and 34 before" in words and len(words) <= MOST_CHARACTERS
    assert "Turn 1 (" in words and "is still the best" in words


def test_proposals_that_failed_beside_a_turn_are_told_with_why() -> None:
    turn = Turn(Candidate("a", intention="plain"), correct(coalescing=0.5), score(correct(coalescing=0.5)), "",
                ((Candidate("b", schedule="tile(k, l, 16)"), RACY), (Candidate("c"), None)))
    words = told(correct(coalescing=0.6), Episode(SAXPY, (turn,)))
    assert "Failed: tile(k, l, 16) (shared race at line 7)." in words


def test_a_hint_comes_first_and_stays() -> None:
    episode = replace(played(("one", correct(coalescing=0.5))), hints=(Hint("old"), Hint("use tiles", 1)))
    words = told(WRONG, episode)
    assert words.startswith("The person says: use tiles\nIt builds, and fails") and "old" not in words
    again = with_hint(words, "x" * 400)
    assert again.count("The person says") == 1 and len(again) <= MOST_CHARACTERS and "It builds, and fails" in again


@pytest.mark.parametrize(("status", "advice"), [("crash", "check each launch"), ("timeout", "look for a loop")])
def test_a_failure_that_no_fault_explains_still_gets_advice(status: str, advice: str) -> None:
    bare = Verdict(status, "running it ended with not enough memory within its limit")  # type: ignore[arg-type]
    assert f"Try: {advice}" in told(Outcome(Build(True), bare))
    explained = replace(bare, faults=(Fault("limit", "it still runs", line=3, remedy="end the loop"),))
    words = told(Outcome(Build(True), explained))
    assert "Try: end the loop" in words and advice not in words


def test_what_cannot_be_refereed_is_not_the_kernels_fault() -> None:
    verdict = Verdict("unrefereeable", "less precision cannot be told from honest rounding on this task's inputs")
    assert "nothing in the kernel is at fault" in told(Outcome(Build(True), verdict))
