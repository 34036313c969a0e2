"""Hand-overs that are right have no fault in any order of threads; without what makes them right they are races."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from simulated import KERNELS, dim3

from cudaperf_magic.bench.nvrtc import Compiled, build
from cudaperf_magic.bench.plan import Launch, LaunchPlan, Pointer
from cudaperf_magic.bench.simulator.launch import SCHEDULES, Schedule, simulate

# (blocks, threads, arguments, x[0] afterwards)
RIGHT = {
    "flag_in_block<true>": (1, 64, "x", 1),
    "atomic_in_block<1>": (1, 64, "x", 1),
    "chain": (1, 96, "x", 7),
    "lock": (3, 64, "x locked", 192),
    "ring": (1, 64, "x", 96),
    "tiles<8>": (1, 64, "x", 0),
    "grid": (4, 32, "x y", 0),
    "blocks<true>": (2, 32, "x locked", 5),
    "fence_of_all": (2, 64, "x locked", 5),
}
WRONG = {
    "flag_in_block<false>": (1, 64, "x", "shared_race"),
    "atomic_in_block<0>": (1, 64, "x", "shared_race"),
    "other_flag": (1, 64, "x", "shared_race"),
    "fence_too_early": (1, 64, "x", "shared_race"),
    "tiles<16>": (1, 64, "x", "shared_race"),
    "blocks<false>": (2, 32, "x locked", "global_race"),
    "fence_of_another_phase": (2, 64, "x locked", "global_race"),
}


@functools.cache
def compiled() -> Compiled:
    made = build((KERNELS / "handshakes.cu").read_text(), names=(*RIGHT, *WRONG))
    assert made.build.ok, made.build.log
    return made


def run(name: str, blocks: int, threads: int, given: str, schedule: Schedule) -> tuple[list[str], int]:
    arguments = tuple(Pointer(word) for word in given.split())
    launch = Launch(name, dim3(blocks), dim3(threads), arguments, is_cooperative=name == "grid")
    arrays = {word: np.zeros(128, np.int32) for word in ("x", "y", "locked")}
    result = simulate(compiled(), LaunchPlan((launch,)), arrays, schedule=schedule, seed=3)
    assert result.is_complete
    return [fault.kind for fault in result.faults], int(arrays["x"][0])


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", RIGHT)
def test_an_honest_hand_over_has_no_fault(name: str, schedule: Schedule) -> None:
    blocks, threads, given, answer = RIGHT[name]
    kinds, first = run(name, blocks, threads, given, schedule)
    assert (kinds, first) == ([], answer)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", WRONG)
def test_a_hand_over_without_what_makes_it_one_is_a_race(name: str, schedule: Schedule) -> None:
    blocks, threads, given, kind = WRONG[name]
    kinds, _ = run(name, blocks, threads, given, schedule)
    assert kind in kinds and set(kinds) <= {kind, "uninitialised"}
