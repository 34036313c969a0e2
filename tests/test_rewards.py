"""What a reward must satisfy, tried on outcomes of every kind."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cudaperf_magic.errors import UsageError
from cudaperf_magic.fakes import BROKEN, RACY, WRONG, correct
from cudaperf_magic.records import PROPERTIES, Build, Memory, Outcome, Property, Structure, Timing, Verdict
from cudaperf_magic.rewards import load_preset, preset_names, score
from cudaperf_magic.rewards.presets import FOLDER

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
    assert [term.name for term in terms] == ["verdict"]


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
        assert term.reason
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
    assert total(Outcome(Build(ok=True))) == load_preset("default").verify


def test_the_default_preset_is_there_and_says_what_it_is_for() -> None:
    assert "default" in preset_names()
    for name in preset_names():
        preset = load_preset(name)
        assert preset.name == name and preset.about
        assert score(RACY, name).preset == name


def test_an_unknown_preset_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(UsageError, match="did you mean default"):
        score(BROKEN, "defualt")
    with pytest.raises(UsageError, match="choose from default"):
        load_preset("zzz")
    with pytest.raises(UsageError, match="no reward preset file"):
        load_preset("./nowhere.toml")


def test_a_preset_of_ones_own_is_read_by_its_path(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text((FOLDER / "default.toml").read_text().replace("correct = 1.0", "correct = 5.0"))
    assert score(correct(), str(own)).total == 5.0
    assert score(correct(), str(own)).preset == "mine"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("correct = 1.0", "correct = -0.5", "must rise"),
        ("partial = 0.4", "partial = 1.7", "must rise"),
        ("weight = 2.5", "weight = -1", "negative"),
        ("cap = 32.0", "cap = 1.0", "speed.cap"),
        ("cap = 32.0", "cap = nan", "speed.cap must be a finite number"),
        ("root = 2.0", "root = 0.5", "root is at least 1"),
        ("[structure.coalescing]", "[structure.coalescence]", "did you mean structure.coalescing"),
        ("[memory]", "[memori]", "did you mean memory"),
        ("cap = 32.0", "", "speed.cap must be a finite number, not None"),
        ("cap = 32.0", "cap = = 3", "reward preset"),
    ],
)
def test_a_preset_that_makes_no_sound_reward_is_refused_with_its_fault(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    text = (FOLDER / "default.toml").read_text()
    assert old in text
    (tmp_path / "mine.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(UsageError, match=words):
        load_preset(str(tmp_path / "mine.toml"))


def test_a_preset_without_weights_still_rewards_being_correct() -> None:
    flat = replace(load_preset("default"), structure=0.0, speed=0.0, memory=0.0)
    assert [term.name for term in score(correct(3.0, coalescing=0.1), flat).terms] == ["verdict"]
    unweighted = replace(flat, structure=1.0, properties=())
    assert score(correct(coalescing=0.1), unweighted).total == 1.0


def test_a_structure_without_any_property_is_no_trouble() -> None:
    assert total(replace(correct(), structure=Structure(()))) == 1.0
    prop = Property("shared", 0.0, 32.0, "wavefronts", "simulator", "a bank conflict")
    assert total(replace(correct(), structure=Structure((prop,)))) == 1.0
