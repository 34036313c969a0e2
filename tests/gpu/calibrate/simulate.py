"""One case in the simulator -> the counts that the hardware has counters for, under the same names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cudaperf_magic.bench.architectures import architecture
from cudaperf_magic.bench.nvrtc import Compiled
from cudaperf_magic.bench.occupancy import WARP, occupancy
from cudaperf_magic.bench.simulator.launch import simulate
from cudaperf_magic.bench.simulator.result import AccessCost, SimulatorResult

from .builds import compiled
from .case import Arrays, CalibrationCase

DEVICE = "H200"  # whose caches are modelled
SPACES = ("global", "generic")  # a generic access counts where its addresses led


@dataclass(frozen=True)
class Simulated:
    """`active_lanes` is the mean of 32, over the PTX's instructions; the hardware's is over those of the SASS."""

    counts: dict[str, float]
    after: Arrays
    result: SimulatorResult


def simulated(case: CalibrationCase, builds: Path | None = None) -> Simulated:
    code = compiled(case.file, builds)
    arrays = case.arrays()
    result = simulate(code, case.plan, arrays, check_global_races=False, device=DEVICE)
    assert result.is_complete, f"{case.name}: {result.faults[0].message}"
    return Simulated(counts(result) | limits(case, code), arrays, result)


def counts(result: SimulatorResult) -> dict[str, float]:
    (launch,) = result.launches
    found: dict[str, float] = {}
    for operation in ("load", "store", "atomic"):
        here = [a for a in result.accesses if a.operation == operation]
        in_global = [a for a in here if a.space in SPACES and a.sectors]
        found[f"global_{operation}_requests"] = _sum(a.requests for a in in_global)
        found[f"global_{operation}_sectors"] = _sum(a.sectors for a in in_global)
        found[f"shared_{operation}_wavefronts"] = _sum(a.wavefronts for a in here)
        if operation != "atomic":
            found[f"global_{operation}_lanes"] = _sum(a.lanes for a in in_global)
            found |= _local(operation, here)
    found["barriers"] = _sum(line.barriers for line in result.lines)
    found["warp_instructions"] = launch.warp_instructions
    found["active_lanes"] = launch.thread_instructions / launch.warp_instructions
    found["dram_read_bytes"] = launch.dram_read_bytes
    found["dram_write_bytes"] = launch.dram_write_bytes
    return found


def _local(operation: str, accesses: Iterable[AccessCost]) -> dict[str, float]:
    local = [a for a in accesses if a.space == "local"]
    return {
        f"local_{operation}_requests": _sum(a.requests for a in local),
        f"local_{operation}_sectors": _sum(a.sectors for a in local),
    }


def limits(case: CalibrationCase, code: Compiled) -> dict[str, float]:
    """What the occupancy calculation says of the launch."""
    (launch,) = case.plan.launches
    symbol = code.mangled[case.kernel]
    resources = next(k for k in code.build.kernels if k.name == symbol)
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    shared = resources.shared_bytes + launch.shared_bytes
    found = occupancy(architecture(DEVICE), threads, resources.registers, shared)
    return {
        "registers": resources.registers,
        "resident_blocks": found.blocks,
        "theoretical_occupancy_pct": 100 * found.blocks * -(-threads // WARP) / found.most_warps,
    }


def _sum(values: Iterable[float]) -> float:
    return sum(values)
