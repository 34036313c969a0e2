"""A race is reported exactly when two accesses are unordered: random scripts against a checker of its own kind."""

from __future__ import annotations

import functools

import pytest
from happens_before import has_race, random_script
from simulated import KERNELS, launch_of

from cudaperf_magic.bench.nvrtc import Compiled, build
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.simulator.launch import simulate

SCRIPTS = 400


@functools.cache
def follower() -> Compiled:
    return build((KERNELS / "trace.cu").read_text(), names=("follow",))


@pytest.mark.parametrize("schedule", ["forward", "reverse", "shuffled"])
def test_a_race_is_reported_exactly_when_two_accesses_are_unordered(schedule: str) -> None:
    missed, invented = [], []
    for seed in range(SCRIPTS):
        script = random_script(seed)
        given = ("ops", "masks", len(script.ops), "sink")
        plan = LaunchPlan((launch_of("follow", 1, script.threads, given),))
        result = simulate(follower(), plan, script.arrays(), schedule=schedule, seed=seed, check_global_races=False)  # type: ignore[arg-type]
        others = {fault.kind for fault in result.faults} - {"shared_race", "uninitialised"}
        assert not others, (seed, result.faults)
        found = any(fault.kind == "shared_race" for fault in result.faults)
        if found != has_race(script):
            (invented if found else missed).append(seed)
    assert (missed, invented) == ([], [])


def test_about_half_of_the_scripts_race() -> None:
    share = sum(has_race(random_script(seed)) for seed in range(SCRIPTS)) / SCRIPTS
    assert 0.25 < share < 0.75
