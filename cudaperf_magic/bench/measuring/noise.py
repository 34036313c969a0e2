"""How far two timings of one and the same kernel lie apart on this machine: the A/A noise, from rounds of pairs.

Kept in the cache for each card, driver and class of duration. It times nothing: rounds are handed to it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, expm1, sqrt
from typing import Literal

import numpy as np

from cudaperf_magic.bench.cache import Cache, key_of
from cudaperf_magic.bench.measuring.pairing import Pairs
from cudaperf_magic.bench.measuring.statistics import t_quantile

Duration = Literal["short", "medium", "long"]
VERSION = "noise-2"
ROUNDS, PAIRS = 5, 30  # each round with buffers of its own, since where they lie makes a lasting difference
LEAST_ROUNDS = 3
LEAST_NOISE = 0.005  # rounds that are off by more than the others' scatter shows are rare, and there are few rounds
_SHORT_US, _LONG_US = 50.0, 1000.0


@dataclass(frozen=True)
class Machine:
    """What the noise belongs to."""

    uuid: str
    driver: str


def duration_of(us: float) -> Duration:
    """The class of a call's duration: launches, memory and clocks disturb long and short ones differently."""
    return "short" if us < _SHORT_US else "medium" if us < _LONG_US else "long"


def noise_of(rounds: Sequence[Pairs]) -> float:
    """The share by which a ratio of two equal kernels may miss 1, with 95 %.

    Each round's median log ratio is one look at what persists through a round and does not show in its interval. They
    scatter about zero, so Student's quantile times their root mean square bounds the next one; at least LEAST_NOISE.

    Raises:
        ValueError: fewer than LEAST_ROUNDS rounds.
    """
    if len(rounds) < LEAST_ROUNDS:
        raise ValueError(f"noise needs at least {LEAST_ROUNDS} rounds")
    medians = [float(np.median(np.log(np.divide(theirs, ours)))) for ours, theirs in rounds]
    reach = t_quantile(len(medians)) * sqrt(sum(m * m for m in medians) / len(medians))
    return max(LEAST_NOISE, expm1(reach))


def held_noise(machine: Machine, duration: Duration, cache: Cache) -> float | None:
    """What an earlier measurement left; None when the card or driver is another, or there was none."""
    data = cache.read(_key(machine, duration))
    try:
        return None if data is None else float(json.loads(data)["noise"])
    except (ValueError, KeyError, TypeError):
        return None


def keep_noise(machine: Machine, duration: Duration, rounds: Sequence[Pairs], cache: Cache) -> float:
    """Works the noise out and keeps it, with the rounds' ratios to be read by a person."""
    noise = noise_of(rounds)
    ratios = [exp(float(np.median(np.log(np.divide(theirs, ours))))) for ours, theirs in rounds]
    text = json.dumps({"noise": noise, "ratios": ratios, "pairs": [len(ours) for ours, _ in rounds]})
    cache.write(_key(machine, duration), text.encode())
    return noise


def _key(machine: Machine, duration: Duration) -> str:
    return key_of(VERSION, machine.uuid, machine.driver, duration)
