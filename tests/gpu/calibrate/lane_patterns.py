"""Which element each lane of a warp takes: patterns by name, as the index arrays that kernels/lanes.cu reads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

ELEMENTS = 1024
WARPS = 64
Ints = NDArray[np.int32]
_RANDOM = np.random.default_rng(11)
_WITHIN_64 = _RANDOM.integers(0, 64, (WARPS, 32))
_ANYWHERE = _RANDOM.integers(0, ELEMENTS, (WARPS, 32))
_ABSENT = _RANDOM.random((WARPS, 32)) < 0.5

# lane -> element; below zero the lane takes no part
PATTERNS: dict[str, Callable[[Ints], Ints]] = {
    "linear": lambda lane: lane,
    "reversed": lambda lane: 31 - lane,
    "same": lambda lane: 0 * lane,
    "pairs": lambda lane: lane // 2,
    "quads": lambda lane: lane // 4,
    "halves": lambda lane: lane % 16,
    "quarters": lambda lane: lane % 8,
    "two words": lambda lane: lane % 2 * 32,
    "stride 2": lambda lane: lane * 2,
    "stride 3": lambda lane: lane * 3,
    "stride 4": lambda lane: lane * 4,
    "stride 8": lambda lane: lane * 8,
    "stride 16": lambda lane: lane * 16,
    "stride 32": lambda lane: lane * 32 % ELEMENTS,
    "by octets": lambda lane: lane % 8 * 32 + lane // 8,
    "random": lambda lane: _ANYWHERE,
    "random in 64": lambda lane: _WITHIN_64,
    "every other lane": lambda lane: np.where(lane % 2 == 0, lane, -1),
    "lower half": lambda lane: np.where(lane < 16, lane, -1),
    "random, half absent": lambda lane: np.where(_ABSENT, -1, _ANYWHERE),
}


def indices(name: str) -> Ints:
    """WARPS rows of 32 indices, flat."""
    lane = np.broadcast_to(np.arange(32), (WARPS, 32))
    return np.ascontiguousarray(PATTERNS[name](lane)).astype(np.int32).reshape(-1)
