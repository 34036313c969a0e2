"""How much faster, from paired samples: the median of the log ratios and an interval that holds its 95 %. Pure.

Medians, because a sample may be late for reasons of its own; logs, because a ratio and its inverse should weigh the
same; pairs, because what drifts (clocks, temperature) drifts for both. It takes samples as they are and times nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.95
RESAMPLES = 2000
LEAST_PAIRS = 5
_SEED = 0x7A17  # the same samples have the same interval
# Student's t at 97.5 % by degrees of freedom, of any table.
_T = (12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
_T_FAR = 2.2
_MEDIAN_SPREAD = sqrt(np.pi / 2)  # standard error of a median over that of a mean, for normal samples
_FEW = 6  # below this, even from the least to the greatest sample is less than 95 %: 1 - 2^(1 - n)


@dataclass(frozen=True)
class Ratio:
    """Baseline / candidate: above 1 the candidate is faster. `low` and `high` bound it with 95 %."""

    value: float
    low: float
    high: float
    pairs: int

    @property
    def width(self) -> float:
        """Of the interval, as a share of the value."""
        return (self.high - self.low) / self.value

    @property
    def inverse(self) -> Ratio:
        """The same seen from the other side: candidate / baseline."""
        return Ratio(1.0 / self.value, 1.0 / self.high, 1.0 / self.low, self.pairs)

    def is_faster(self, noise: float) -> bool:
        """Whether "faster" may be said, where one kernel against itself differs by up to `noise`, a share."""
        return self.low > 1.0 + noise

    def is_slower(self, noise: float) -> bool:
        return self.inverse.is_faster(noise)


def ratio(candidate_us: Sequence[float], baseline_us: Sequence[float], resamples: int = RESAMPLES) -> Ratio:
    """From samples taken in pairs, all above zero.

    Raises:
        ValueError: they are not pairs, or fewer than LEAST_PAIRS.
    """
    if len(candidate_us) != len(baseline_us) or len(candidate_us) < LEAST_PAIRS:
        raise ValueError(f"a ratio needs at least {LEAST_PAIRS} pairs, not {len(candidate_us)} and {len(baseline_us)}")
    logs = np.log(np.asarray(baseline_us, float)) - np.log(np.asarray(candidate_us, float))
    low, high = median_interval(logs, resamples)
    return Ratio(exp(float(np.median(logs))), exp(low), exp(high), len(logs))


def apart(one_us: Sequence[float], other_us: Sequence[float], resamples: int = RESAMPLES) -> Ratio:
    """How many times as fast `one` is as `other`, from samples that were not taken in pairs.

    The medians' own intervals are joined as for a difference of independent estimates (MOVER: Zou and Donner,
    Statistics in Medicine 27, 2008), in logs. What drifted between the two is not in it.

    Raises:
        ValueError: fewer than LEAST_PAIRS samples of one of them.
    """
    if min(len(one_us), len(other_us)) < LEAST_PAIRS:
        raise ValueError(f"a ratio needs at least {LEAST_PAIRS} samples of each, not {len(one_us)} and {len(other_us)}")
    ours, theirs = np.log(np.asarray(one_us, float)), np.log(np.asarray(other_us, float))
    ours_low, ours_high = median_interval(ours, resamples)
    theirs_low, theirs_high = median_interval(theirs, resamples)
    a, b = float(np.median(ours)), float(np.median(theirs))
    low = b - a - sqrt((b - theirs_low) ** 2 + (ours_high - a) ** 2)
    high = b - a + sqrt((theirs_high - b) ** 2 + (a - ours_low) ** 2)
    return Ratio(exp(b - a), exp(low), exp(high), min(len(ours), len(theirs)))


def median_interval(values: NDArray[np.float64], resamples: int = RESAMPLES) -> tuple[float, float]:
    """A 95 % interval of the median, for any distribution of the values.

    The percentile bootstrap (Efron, 1979) is too narrow for few values; it is widened to the interval between order
    statistics that the sign test leaves (exact whatever the distribution), and for fewer than six values, where that
    too falls short, to Student's interval for a median.
    """
    ordered = np.sort(values)
    count = len(ordered)
    # The values are in order, so the median of a resample is that of its indices: small numbers, quickly parted.
    drawn = np.random.default_rng(_SEED).integers(0, count, (resamples, count), np.uint16)
    middles = np.partition(drawn, ((count - 1) // 2, count // 2), axis=1)
    medians = (ordered[middles[:, (count - 1) // 2]] + ordered[middles[:, count // 2]]) / 2
    low, high = np.quantile(medians, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    rank = sign_test_rank(count)
    low, high = min(low, ordered[rank]), max(high, ordered[count - 1 - rank])
    if count < _FEW:
        reach = t_quantile(count - 1) * float(np.std(ordered, ddof=1)) * _MEDIAN_SPREAD / sqrt(count)
        middle = float(np.median(ordered))
        low, high = min(low, middle - reach), max(high, middle + reach)
    return float(low), float(high)


def sign_test_rank(count: int) -> int:
    """How many values may lie below the interval, at most: the median is above the (rank + 1)-th with 97.5 %."""
    rank, tail = 0, 0.0
    while rank < count // 2:
        tail += comb(count, rank) / 2.0**count
        if tail > (1 - LEVEL) / 2:
            break
        rank += 1
    return max(rank - 1, 0)


def t_quantile(freedom: int) -> float:
    """Student's t at 97.5 %."""
    return _T[freedom - 1] if freedom <= len(_T) else _T_FAR


def geometric_mean(values: Sequence[float]) -> float:
    """Of numbers above zero."""
    return exp(sum(log(value) for value in values) / len(values))
