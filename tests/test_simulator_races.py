"""A race is reported exactly when two accesses are unordered: random scripts against a checker of its own kind."""

from __future__ import annotations

import pytest
from happens_before import has_race, random_script
from simulated import KERNELS, launch_of

from cudaperf_magic.bench.nvrtc import build
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.simulator.launch import SCHEDULES, Schedule, simulate

SCRIPTS = 200


# With named barriers the simulator keeps every reader, without them no more than two: both must be right.
WAYS = {
    "shared, named barriers": ("shared_race", True, ()),
    "shared, block barriers only": ("shared_race", False, ("-DNO_NAMED_BARRIERS",)),
    "global, named barriers": ("global_race", True, ("-DIN_GLOBAL_MEMORY",)),
    "global, block barriers only": ("global_race", False, ("-DIN_GLOBAL_MEMORY", "-DNO_NAMED_BARRIERS")),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_race_is_reported_exactly_when_two_accesses_are_unordered(schedule: Schedule, way: str) -> None:
    kind, has_named, options = WAYS[way]
    compiled = build((KERNELS / "trace.cu").read_text(), names=("follow",), options=options)
    missed: list[int] = []
    invented: list[int] = []
    for seed in range(SCRIPTS):
        script = random_script(seed, has_named)
        given = ("ops", "masks", len(script.ops), "sink", "far")
        plan = LaunchPlan((launch_of("follow", 1, script.threads, given),))
        result = simulate(compiled, plan, script.arrays(), schedule=schedule, seed=seed)
        assert {fault.kind for fault in result.faults} <= {kind, "uninitialised"}, (seed, result.faults)
        found = any(fault.kind == kind for fault in result.faults)
        if found != has_race(script):
            (invented if found else missed).append(seed)
    assert (missed, invented) == ([], [])


def test_about_half_of_the_scripts_race() -> None:
    share = sum(has_race(random_script(seed)) for seed in range(SCRIPTS)) / SCRIPTS
    assert 0.25 < share < 0.75
