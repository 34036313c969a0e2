"""Returns and advantages against examples worked out by hand, and against what they must keep."""

from __future__ import annotations

from statistics import fmean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cudaperf_magic.training.credit import grpo, grpo_by_turn, returns, rloo, trloo

numbers = st.floats(-100.0, 100.0)
groups = st.lists(numbers, min_size=1, max_size=12)
rollouts = st.lists(st.lists(numbers, max_size=6), max_size=8)


def test_returns_are_those_worked_out_by_hand() -> None:
    assert returns([1.0, 2.0, 4.0]) == [7.0, 6.0, 4.0]
    # 1 + 0.4 * (2 + 0.4 * 4), 2 + 0.4 * 4, 4
    assert returns([1.0, 2.0, 4.0], 0.4) == pytest.approx([2.44, 3.6, 4.0])
    assert returns([1.0, 2.0, 4.0], 0.0) == [1.0, 2.0, 4.0]
    assert returns([]) == []


def test_a_discount_outside_its_range_is_refused() -> None:
    with pytest.raises(ValueError, match="gamma lies in"):
        returns([1.0], 1.1)


@given(st.lists(numbers, min_size=1, max_size=20), st.floats(0.0, 1.0))
def test_a_return_is_its_reward_and_the_discounted_next_return(rewards: list[float], gamma: float) -> None:
    found = returns(rewards, gamma)
    for now, after, reward in zip(found, [*found[1:], 0.0], rewards, strict=True):
        assert now == pytest.approx(reward + gamma * after)


def test_grpo_is_worked_out_by_hand() -> None:
    # mean 3, std sqrt((4 + 0 + 4) / 3)
    assert grpo([1.0, 3.0, 5.0]) == pytest.approx([-1.224744871, 0.0, 1.224744871])
    assert grpo([2.0, 2.0]) == [0.0, 0.0]
    assert grpo([7.0]) == [0.0] and grpo([]) == []


@given(groups, st.floats(0.1, 10.0), numbers)
def test_grpo_does_not_see_the_scale_or_the_level_of_rewards(group: list[float], scale: float, level: float) -> None:
    if pstdev(group) > 1e-3:
        moved = grpo([scale * value + level for value in group])
        assert moved == pytest.approx(grpo(group), abs=1e-6)
        assert fmean(moved) == pytest.approx(0.0, abs=1e-9) and pstdev(moved) == pytest.approx(1.0)


@given(groups)
def test_rloo_is_the_value_less_the_mean_of_the_others(group: list[float]) -> None:
    for number, advantage in enumerate(rloo(group)):
        others = group[:number] + group[number + 1 :]
        assert advantage == pytest.approx(group[number] - (fmean(others) if others else 0.0), abs=1e-9)


@given(groups, numbers)
def test_rloo_keeps_the_scale_and_does_not_see_the_level(group: list[float], level: float) -> None:
    if len(group) > 1:
        assert rloo([value + level for value in group]) == pytest.approx(rloo(group), abs=1e-9)
        assert rloo([3.0 * value for value in group]) == pytest.approx([3.0 * a for a in rloo(group)], abs=1e-9)


def test_trloo_groups_by_the_rollouts_that_reached_a_turn() -> None:
    # turn 1: 3, 1, 2 with mean 2, times 3/2; turn 2: 4, 0 with mean 2, times 2; turn 3: alone
    found = trloo([[3.0, 4.0, 5.0], [1.0], [2.0, 0.0]])
    assert found == [[1.5, 4.0, 5.0], [-1.5], [0.0, -4.0]]
    assert trloo([]) == [] and trloo([[], [1.0]]) == [[], [1.0]]


@given(rollouts)
def test_advantages_have_the_shape_of_the_rollouts_and_trloo_adds_up_to_nothing_in_a_group(
    given_rollouts: list[list[float]],
) -> None:
    for advantages in (trloo(given_rollouts), grpo_by_turn(given_rollouts)):
        assert [len(a) for a in advantages] == [len(rollout) for rollout in given_rollouts]
    for turn in range(6):
        group = [a[turn] for a in trloo(given_rollouts) if turn < len(a)]
        if len(group) > 1:
            assert sum(group) == pytest.approx(0.0, abs=1e-9)


def test_a_sample_that_is_part_of_its_own_baseline_loses_a_share_of_its_advantage() -> None:
    """The bias that TRLOO removes: with the group's mean as baseline an advantage is (1 - 1/N) of what it should be."""
    group = [1.0, 0.0, 0.0, 0.0]
    with_itself = [value - fmean(group) for value in group]
    assert with_itself == pytest.approx([(1 - 1 / 4) * advantage for advantage in rloo(group)])
