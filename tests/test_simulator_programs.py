"""Random programs with branches and loops: the simulator's variables are NumPy's, bit for bit."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from programs import DTYPE, VARIABLES, Program, programs
from simulated import launch_of

from cudaperf_magic.bench.nvrtc import build
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.simulator.launch import simulate

THREADS = 48  # a warp and a half
PROGRAMS = 10  # a build


def bits(seed: int) -> NDArray[np.uint64]:
    """What the variables hold at first: numbers of all sizes, with zeros, infinities and NaN among the floats."""
    random = np.random.default_rng(seed)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -2.5, 1e-40, 6e-8, 65504.0]
    rows = []
    for kind in VARIABLES.values():
        dtype = np.dtype(DTYPE[kind])
        if dtype.kind == "f":
            values = (random.standard_normal(THREADS) * random.choice([1e-3, 1.0, 100.0], THREADS)).astype(dtype)
            values[random.integers(0, THREADS, 12)] = random.choice(special, 12).astype(dtype)
            rows.append(values.view(f"u{dtype.itemsize}").astype(np.uint64))
        else:
            words = random.integers(0, 2**64, THREADS, np.uint64) >> random.integers(0, 64, THREADS, np.uint64)
            rows.append(words)
    return np.array(rows)


def simulated(batch: list[Program], arch: str, start: NDArray[np.uint64]) -> list[NDArray[np.uint64]]:
    """The variables of every program at its end, as bits; all programs are one build and one plan."""
    names = [f"program{i}" for i in range(len(batch))]
    source = "#include <cuda_fp16.h>\n" + "".join(p.cuda(n) for p, n in zip(batch, names, strict=True))
    # Without contraction: a product that is rounded before it is added is what NumPy computes.
    compiled = build(source, arch, names=tuple(names), options=("-fmad=false",))
    assert compiled.build.ok, compiled.build.log
    arrays = {"given": start} | {name: np.zeros_like(start) for name in names}
    plan = LaunchPlan(tuple(launch_of(name, 2, 32, ("given", name, THREADS)) for name in names))
    assert not simulate(compiled, plan, arrays).faults
    return [arrays[name] for name in names]


@settings(
    max_examples=4, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)  # fmt: skip
@given(
    batch=st.lists(programs(), min_size=PROGRAMS, max_size=PROGRAMS), seed=st.integers(0, 99),
    arch=st.sampled_from(["sm_75", "sm_90", "sm_100"]),
)  # fmt: skip
def test_random_programs_leave_what_numpy_says(batch: list[Program], seed: int, arch: str) -> None:
    start = bits(seed)
    for program, found in zip(batch, simulated(batch, arch, start), strict=True):
        state = program.run(start)
        for row, (name, kind) in zip(found, VARIABLES.items(), strict=True):
            dtype = np.dtype(DTYPE[kind])
            values = row.astype(f"u{dtype.itemsize}").view(dtype)
            same = values.view(f"u{dtype.itemsize}") == state[name].view(f"u{dtype.itemsize}")
            if dtype.kind == "f":
                same |= np.isnan(values) & np.isnan(state[name])
            t = int(np.argmin(same))
            assert same.all(), f"{name} of thread {t} is {values[t]}, not {state[name][t]}, in\n{program.cuda('k')}"
