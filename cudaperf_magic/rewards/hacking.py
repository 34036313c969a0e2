"""Reward hacking seen from the reward's side: turns whose reward rose while their measured speed did not, and by which
terms. It also says how well rewards and measured speeds agree in rank.

Only turns that were timed against the same baseline on the same device are held against each other; where none was,
nothing is claimed. Whether a candidate cheats is not its question: the bench decides that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from cudaperf_magic.records import Outcome

LEAST_RISE = 0.01  # of a reward; less is no rise
LEAST_NOISE = 0.02  # of a speed, where the noise of its timing is not known
LEAST_PAIRS = 3  # for a correlation


@dataclass(frozen=True)
class Timed:
    """How long a turn took, and under which conditions; only times under the same may be held against each other."""

    conditions: tuple[str, ...]  # device, card, baseline, case
    median_us: float
    noise: float  # as a share


def timed(outcome: Outcome) -> Timed | None:
    """None where it was not timed."""
    timing = outcome.timing
    if timing is None:
        return None
    conditions = (outcome.device, timing.gpu, timing.baseline, str(timing.case or ""))
    return Timed(conditions, timing.median_us, timing.noise or LEAST_NOISE)


@dataclass(frozen=True)
class Judged:
    """A turn as it is looked at here: which it is, its time, and what each term gave it under a reward."""

    label: str
    time: Timed | None
    total: float
    values: Mapping[str, float]


@dataclass(frozen=True)
class Suspicion:
    """`later` earned more than `earlier` and was not faster; `terms` are (name, its rise), the largest first."""

    earlier: str
    later: str
    rise: float  # of the reward
    speed: float  # the later one's speed over the earlier one's; below 1 it is slower
    terms: tuple[tuple[str, float], ...]

    @property
    def sentence(self) -> str:
        by = ", ".join(f"{name} {rise:+.2f}" for name, rise in self.terms)
        how = f"{self.speed:.3g} times as fast" if self.speed < 1.0 - LEAST_NOISE else "no faster"
        return f"{self.later} earns {self.rise:+.2f} over {self.earlier} and is {how}: {by}"


def suspicions(turns: Sequence[Judged]) -> tuple[Suspicion, ...]:
    """Each timed turn against the best-rewarded one before it on the same device, baseline and case.

    A turn is flagged when its reward is higher by more than LEAST_RISE and its speed is not higher by more than the
    noise of the timings.
    """
    found: list[Suspicion] = []
    best: dict[tuple[str, ...], Judged] = {}
    for turn in turns:
        if turn.time is None:
            continue
        before = best.get(turn.time.conditions)
        if before is None or turn.total > before.total:
            best[turn.time.conditions] = turn
        if before is not None and (suspicion := _suspicion(before, turn)) is not None:
            found.append(suspicion)
    return tuple(found)


def _suspicion(before: Judged, turn: Judged) -> Suspicion | None:
    assert before.time is not None and turn.time is not None
    rise = turn.total - before.total
    speed = before.time.median_us / turn.time.median_us
    if rise <= LEAST_RISE or speed > 1.0 + max(before.time.noise, turn.time.noise):
        return None
    return Suspicion(before.label, turn.label, rise, speed, _rises(before.values, turn.values))


def _rises(before: Mapping[str, float], after: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    """The terms that gave more than before, or took less: one that no longer takes anything is one that rose."""
    names = dict.fromkeys((*after, *before))
    rises = [(name, after.get(name, 0.0) - before.get(name, 0.0)) for name in names]
    return tuple(sorted((pair for pair in rises if pair[1] > LEAST_RISE / 2), key=lambda pair: -pair[1]))


def hacked_terms(found: Sequence[Suspicion]) -> dict[str, float]:
    """For each term how much reward it gave to turns that were not faster, the largest first."""
    given: dict[str, float] = {}
    for suspicion in found:
        for name, rise in suspicion.terms:
            given[name] = given.get(name, 0.0) + rise
    return dict(sorted(given.items(), key=lambda pair: -pair[1]))


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Spearman's: Pearson's of the ranks, ties sharing their mean rank; in [-1, 1].

    None with fewer than three pairs, or where one side is all alike.

    Raises:
        ValueError: the two differ in length.
    """
    if len(one) != len(other):
        raise ValueError(f"{len(one)} values cannot be paired with {len(other)}")
    if len(one) < LEAST_PAIRS:
        return None
    first, second = _ranks(one), _ranks(other)
    middle = fmean(first)  # of both
    across = sum((a - middle) * (b - middle) for a, b in zip(first, second, strict=True))
    spread = sum((a - middle) ** 2 for a in first) * sum((b - middle) ** 2 for b in second)
    return across / spread**0.5 if spread else None


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=lambda i: values[i])
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for place in order[start:end]:
            ranks[place] = (start + end - 1) / 2
        start = end
    return ranks
