"""What a reward must satisfy, tried on outcomes of every kind."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cudaperf_magic.fakes import BROKEN, RACY, WRONG, correct
from cudaperf_magic.records import PROPERTIES, Build, Memory, Outcome, Property, Structure, Timing, Verdict
from cudaperf_magic.rewards import (
    Group,
    TermWeight,
    load_preset,
    measure,
    preset_names,
    score,
    totals,
    turn_groups,
    violations,
    weigh,
)
from cudaperf_magic.rewards.score import episode_reward, score_keep

unit = st.floats(0.0, 1.0)
scores = st.dictionaries(st.sampled_from(PROPERTIES), unit)
speeds = st.none() | st.floats(1e-6, 1e6)
memories = st.none() | st.builds(Memory, st.integers(0, 2**40), st.integers(0, 2**40))
wrong_status = st.sampled_from(["mismatch", "crash", "timeout", "cheat", "fault"])


@st.composite
def wrong(draw: st.DrawFn) -> Outcome:
    total = draw(st.integers(0, 40))
    passed = draw(st.integers(0, total))
    return replace(WRONG, verdict=Verdict(draw(wrong_status), "wrong", cases_passed=passed, cases_total=total))


@st.composite
def right(draw: st.DrawFn) -> Outcome:
    return replace(correct(draw(speeds), **draw(scores)), memory=draw(memories))


def total(outcome: Outcome) -> float:
    return score(outcome).total


@given(wrong(), right())
def test_a_reward_rises_from_building_to_verifying_to_being_correct(failed: Outcome, passed: Outcome) -> None:
    assert total(BROKEN) <= total(failed) < total(passed)


@given(right())
def test_being_measured_never_costs_anything(outcome: Outcome) -> None:
    assert total(replace(outcome, timing=None)) <= total(outcome)
    assert total(replace(outcome, structure=None)) <= total(outcome)
    assert total(replace(outcome, memory=None)) <= total(outcome)


@given(right(), st.floats(1e-6, 1e6), st.floats(1e-6, 1e6))
def test_a_slower_kernel_never_earns_more(outcome: Outcome, one: float, other: float) -> None:
    def at(speedup: float) -> float:
        return total(replace(outcome, timing=Timing((1.0,), "c", (speedup,))))

    assert at(min(one, other)) <= at(max(one, other))


@given(scores, st.sampled_from(PROPERTIES), unit, unit)
def test_a_better_property_never_earns_less(others: dict[str, float], name: str, one: float, other: float) -> None:
    def at(value: float) -> float:
        return total(correct(**(others | {name: value})))

    assert at(min(one, other)) <= at(max(one, other)) + 1e-12


@given(scores, st.randoms(use_true_random=False))
def test_the_order_in_which_properties_were_measured_does_not_matter(given_scores: dict[str, float], random) -> None:
    names = list(given_scores)
    random.shuffle(names)
    shuffled = {name: given_scores[name] for name in names}
    assert math.isclose(total(correct(**given_scores)), total(correct(**shuffled)))


@given(wrong())
def test_a_wrong_kernel_earns_by_its_share_of_passed_cases_and_by_nothing_else(outcome: Outcome) -> None:
    terms = score(replace(outcome, memory=Memory(10, 10))).terms
    names = ["cheat"] if outcome.verdict and outcome.verdict.status == "cheat" else ["wrong", "passed"]
    assert [term.name for term in terms] == names


def test_more_passed_cases_earn_more() -> None:
    def passing(passed: int) -> float:
        return total(replace(WRONG, verdict=Verdict("mismatch", "wrong", cases_passed=passed, cases_total=9)))

    rewards = [passing(n) for n in range(10)]
    assert rewards == sorted(set(rewards))


def test_a_cheat_earns_no_more_than_what_does_not_build_however_many_cases_it_passed() -> None:
    cheat = replace(WRONG, verdict=Verdict("cheat", "copies the expected output", cases_passed=8, cases_total=9))
    assert total(cheat) == total(BROKEN)


@given(right())
def test_every_term_of_a_correct_kernel_is_explained_and_lies_between_nothing_and_its_weight(outcome: Outcome) -> None:
    for term in score(outcome).terms:
        assert term.reason and term.gate == "it is correct" and term.range == (0.0, 1.0)
        assert 0.0 <= term.score <= 1.0 and term.weight > 0


def test_a_property_that_does_not_apply_leaves_its_weight_to_the_others() -> None:
    perfect = {name: 1.0 for name in PROPERTIES}
    without = {name: 1.0 for name in PROPERTIES if name != "shared"}
    assert total(correct(**perfect)) == pytest.approx(total(correct(**without)))


def test_no_speed_term_exists_where_no_time_was_measured() -> None:
    assert "speed" not in [term.name for term in score(correct(coalescing=1.0)).terms]
    assert "speed" in [term.name for term in score(correct(2.0, coalescing=1.0)).terms]


def test_half_the_warps_are_enough_and_traffic_counts_by_factors() -> None:
    assert total(correct(occupancy=0.5)) == total(correct(occupancy=1.0)) > total(correct(occupancy=0.25))
    low, high = (score(correct(intensity=value)).terms[1].score for value in (0.01, 0.16))
    assert (low, high) == (pytest.approx(0.1), pytest.approx(0.4))


def test_a_candidate_that_was_built_and_not_verified_earns_the_lowest_of_verifying() -> None:
    terms = score(Outcome(Build(ok=True))).terms
    assert [(term.name, term.value) for term in terms] == [("wrong", -0.6), ("passed", 0.0)]
    assert terms[0].reason == "it builds and was not verified"


def test_a_preset_without_weights_still_rewards_being_correct() -> None:
    default = load_preset("default")
    flat = replace(default, structure=0.0, terms=tuple(t for t in default.terms if t.name not in ("speed", "memory")))
    assert [term.name for term in score(correct(3.0, coalescing=0.1), flat).terms] == ["correct"]
    unweighted = replace(flat, structure=1.0, properties=())
    assert score(correct(coalescing=0.1), unweighted).total == 1.0


def test_a_structure_without_any_property_is_no_trouble() -> None:
    assert total(replace(correct(), structure=Structure(()))) == 1.0
    prop = Property("shared", 0.0, 32.0, "wavefronts", "simulator", "a bank conflict")
    assert total(replace(correct(), structure=Structure((prop,)))) == 1.0


def test_a_term_or_property_that_is_switched_off_is_not_there_at_all() -> None:
    default = load_preset("default")
    speed, shared = default.term("speed"), dict(default.properties)["shared"]
    assert speed is not None
    off = default.with_term(replace(speed, is_on=False)).with_property("shared", replace(shared, is_on=False))
    names = [term.name for term in score(correct(2.0, shared=0.1, coalescing=1.0), off).terms]
    assert names == ["correct", "coalescing"]


# ---- every preset ----


@pytest.mark.parametrize("name", preset_names())
@settings(max_examples=40)
@given(st.lists(st.one_of(wrong(), right(), st.just(BROKEN), st.just(RACY)), max_size=8))
def test_the_fast_totals_are_those_of_the_breakdowns(name: str, outcomes: list[Outcome]) -> None:
    preset, measured = load_preset(name), [measure(outcome) for outcome in outcomes]
    slow = [weigh(one, preset).total for one in measured]
    assert totals(measured, preset) == pytest.approx(slow)


@pytest.mark.parametrize("name", preset_names())
@settings(max_examples=40)
@given(right())
def test_what_was_not_measured_is_absent(name: str, outcome: Outcome) -> None:
    bare = score(replace(outcome, timing=None, structure=None, memory=None), name)
    assert {term.name for term in bare.terms} <= {"correct", "passed", "failed_cases"}


@pytest.mark.parametrize("name", preset_names())
@settings(max_examples=40)
@given(st.one_of(wrong(), right()))
def test_a_score_lies_in_the_range_that_its_term_tells(name: str, outcome: Outcome) -> None:
    for term in score(outcome, name).terms:
        low, high = term.range
        assert (low is None or term.score >= low) and (high is None or term.score <= high), term


@pytest.mark.parametrize(("low", "high"), [(None, None), (None, 4.0), (0.5, None), (0.5, 4.0), (-3.0, 4.0)])
@settings(max_examples=40)
@given(st.floats(1e-6, 1e6))
def test_a_bent_score_lies_in_its_range_whatever_the_clip(low: float | None, high: float | None, raw: float) -> None:
    speed = TermWeight("speed", 1.0, low, high)
    least, most = speed.range
    assert least is not None and least <= speed.score(raw) and (most is None or speed.score(raw) <= most)
    assert (most is None) == (high is None)


# What a published reward does that no reward should; a preset that is not listed breaks no rule.
KNOWN = {
    "cudaperf": {
        "being correct always earns more": ("slow, noisy", "9 of 10 cases"),  # -0.5 - 0.5 CV below -0.2
        "being measured never costs": ("slow, noisy", "a correct one"),  # clip(log2 S) may be negative, and noise costs
        "a cheat never earns more than a failed build": ("does not build", "a cheat"),  # -2 above -3
    },
}


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_breaks_the_rules_that_are_listed_and_no_others(name: str) -> None:
    found = {violation.rule: violation for violation in violations(load_preset(name))}
    assert set(found) == set(KNOWN.get(name, {}))
    for rule, (better, worse) in KNOWN.get(name, {}).items():
        assert better in found[rule].better and worse in found[rule].worse
        assert found[rule].worse_total >= found[rule].better_total


@pytest.mark.parametrize(
    ("term", "changes", "rule"),
    [
        ("wrong", {"weight": 2.0}, "being correct always earns more"),
        ("failed_build", {"weight": 1.0}, "building never costs"),
        ("cheat", {"weight": 0.9}, "a cheat never earns more than a failed build"),
        ("passed", {"weight": -0.3}, "more passed cases never earn less"),
        ("speed", {"weight": -1.0}, "a slower kernel never earns more"),
        ("speed", {"weight": -1.0}, "being measured never costs"),
        ("memory", {"weight": -0.1}, "more memory never earns more"),
        ("near_floor", {"weight": -1.0}, "a slower kernel never earns more"),
        ("noise", {"weight": -5.0}, "being correct always earns more"),
        ("own_share", {"weight": 5.0, "gates": ("some_right",)}, None),
    ],
)
def test_each_rule_is_broken_by_the_weight_that_turns_it_round(
    term: str, changes: dict[str, Any], rule: str | None
) -> None:
    default = load_preset("default")
    broken = default.with_term(replace(default.term(term) or TermWeight(term, 1.0), **changes))
    found = {violation.rule for violation in violations(broken)}
    assert rule in found if rule else not found


def test_structure_that_costs_and_noise_that_earns_are_told_too() -> None:
    default = load_preset("default")
    rules = {violation.rule for violation in violations(replace(default, structure=-0.5))}
    assert "a better property never earns less" in rules
    cudaperf = load_preset("cudaperf")
    noise = cudaperf.term("noise")
    assert noise is not None
    loved = violations(cudaperf.with_term(replace(noise, weight=0.5)))
    assert "a noisier timing never earns more" in {violation.rule for violation in loved}


# ---- groups, KEEP and episodes ----


def test_speed_counts_for_kernel_zero_only_once_half_of_the_group_is_correct() -> None:
    fast = correct(4.0)
    assert score(fast, "kernel_zero").total == pytest.approx(1.4)  # alone, it is its whole group
    assert score(fast, "kernel_zero", group=Group(4, 8)).total == pytest.approx(1.4)
    assert score(fast, "kernel_zero", group=Group(3, 8)).total == 1.0
    assert totals([measure(fast)], load_preset("kernel_zero"), [Group(3, 8)]) == [1.0]


def test_the_group_of_a_turn_are_the_rollouts_that_reached_it() -> None:
    good, bad = measure(correct(4.0)), measure(WRONG)
    groups = turn_groups([[bad, good, good], [good, bad], [bad]])
    assert groups == [[Group(1, 3), Group(1, 2), Group(1, 1)], [Group(1, 3), Group(1, 2)], [Group(1, 3)]]
    assert turn_groups([]) == [] and turn_groups([[], [good]]) == [[], [Group(1, 1)]]


@pytest.mark.parametrize(("right", "total"), [(2, 1), (-1, 3), (0, 0)])
def test_a_group_that_cannot_be_is_refused(right: int, total: int) -> None:
    with pytest.raises(ValueError, match="does not exist"):
        Group(right, total)


def test_keep_earns_half_of_its_correctness_under_cudaperf_and_has_no_reward_elsewhere() -> None:
    kept = score_keep(load_preset("cudaperf"))
    assert kept is not None and kept.total == 0.5 and kept.terms[0].gate == ""  # always
    assert score_keep(load_preset("default")) is None
    assert "kept" not in [term.name for term in score(correct(2.0), "cudaperf").terms]


def test_an_episode_is_worth_its_first_turn_its_best_and_the_turns_that_it_saved() -> None:
    rule = load_preset("musacoder").episode
    # 0.75 * -1 + 0.25 * 2 + 0.1 * (8 - 3) / 8
    assert episode_reward([-1.0, -0.3, 2.0, 1.5], [False, False, True, True], rule, 8) == pytest.approx(-0.1875)
    assert episode_reward([-1.0, -1.0], [False, False], rule, 2) == pytest.approx(-1.0)
    assert episode_reward([], [], rule, 2) == 0.0
    assert episode_reward([0.2, 0.9, 0.4], [True, True, True], load_preset("default").episode, 3) == 0.9
