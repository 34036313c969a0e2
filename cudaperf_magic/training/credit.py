"""Credit: from the rewards of turns to returns, and from returns of a group to advantages. Pure functions on numbers.

    return       G_t = sum over k >= t of gamma^(k - t) r_k           (Dr. Kernel gamma 1, Kevin 0.4)
    GRPO         (G - mean) / std over the group
    RLOO         G - mean of the others
    TRLOO        RLOO over the rollouts that reached turn t, as N / (N - 1) (G - mean); a group of one uses G
                 (Dr. Kernel, arXiv 2602.05885: it removes GRPO's (1 - 1/N) bias, which comes from a sample being part
                 of its own baseline, and does not divide by the standard deviation)

It knows no rewards and no models; what becomes of an advantage is not decided here.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, pstdev

LEAST_STD = 1e-8  # of a group; below it all of the group are alike, and nobody has an advantage


def returns(rewards: Sequence[float], gamma: float = 1.0) -> list[float]:
    """G_t of each turn of one rollout.

    Args:
        rewards: r_t in the order of the turns. gamma: the discount a turn, in [0, 1].

    Raises:
        ValueError: gamma lies outside [0, 1].
    """
    if not 0.0 <= gamma <= 1.0:
        raise ValueError(f"gamma lies in [0, 1], not {gamma}")
    found: list[float] = []
    later = 0.0
    for reward in reversed(rewards):
        later = reward + gamma * later
        found.append(later)
    return found[::-1]


def grpo(group: Sequence[float]) -> list[float]:
    """(G - mean) / std of each of a group; all 0 where the group is one, or all alike."""
    if not group:
        return []
    mean, spread = fmean(group), pstdev(group)
    if spread < LEAST_STD * max(1.0, abs(mean)):
        return [0.0] * len(group)
    return [(value - mean) / spread for value in group]


def rloo(group: Sequence[float]) -> list[float]:
    """G - mean of the others of each of a group: N / (N - 1) (G - mean); a group of one has its G."""
    count = len(group)
    if count < 2:
        return list(group)
    mean = fmean(group)
    return [count / (count - 1) * (value - mean) for value in group]


def trloo(rollouts: Sequence[Sequence[float]]) -> list[list[float]]:
    """RLOO turn by turn: the group of turn t are the rollouts that reached it.

    Args:
        rollouts: returns G_t of each rollout of one prompt; they may have different numbers of turns.

    Returns:
        The advantages, in the shape of `rollouts`.
    """
    found: list[list[float]] = [[] for _ in rollouts]
    for turn in range(max(map(len, rollouts), default=0)):
        reached = [number for number, rollout in enumerate(rollouts) if turn < len(rollout)]
        advantages = rloo([rollouts[number][turn] for number in reached])
        for number, advantage in zip(reached, advantages, strict=True):
            found[number].append(advantage)
    return found


def grpo_by_turn(rollouts: Sequence[Sequence[float]]) -> list[list[float]]:
    """GRPO over every turn of every rollout of one prompt as one group, as multi-turn GRPO treats them.

    Args:
        rollouts: returns G_t of each rollout. Returns the advantages, in the shape of `rollouts`.
    """
    advantages = iter(grpo([value for rollout in rollouts for value in rollout]))
    return [[next(advantages) for _ in rollout] for rollout in rollouts]
