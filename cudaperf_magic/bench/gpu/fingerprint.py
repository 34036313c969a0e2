"""A keyed fingerprint of 128 bits of an array's bytes, in NumPy: the twin of `fingerprint` in trusted.cu.

The bytes, padded with zeros to vectors of 16, are dealt to fixed columns; each column goes through its vectors in order
(NH, then Horner's rule, modulo 2^64, in two lanes), and the columns' mixed values are added up. Two arrays that differ
have equal fingerprints with a chance of about 2^-64 for whoever does not know the key. It runs nothing on a device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

BLOCKS, THREADS = 512, 256
COLUMNS = BLOCKS * THREADS
VECTOR_BYTES = 16
_MASK = (1 << 64) - 1


def fingerprint(array: NDArray[Any], key: int) -> int:
    """The fingerprint of the array's bytes in C order, as an unsigned number of 128 bits. `key` has 64 bits."""
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    vectors = -(-data.size // VECTOR_BYTES)
    padded = np.zeros(vectors * VECTOR_BYTES, np.uint8)
    padded[: data.size] = data
    words = padded.view(np.uint32).reshape(vectors, 4).astype(np.uint64)
    return finished([_lane(words, key, lane) for lane in (0, 1)], data.size, key)


def finished(sums: Sequence[int], size_bytes: int, key: int) -> int:
    """The fingerprint from the two sums that the columns gave, with the length worked in."""
    first, second = (mixed((total + mixed(key ^ (size_bytes + 3 * lane))) & _MASK) for lane, total in enumerate(sums))
    return first << 64 | second


def mixed(x: int) -> int:
    """The finaliser of SplitMix64 (Steele, Lea and Flood, 2014)."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & _MASK
    return x ^ x >> 31


def _lane(words: Words, key: int, lane: int) -> int:
    column = np.arange(COLUMNS, dtype=np.uint64)
    base = np.uint64(key & _MASK) + np.uint64(8) * column + np.uint64(4 * lane)
    low, high, total = (_mixed(base + np.uint64(part)) for part in range(3))
    factor = np.uint64(mixed(key ^ (lane + 1)) & ~7 & _MASK | 5)
    low_half = np.uint64(0xFFFFFFFF)
    for start in range(0, len(words), COLUMNS):
        row = words[start : start + COLUMNS]
        met = slice(0, len(row))
        first = (row[:, 0] + (low[met] & low_half) & low_half) * (row[:, 1] + (low[met] >> np.uint64(32)) & low_half)
        second = (row[:, 2] + (high[met] & low_half) & low_half) * (row[:, 3] + (high[met] >> np.uint64(32)) & low_half)
        total[met] = total[met] * factor + first + second
    return int(_mixed(total).sum(dtype=np.uint64))


def _mixed(x: Words) -> Words:
    x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return x ^ x >> np.uint64(31)
