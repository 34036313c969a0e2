"""What lanes cost that meet at one address of an atomic: the counts that an H200 gave for the same patterns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from simulated import run

from cudaperf_magic.bench.simulator.result import AccessCost

FILE = "meeting_atomics.cu"
ALL_AT_ZERO = np.zeros(32, np.int32)
PAIRS = (np.arange(32) // 2).astype(np.int32)
TWO_WORDS_OF_A_BANK = (np.arange(32) % 2 * 32).astype(np.int32)


def atomic(kernel: str, given: tuple[str, ...], arrays: dict[str, NDArray[Any]]) -> AccessCost:
    result = run(FILE, kernel, 1, 32, given, arrays)
    (found,) = (a for a in result.accesses if a.operation == "atomic")
    return found


def test_whole_numbers_at_a_place_that_is_one_for_certain_are_combined_and_take_one_turn() -> None:
    x = {"x": np.arange(32, dtype=np.int32)}
    assert atomic("whole_numbers_at_one_place", ("sum", "x"), {"sum": np.zeros(1, np.int32)} | x).sectors == 1
    assert atomic("at_the_place_of_the_block", ("sum", "x"), {"sum": np.zeros(1, np.int32)} | x).sectors == 1
    assert atomic("long_ones_at_one_place", ("sum",), {"sum": np.zeros(1, np.uint64)}).sectors == 1


def test_floats_and_different_long_numbers_at_one_place_take_a_turn_a_lane() -> None:
    assert atomic("floats_at_one_place", ("sum",), {"sum": np.zeros(1, np.float32)}).sectors == 32
    long = {"sum": np.zeros(1, np.uint64), "x": np.arange(32, dtype=np.int32)}
    assert atomic("long_numbers_at_one_place", ("sum", "x"), long).sectors == 32


@pytest.mark.parametrize(("at", "sectors"), [(ALL_AT_ZERO, 32), (PAIRS, 2 * 2), (np.arange(32, dtype=np.int32), 4)])
def test_lanes_that_only_the_data_brings_together_take_a_turn_each(at: NDArray[Any], sectors: int) -> None:
    found = atomic("at_a_place_that_data_names", ("sums", "x"), {"sums": np.zeros(32, np.int32), "x": at})
    assert (found.requests, found.sectors) == (1, sectors)


@pytest.mark.parametrize(
    ("at", "weighed", "counted"), [(ALL_AT_ZERO, 32, 1), (PAIRS, 2, 1), (TWO_WORDS_OF_A_BANK, 32, 2)]
)
def test_in_shared_memory_lanes_wait_for_each_other_unless_each_adds_one(
    at: NDArray[Any], weighed: int, counted: int
) -> None:
    for kernel, wavefronts in (("weighed_in_shared", weighed), ("counted_in_shared", counted)):
        y = np.zeros(32, np.int32)
        assert atomic(kernel, ("x", "y"), {"x": at, "y": y}).wavefronts == wavefronts
        assert y.sum() == np.count_nonzero(at < 32) * (3 if kernel == "weighed_in_shared" else 1)
