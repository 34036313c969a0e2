"""Several processes share one cache: each gets right results, whatever the others build, remove or break in it."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from simulated import KERNELS, floats, launch_of

from cudaperf_magic.bench.cache import SEAL_BYTES, UNFINISHED, Cache
from cudaperf_magic.bench.nvrtc import build
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.simulator.launch import simulate

PROCESSES = 4
SMALL = 40_000  # bytes: less than the runtime and one kernel together


def saxpy(folder: str, limit_bytes: int = 1 << 30) -> bool:
    """Whether a small kernel, compiled and run by way of this cache, is exact and unaccused."""
    cache = Cache(Path(folder), limit_bytes)
    compiled = build((KERNELS / "saxpy.cu").read_text(), names=("saxpy",), cache=cache)
    x, y = floats(300), floats(300, seed=1)
    expected = (np.float32(2.5).astype(np.float64) * x + y).astype(np.float32)
    plan = LaunchPlan((launch_of("saxpy", 3, 128, (300, 2.5, "x", "y")),))
    result = simulate(compiled, plan, {"x": x, "y": y}, cache=cache)
    return not result.faults and np.array_equal(y, expected)


def fill(folder: str, times: int) -> bool:
    """Writes many files, and makes room for each of them."""
    cache = Cache(Path(folder), SMALL)
    for i in range(times):
        cache.write(f"filler-{i % 50}", bytes([i % 256]) * 5000)
        cache.trim()
        held = cache.read(f"filler-{i % 50}")
        if held is not None and (len(held) != 5000 or len(set(held)) != 1):
            return False
    return True


@pytest.fixture(scope="module")
def processes() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(PROCESSES, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.fixture
def fresh() -> Iterator[Callable[[str], bool]]:
    """Runs `saxpy` in a process that has loaded nothing yet."""

    def once(folder: str) -> bool:
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            return pool.submit(saxpy, folder).result()

    yield once


def test_processes_that_start_at_once_on_an_empty_cache_all_run_right(
    processes: ProcessPoolExecutor, tmp_path: Path
) -> None:
    assert all(processes.map(saxpy, [str(tmp_path)] * PROCESSES))
    names = [path.name for path in tmp_path.iterdir()]
    assert len([name for name in names if name.endswith(".so")]) == 2  # the runtime and the kernel, once each
    assert not [name for name in names if name.startswith(UNFINISHED)]


def test_runs_are_right_while_others_empty_the_cache(processes: ProcessPoolExecutor, tmp_path: Path) -> None:
    fillers = [processes.submit(fill, str(tmp_path), 400) for _ in range(PROCESSES // 2)]
    runs = [processes.submit(saxpy, str(tmp_path), SMALL) for _ in range(2 * PROCESSES)]
    assert all(each.result() for each in (*fillers, *runs))


def test_the_cache_keeps_to_its_limit_when_many_write(processes: ProcessPoolExecutor, tmp_path: Path) -> None:
    assert all(processes.map(fill, [str(tmp_path)] * PROCESSES, [300] * PROCESSES))
    held = [path for path in tmp_path.iterdir() if not path.name.startswith(UNFINISHED)]
    assert sum(path.stat().st_size for path in held) <= SMALL + PROCESSES * (5000 + SEAL_BYTES)
    assert len(held) == len(list(tmp_path.iterdir()))  # nothing unfinished is left


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda data: b"",
    "cut in half": lambda data: data[: len(data) // 2],
    "cut by a byte": lambda data: data[:-1],
    "one bit turned": lambda data: data[:1000] + bytes([data[1000] ^ 1]) + data[1001:],
    "another file": lambda data: b"#!/bin/sh\n" * 1000,
}


def test_damaged_files_are_made_again(fresh: Callable[[str], bool], tmp_path: Path) -> None:
    assert fresh(str(tmp_path))
    whole = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(whole) == 3
    for what, damage in DAMAGES.items():
        for path, data in whole.items():
            path.write_bytes(damage(data))
        assert fresh(str(tmp_path)), what
        for path, data in whole.items():
            again = path.read_bytes()
            assert again != damage(data) and len(again) > SEAL_BYTES, (what, path.name)
