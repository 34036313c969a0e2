"""What the soak says of memory: a leak shows as a slope, chance does not, and a server's second life is no growth."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

from soak_memory import MIB, Reading, growths, read_all


def readings(sizes: list[float], *, pid: int = 1, first: int = 0) -> list[Reading]:
    return [Reading("plain server", pid, first + 100 * k, int(size * MIB)) for k, size in enumerate(sizes)]


def test_a_leak_of_a_kibibyte_an_evaluation_is_measured_through_the_noise_of_the_allocator() -> None:
    dice = random.Random(3)
    sizes = [100 + k * 100 / 1024 + dice.uniform(-0.2, 0.2) for k in range(20)]
    (found,) = growths(readings(sizes))
    assert found.bytes_per_evaluation == pytest.approx(1024, rel=0.1)
    assert found.share == pytest.approx(1.9 / 100, rel=0.15)


def test_one_reading_that_is_out_of_line_is_no_growth() -> None:
    (found,) = growths(readings([100.0] * 19 + [180.0]))
    assert found.share == 0


def test_a_server_that_follows_a_killed_one_is_judged_by_its_own_life_once_it_is_warm() -> None:
    first, second = readings([100.0, 100.0, 100.0]), readings([40.0, 90.0, 90.0], pid=2, first=300)
    (found,) = growths([*first, *second])
    assert (found.lives, found.share, found.readings) == (2, 0, 5)


def test_a_process_that_was_read_only_once_has_no_growth_rather_than_none_at_all() -> None:
    assert growths(readings([100.0])) == []


def test_this_process_is_read_as_the_system_counts_it() -> None:
    ballast = bytearray(os.urandom(64)) * (MIB // 2)  # 32 MiB, every page written
    mine = next(reading for reading in read_all(0) if reading.name == "this process")
    assert mine.pid == os.getpid() and mine.resident_bytes > len(ballast)
