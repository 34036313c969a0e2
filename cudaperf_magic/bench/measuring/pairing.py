"""Candidate and baseline, sample by sample in random order: how many pairs, and when they are enough. Pure.

It calls what it is handed and knows neither devices nor sessions.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from cudaperf_magic.bench.measuring.statistics import LEAST_PAIRS, ratio

BUDGET_US = 60_000.0  # of device time for a candidate and its baseline together, where calls are short
FEW, MOST = 10, 40  # pairs for calls under SHORT_US
SHORT_US = 1000.0
NARROW = 0.004  # an interval this narrow, as a share of the ratio, is not made much better by more pairs
LOOK_EVERY = 5

Sampler = Callable[[], float]
Pairs = tuple[tuple[float, ...], tuple[float, ...]]


def planned_pairs(candidate_us: float, baseline_us: float) -> tuple[int, int]:
    """The least and the most pairs to take, from the microseconds that a window of each is expected to last."""
    both = max(candidate_us + baseline_us, 1.0)
    least = FEW if max(candidate_us, baseline_us) < SHORT_US else LEAST_PAIRS
    return least, max(least, min(MOST, int(BUDGET_US / both)))


def interleave(
    candidate: Sampler,
    baseline: Sampler,
    rng: random.Random,
    *,
    least: int = FEW,
    most: int = MOST,
    narrow: float = NARROW,
) -> Pairs:
    """Microseconds of (candidate, baseline), sample k of one taken beside sample k of the other.

    Which of the two goes first is drawn for each pair. After `least` pairs it ends as soon as the ratio's interval is
    narrower than `narrow`, looking every few pairs.
    """
    ours: list[float] = []
    theirs: list[float] = []
    while len(ours) < most:
        if rng.random() < 0.5:
            ours.append(candidate())
            theirs.append(baseline())
        else:
            theirs.append(baseline())
            ours.append(candidate())
        is_time = len(ours) >= max(least, LEAST_PAIRS) and (len(ours) - least) % LOOK_EVERY == 0
        if is_time and ratio(ours, theirs).width < narrow:
            break
    return tuple(ours), tuple(theirs)
