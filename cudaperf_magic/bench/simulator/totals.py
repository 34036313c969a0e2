"""The runtime's counters -> costs by launch and by source line. Counts nothing itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudaperf_magic.bench.plan import Launch
from cudaperf_magic.bench.simulator import native
from cudaperf_magic.bench.simulator.kernel import COST_FIELDS, Kernel
from cudaperf_magic.bench.simulator.result import SECTOR_BYTES, AccessCost, Costliest, LaunchTotals
from cudaperf_magic.records import LineCost

COLUMN = {name: i for i, name in enumerate(COST_FIELDS)}
# Counters of a launch record that start again for each entry.
RUNNING = (
    "traced_blocks", "traced_warps", "warp_instructions", "thread_instructions", "warp_max", "block_max", "barriers",
    "barrier_slots", "barrier_lost",
)  # fmt: skip
GREATEST = ("busiest_warp", "busiest_block", "worst_collision", "dirty_bytes")
ACCESSES = ("load", "store", "atomic")
# Of the modelled traffic: sums in sectors, by the name that both sides have for them.
TRAFFIC = ("l1_sectors", "l1_hits", "l2_read_sectors", "l2_read_hits", "l2_write_sectors", "l2_atomic_sectors")
KEY = ("kernel", "line", "grid", "block", "shared_bytes")
# Which count decides between the costliest lines of two entries.
DECIDES = {
    "issued": "warp_instructions", "waited": "barrier_lost", "collided": "collisions", "read_again": "again_words"
}  # fmt: skip


@dataclass
class _Open:
    """Launches of one kernel, alike and one after the other, whose counters still run."""

    step: Launch
    times: int = 0
    dirty_sectors: int = 0  # after the last of them
    traffic: dict[str, int] = field(default_factory=dict)


class Totals:
    """Adds up launches; equal ones (kernel, shape, line) become one entry that says how many they were."""

    def __init__(self) -> None:
        self.found: dict[tuple[object, ...], LaunchTotals] = {}
        self.open: dict[str, _Open] = {}
        self.before: dict[str, tuple[NDArray[np.uint64], int]] = {}
        self.traffic: dict[str, int] = {}

    def add(self, step: Launch, kernel: Kernel, sim: native.Sim) -> None:
        """Notes a launch that has just run. Cheap while launches are alike: a host loop may make thousands."""
        now = self.open.get(step.kernel)
        assert now is None or _shape(now.step) == _shape(step), "settle() comes before a launch of another shape"
        if now is None:
            now = self.open[step.kernel] = _Open(step)
        now.times += 1
        for name in (*TRAFFIC, "dram_read_sectors", "dram_write_sectors"):
            count = int(getattr(sim.traffic, name))
            now.traffic[name] = now.traffic.get(name, 0) + count - self.traffic.get(name, 0)
            self.traffic[name] = count
        now.dirty_sectors = sim.traffic.dirty

    def settle(self, kernel: Kernel, coming: Launch) -> None:
        """Closes the kernel's running entry when the launch to come is of another shape."""
        now = self.open.get(coming.kernel)
        if now is not None and _shape(now.step) != _shape(coming):
            self.close(kernel, coming.kernel)

    def close(self, kernel: Kernel, name: str) -> None:
        now = self.open.pop(name, None)
        if now is None:
            return
        start = self.before.get(name, (np.zeros_like(kernel.costs), 0))
        flops = _flops(kernel)
        entry = _entry(kernel, now, kernel.costs - start[0], flops - start[1])
        self.before[name] = (kernel.costs.copy(), flops)
        for counter in RUNNING:
            setattr(kernel.record, counter, 0)
        key = tuple(getattr(entry, part) for part in KEY)
        self.found[key] = _sum(self.found[key], entry) if key in self.found else entry

    def launches(self, kernels: dict[str, Kernel]) -> tuple[LaunchTotals, ...]:
        for name in tuple(self.open):
            self.close(kernels[name], name)
        return tuple(self.found.values())


def _shape(step: Launch) -> tuple[object, ...]:
    return step.grid, step.block, step.shared_bytes, step.line


def _flops(kernel: Kernel) -> int:
    infos = kernel.lowered.segments
    return sum(int(s[1]) * info.flops for s, info in zip(kernel.segments, infos, strict=True) if info.flops)


def _entry(kernel: Kernel, now: _Open, costs: NDArray[np.uint64], flops: int) -> LaunchTotals:
    record, step, sites = kernel.record, now.step, kernel.lowered.sites
    operations = np.array([s.operation for s in sites] or [""])  # a kernel without sites has one row of costs
    is_access, loads, atomics = np.isin(operations, ACCESSES), operations == "load", operations == "atomic"
    combined = np.array([s.is_combined for s in sites] or [False])
    in_global = is_access & (costs[:, COLUMN["sectors"]] > 0)

    def total(name: str, where: NDArray[np.bool_] = is_access) -> int:
        return int(costs[where, COLUMN[name]].sum())

    return LaunchTotals(
        kernel=step.kernel,
        line=step.line,
        grid=step.grid,
        block=step.block,
        shared_bytes=record.shared_bytes - kernel.lowered.gap_bytes,
        times=now.times,
        traced_blocks=record.traced_blocks,
        warps=record.traced_warps,
        warp_instructions=record.warp_instructions,
        thread_instructions=record.thread_instructions,
        busiest_warp=record.warp_max,
        busiest_block=record.block_max,
        barriers=record.barriers,
        barrier_slots=record.barrier_slots,
        barrier_lost=record.barrier_lost,
        requests=total("requests", in_global),
        load_bytes=total("bytes", in_global & loads),
        store_bytes=total("bytes", in_global & ~loads),
        sectors=total("sectors"),
        ideal_sectors=total("ideal_sectors"),
        local_requests=total("requests", is_access & (costs[:, COLUMN["local_sectors"]] > 0)),
        local_sectors=total("local_sectors"),
        wavefronts=total("wavefronts"),
        ideal_wavefronts=total("ideal_wavefronts"),
        atomics=total("requests", atomics),
        collisions=total("collisions"),
        combined_collisions=_combined_collisions(costs[combined]),
        worst_collision=int(kernel.costs[:, COLUMN["worst_collision"]].max(initial=0)),
        warp_words=total("warp_words"),
        again_words=total("again_words"),
        met_words=total("met_words"),
        costliest=_costliest(kernel, costs, combined),
        flops=flops,
        dram_read_bytes=now.traffic["dram_read_sectors"] * SECTOR_BYTES,
        dram_write_bytes=now.traffic["dram_write_sectors"] * SECTOR_BYTES,
        dirty_bytes=now.dirty_sectors * SECTOR_BYTES,
        **{name: now.traffic[name] for name in TRAFFIC},
    )


def _combined_collisions(costs: NDArray[np.uint64]) -> int:
    met, requests = (costs[:, COLUMN[name]].astype(np.int64) for name in ("collisions", "requests"))
    return int(np.maximum(met - requests, 0).sum())


def _costliest(kernel: Kernel, costs: NDArray[np.uint64], combined: NDArray[np.bool_]) -> Costliest:
    issued: dict[int, int] = {}
    for (executions, _), info in zip(kernel.segments.tolist(), kernel.lowered.segments, strict=True):
        for line, count in info.lines:
            issued[line] = issued.get(line, 0) + executions * count

    def most(name: str, where: NDArray[np.bool_] | None = None) -> int:
        found: dict[int, int] = {}
        for i, site in enumerate(kernel.lowered.sites):
            if where is None or where[i]:
                found[site.line] = found.get(site.line, 0) + int(costs[i, COLUMN[name]])
        return _most(found)

    return Costliest(_most(issued), most("waited"), most("collisions", ~combined), most("again_words"))


def _most(counts: Mapping[int, int]) -> int:
    """The line that has most, the first of several; 0 when none has any."""
    best = max((line for line in counts if line), key=lambda line: (counts[line], -line), default=0)
    return best if counts.get(best) else 0


def line_costs(kernels: Iterable[Kernel]) -> tuple[LineCost, ...]:
    """What each source line cost, over all kernels and launches."""
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
                site.line,
                requests=cost["requests"] if cost["sectors"] else 0,
                sectors=cost["sectors"],
                ideal_sectors=cost["ideal_sectors"],
                shared_wavefronts=cost["wavefronts"],
                ideal_wavefronts=cost["ideal_wavefronts"],
                atomics=cost["requests"] if site.operation == "atomic" else 0,
                local_sectors=cost["local_sectors"],
                l1_missed_sectors=cost["l1_missed"],
                dram_read_bytes=cost["dram_bytes"],
            )
    return tuple(_line(line, at) for line, at in sorted(sums.items()) if line and any(at.values()))


def access_costs(kernels: Mapping[str, Kernel]) -> tuple[AccessCost, ...]:
    """What each memory instruction cost, in the order of the PTX."""
    found: list[AccessCost] = []
    for name, kernel in kernels.items():
        for row, site in zip(kernel.costs.tolist(), kernel.lowered.sites, strict=False):
            if site.operation in ACCESSES:
                requests, lanes, sectors, local, wavefronts = (
                    row[COLUMN[c]] for c in ("requests", "lanes", "sectors", "local_sectors", "wavefronts")
                )
                where = (name, site.line, site.space, site.operation, site.size)
                found.append(AccessCost(*where, requests, lanes, sectors + local, wavefronts))
    return tuple(found)


def _line(line: int, at: dict[str, int]) -> LineCost:
    executions, lanes = at.pop("executions", 0), at.pop("lanes", 0)
    return LineCost(line=line, executions=executions, active_lanes=lanes / executions if executions else 0.0, **at)


def _sum(a: LaunchTotals, b: LaunchTotals) -> LaunchTotals:
    changed: dict[str, Any] = {}
    for f in fields(LaunchTotals):
        if f.name == "costliest":
            changed[f.name] = Costliest(**{
                kind: getattr((a if getattr(a, count) >= getattr(b, count) else b).costliest, kind)
                for kind, count in DECIDES.items()
            })
        elif f.name not in KEY:
            x, y = getattr(a, f.name), getattr(b, f.name)
            changed[f.name] = max(x, y) if f.name in GREATEST else x + y
    return replace(a, **changed)
