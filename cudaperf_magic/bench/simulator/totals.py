"""The runtime's counters -> costs by launch and by source line. Counts nothing itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace

import numpy as np

from cudaperf_magic.bench.plan import Launch
from cudaperf_magic.bench.simulator import native
from cudaperf_magic.bench.simulator.kernel import COST_FIELDS, Kernel
from cudaperf_magic.bench.simulator.result import LaunchTotals
from cudaperf_magic.records import LineCost

COLUMN = {name: i for i, name in enumerate(COST_FIELDS)}
RUNNING = (
    "traced_blocks",
    "traced_warps",
    "warp_instructions",
    "thread_instructions",
    "barriers",
    "barrier_slots",
    "barrier_lost",
)
GREATEST = ("busiest_warp", "busiest_block", "worst_collision")
KEY = ("kernel", "line", "grid", "block", "shared_bytes")


class Totals:
    """Adds up launches; equal ones (kernel, shape, line) become one entry that says how many they were."""

    def __init__(self) -> None:
        self.found: dict[tuple[object, ...], LaunchTotals] = {}
        self.before: dict[int, tuple[np.ndarray, int]] = {}  # type: ignore[type-arg]
        self.dram = (0, 0)

    def add(self, step: Launch, kernel: Kernel, sim: native.Sim) -> None:
        record = kernel.record
        old_costs, old_flops = self.before.get(id(kernel), (np.zeros_like(kernel.costs), 0))
        costs = kernel.costs - old_costs
        flops = sum(
            int(s[1]) * info.flops
            for s, info in zip(kernel.segments, kernel.lowered.segments, strict=True)
            if info.flops
        )
        self.before[id(kernel)] = (kernel.costs.copy(), flops)
        sites = kernel.lowered.sites
        in_global = np.array(
            [s.operation in ("load", "store", "atomic") and s.space in ("global", "generic") for s in sites] or [False]
        )
        loads = np.array([s.operation == "load" for s in sites] or [False])
        atomics = np.array([s.operation == "atomic" for s in sites] or [False])

        def total(name: str, where: np.ndarray | None = None) -> int:  # type: ignore[type-arg]
            column = costs[:, COLUMN[name]]
            return int((column if where is None else column[where]).sum())

        entry = LaunchTotals(
            kernel=step.kernel, line=step.line, grid=step.grid, block=step.block, shared_bytes=record.shared_bytes, times=1,
            traced_blocks=record.traced_blocks, warps=record.traced_warps, warp_instructions=record.warp_instructions,
            thread_instructions=record.thread_instructions, busiest_warp=record.warp_max, busiest_block=record.block_max,
            barriers=record.barriers, barrier_slots=record.barrier_slots, barrier_lost=record.barrier_lost,
            requests=total("requests", in_global), load_bytes=total("bytes", in_global & loads),
            store_bytes=total("bytes", in_global & ~loads), sectors=total("sectors"), ideal_sectors=total("ideal_sectors"),
            wavefronts=total("wavefronts"), ideal_wavefronts=total("ideal_wavefronts"), atomics=total("requests", atomics),
            collisions=total("collisions"), worst_collision=int(kernel.costs[:, COLUMN["worst_collision"]].max(initial=0)),
            flops=flops - old_flops, dram_read_bytes=sim.dram_read_bytes - self.dram[0],
            dram_write_bytes=sim.dram_write_bytes - self.dram[1],
        )  # fmt: skip
        self.dram = (sim.dram_read_bytes, sim.dram_write_bytes)
        for name in (*RUNNING, "warp_max", "block_max"):
            setattr(record, name, 0)
        key = tuple(getattr(entry, name) for name in KEY)
        self.found[key] = _sum(self.found[key], entry) if key in self.found else entry

    def launches(self) -> tuple[LaunchTotals, ...]:
        return tuple(self.found.values())

    def lines(self, kernels: Iterable[Kernel]) -> tuple[LineCost, ...]:
        sums: dict[int, dict[str, int]] = {}

        def add(line: int, **counts: int) -> None:
            at = sums.setdefault(line, {})
            for name, count in counts.items():
                at[name] = at.get(name, 0) + count

        for kernel in kernels:
            for (executions, lanes), info in zip(kernel.segments.tolist(), kernel.lowered.segments, strict=True):
                for line, count in info.lines:
                    add(line, executions=executions * count, lanes=lanes * count)
                if info.barrier_line:
                    add(info.barrier_line, barriers=executions)
            for row, site in zip(kernel.costs.tolist(), kernel.lowered.sites, strict=False):
                cost = dict(zip(COST_FIELDS, row, strict=True))
                add(
                    site.line, requests=cost["requests"] if cost["sectors"] else 0, sectors=cost["sectors"],
                    ideal_sectors=cost["ideal_sectors"], shared_wavefronts=cost["wavefronts"],
                    ideal_wavefronts=cost["ideal_wavefronts"],
                    atomics=cost["requests"] if site.operation == "atomic" else 0,
                )  # fmt: skip
        return tuple(_line(line, at) for line, at in sorted(sums.items()) if line and any(at.values()))


def _line(line: int, at: dict[str, int]) -> LineCost:
    executions, lanes = at.pop("executions", 0), at.pop("lanes", 0)
    return LineCost(line=line, executions=executions, active_lanes=lanes / executions if executions else 0.0, **at)


def _sum(a: LaunchTotals, b: LaunchTotals) -> LaunchTotals:
    changed = {}
    for f in fields(LaunchTotals):
        if f.name not in KEY:
            x, y = getattr(a, f.name), getattr(b, f.name)
            changed[f.name] = max(x, y) if f.name in GREATEST else x + y
    return replace(a, **changed)
