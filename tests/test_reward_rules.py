"""What every reward must satisfy, tried on outcomes at random under each preset that comes with the package.

A published preset is let off a rule only where `BROKEN_BY` names it, with outcomes that break it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cudaperf_magic.episode import play
from cudaperf_magic.errors import ToolchainError
from cudaperf_magic.fakes import BROKEN, SAXPY, FakeBench, FakeJournal, FakePolicy, correct
from cudaperf_magic.records import (
    PROPERTIES,
    Baseline,
    Build,
    Episode,
    KernelRun,
    Memory,
    Outcome,
    OutputError,
    Structure,
    Timing,
    Verdict,
)
from cudaperf_magic.reflection import reflect
from cudaperf_magic.rewards import Group, load_preset, preset_names, score, violations

PRESETS = {name: load_preset(name) for name in preset_names()}
SLACK = 1e-9  # sums of floats
few = settings(max_examples=30)  # for each of the presets

unit = st.floats(0.0, 1.0)
speedups = st.floats(1e-4, 1e4)
samples = st.lists(st.floats(0.5, 2.0), min_size=1, max_size=5)
wrong_status = st.sampled_from(["mismatch", "crash", "timeout", "fault"])


def failing(status: str, passed: int, total: int) -> Outcome:
    return Outcome(Build(ok=True), Verdict(status, "wrong", cases_passed=passed, cases_total=total))  # type: ignore[arg-type]


@st.composite
def wrong(draw: st.DrawFn) -> Outcome:
    total = draw(st.integers(1, 40))
    return failing(draw(wrong_status), draw(st.integers(0, total - 1)), total)


@st.composite
def timings(draw: st.DrawFn) -> Timing:
    ours = tuple(draw(samples))
    named = {"PyTorch eager": draw(st.none() | speedups), "torch.compile": draw(st.none() | speedups)}
    others = tuple(Baseline(name, (times,)) for name, times in named.items() if times)
    return Timing(ours, "turn 1", (draw(speedups),), draw(st.none() | st.floats(1e-3, 0.4)), others=others)


@st.composite
def right(draw: st.DrawFn) -> Outcome:
    outcome = correct(**draw(st.dictionaries(st.sampled_from(PROPERTIES), unit)))
    own = draw(st.none() | unit)
    kernels = (KernelRun("mine", "candidate", 1, own), KernelRun("gemm", "library", 1, 1.0 - own)) if own else ()
    memory = draw(st.none() | st.builds(Memory, st.integers(0, 2**40), st.integers(0, 2**40)))
    return replace(outcome, timing=draw(st.none() | timings()), memory=memory, kernels=kernels)


def slower(outcome: Outcome, by: float) -> Outcome:
    """The same with every sample of its own so many times as long."""
    timing = outcome.timing
    assert timing is not None
    return replace(outcome, timing=replace(timing, samples_us=tuple(by * us for us in timing.samples_us)))


def worth(outcome: Outcome, name: str, group: Group | None = None) -> float:
    return score(outcome, PRESETS[name], group=group).total


# Rule -> preset -> (what should earn at least as much, what earns more all the same).
POOR = replace(correct(), timing=Timing((10.0,), "turn 1", (1.0,)))
NOISY = replace(correct(), timing=Timing((1.0, 19.0), "turn 1", (10.0,)))
BROKEN_BY = {
    "right above wrong": {"cudaperf": (POOR, failing("mismatch", 9, 10))},
    "measuring costs": {"cudaperf": (NOISY, correct())},
    "cheats": {"cudaperf": (BROKEN, failing("cheat", 0, 10))},
}


def keeping(rule: str) -> list[str]:
    return [name for name in PRESETS if name not in BROKEN_BY.get(rule, {})]


@pytest.mark.parametrize(("rule", "name"), [(rule, name) for rule, named in BROKEN_BY.items() for name in named])
def test_a_preset_that_is_let_off_a_rule_breaks_it(rule: str, name: str) -> None:
    better, worse = BROKEN_BY[rule][name]
    assert worth(better, name) < worth(worse, name)
    assert violations(PRESETS[name])


def test_a_preset_that_breaks_a_rule_here_is_told_of_it_and_no_other_is() -> None:
    told = {name for name, preset in PRESETS.items() if violations(preset)}
    assert told == {name for named in BROKEN_BY.values() for name in named}


@pytest.mark.parametrize("name", PRESETS)
@few
@given(wrong())
def test_building_never_costs(name: str, failed: Outcome) -> None:
    assert worth(failed, name) >= worth(BROKEN, name)
    assert worth(Outcome(Build(ok=True)), name) >= worth(BROKEN, name)


@pytest.mark.parametrize("name", keeping("right above wrong"))
@few
@given(right(), wrong())
def test_no_structure_speed_or_memory_lifts_a_wrong_kernel_over_a_right_one(
    name: str, passed: Outcome, failed: Outcome
) -> None:
    assert worth(failed, name) < worth(passed, name)
    assert worth(failed, name) < worth(passed, name, Group(1, 8))


@pytest.mark.parametrize("name", PRESETS)
@few
@given(right())
def test_being_correct_earns_more_than_not_building(name: str, passed: Outcome) -> None:
    """Where noise may cost without bound, up to the noise that samples within a factor of 4 can have."""
    assert worth(passed, name) > worth(BROKEN, name)


@pytest.mark.parametrize("name", keeping("measuring costs"))
@few
@given(right())
def test_being_measured_never_costs(name: str, outcome: Outcome) -> None:
    whole = worth(outcome, name)
    for part in ("timing", "structure", "memory"):
        fewer: dict[str, None] = {part: None}
        assert worth(replace(outcome, **fewer), name) <= whole + SLACK  # type: ignore[arg-type]


@pytest.mark.parametrize("name", PRESETS)
@few
@given(right(), timings(), st.floats(1.0, 1e4))
def test_a_slower_kernel_never_earns_more(name: str, outcome: Outcome, timing: Timing, by: float) -> None:
    fast = replace(outcome, timing=timing)
    assert worth(slower(fast, by), name) <= worth(fast, name) + SLACK


@pytest.mark.parametrize("name", keeping("cheats"))
@few
@given(st.integers(1, 40), st.data())
def test_a_cheat_never_earns_more_than_what_does_not_build(name: str, total: int, data: st.DataObject) -> None:
    assert worth(failing("cheat", data.draw(st.integers(0, total)), total), name) <= worth(BROKEN, name)


@pytest.mark.parametrize("name", PRESETS)
@few
@given(st.integers(1, 40), st.data())
def test_more_passed_cases_never_earn_less(name: str, total: int, data: st.DataObject) -> None:
    fewer, more = sorted(data.draw(st.tuples(st.integers(0, total - 1), st.integers(0, total - 1))))
    assert worth(failing("mismatch", fewer, total), name) <= worth(failing("mismatch", more, total), name)


def shuffled(outcome: Outcome, order: Callable[[tuple], tuple]) -> Outcome:  # type: ignore[type-arg]
    """The same, with what was seen of it in another order."""
    verdict, timing, structure = outcome.verdict, outcome.timing, outcome.structure
    if verdict is not None:
        errors = order((OutputError("x", 1.0, 1.0, 0.0, 0.0), OutputError("y", 2.0, 2.0, 0.0, 0.0)))
        verdict = replace(verdict, errors=errors)
    if timing is not None:
        timing = replace(timing, samples_us=order(timing.samples_us), others=order(timing.others))
    if structure is not None:
        structure = Structure(order(structure.properties))
    return replace(outcome, verdict=verdict, timing=timing, structure=structure, kernels=order(outcome.kernels))


@pytest.mark.parametrize("name", PRESETS)
@few
@given(right() | wrong(), st.randoms(use_true_random=False))
def test_the_order_of_cases_samples_and_properties_does_not_matter(name: str, outcome: Outcome, random) -> None:
    def order(found: tuple) -> tuple:  # type: ignore[type-arg]
        return tuple(random.sample(found, len(found)))

    assert worth(shuffled(outcome, order), name) == pytest.approx(worth(outcome, name))


@pytest.mark.parametrize("name", PRESETS)
def test_a_machine_that_fails_gives_no_reward_at_all_under_any_preset(name: str) -> None:
    journal = FakeJournal()
    bench = FakeBench({"good": correct(2.0), "unlucky": ToolchainError("the card fell off the bus")})
    with pytest.raises(ToolchainError, match="fell off"):
        list(play([SAXPY], FakePolicy(["good", "unlucky"]), bench, preset=name, journal=journal))
    (kept,) = journal.episodes.values()
    assert [turn.candidate.source for turn in kept.turns] == ["good"] and kept.is_live


# ---- rollouts of one task ----


class Rollouts(FakePolicy):
    """Each rollout has a script of its own, told apart by the episode's identity."""

    def __init__(self, scripts: dict[str, list[str]]) -> None:
        self.scripts = {name: FakePolicy(script) for name, script in scripts.items()}

    def propose(self, episode: Episode):  # type: ignore[no-untyped-def]
        return self.scripts[episode.identity].propose(episode)


OUTCOMES = {"fast": correct(4.0), "slow": correct(2.0), "wrong": failing("mismatch", 1, 2), "broken": BROKEN}
SCRIPTS = {"saxpy-1": ["fast", "fast"], "saxpy-2": ["wrong", "slow"], "saxpy-3": ["broken", "wrong"]}


def played(preset: str) -> list[Episode]:
    journal = FakeJournal()
    list(play([SAXPY] * 3, Rollouts(SCRIPTS), FakeBench(OUTCOMES), preset=preset, turns=2, journal=journal))
    return list(journal.episodes.values())


def rewards(episodes: list[Episode]) -> list[list[float]]:
    return [[turn.reward.total for turn in episode.turns] for episode in episodes]


def test_speed_counts_in_a_turn_only_where_half_of_its_rollouts_are_correct() -> None:
    # Turn 1: 1 of 3 is correct, so 1 + 0; turn 2: 2 of 3 are, so 1 + 0.1 * 4 and 1 + 0.1 * 2.
    assert rewards(played("kernel_zero")) == [[1.0, pytest.approx(1.4)], [0.0, pytest.approx(1.2)], [0.0, 0.0]]


def test_the_reflection_of_a_rollout_follows_from_the_reward_that_it_got() -> None:
    for episode in played("kernel_zero"):
        for number, turn in enumerate(episode.turns):
            before = replace(episode, turns=episode.turns[:number])
            assert turn.reflection == reflect(turn.outcome, turn.reward, before, turn.candidate)


def test_other_tasks_are_no_part_of_a_group() -> None:
    other = replace(SAXPY, name="other", entry="other")
    journal = FakeJournal()
    policy = Rollouts({"saxpy-1": ["fast"], "other-2": ["wrong"], "other-3": ["broken"]})
    list(play([SAXPY, other, other], policy, FakeBench(OUTCOMES), preset="kernel_zero", turns=1, journal=journal))
    assert rewards(list(journal.episodes.values()))[0] == [pytest.approx(1.4)]


def test_no_rollout_waits_for_another_where_the_reward_does_not_ask() -> None:
    policy, bench = Rollouts(SCRIPTS), FakeBench(OUTCOMES)
    first = next(play([SAXPY] * 3, policy, bench, turns=2, journal=FakeJournal()))
    assert len(first.turns) == 1 and bench.evaluated == ["fast"]
    grouped = FakeBench(OUTCOMES)
    next(play([SAXPY] * 3, policy, grouped, preset="kernel_zero", turns=2, journal=FakeJournal()))
    assert grouped.evaluated == ["fast", "wrong", "broken"]


def test_the_last_look_at_a_rollout_keeps_its_group() -> None:
    journal = FakeJournal()
    bench = FakeBench(OUTCOMES, accepted={"fast": correct(3.0)})
    policy = Rollouts({"saxpy-1": ["fast"], "saxpy-2": ["wrong"], "saxpy-3": ["broken"]})
    list(play([SAXPY] * 3, policy, bench, preset="kernel_zero", turns=1, journal=journal))
    first = journal.episodes["saxpy-1"].turns[0]
    assert first.outcome.speedup == pytest.approx(3.0) and first.reward.total == 1.0  # 1 of 3 is correct
