"""Runs a LaunchPlan on arrays without a GPU: `simulate`. What a candidate does wrong comes back as faults, not raised.

It does not judge results (verify.py does) and claims no time. Run it in a child process: it compiles and loads C.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cudaperf_magic.bench.architectures import architecture
from cudaperf_magic.bench.cache import Cache
from cudaperf_magic.bench.nvrtc import Compiled
from cudaperf_magic.bench.plan import Allocate, Copy, Fill, Free, Launch, LaunchPlan, Pointer
from cudaperf_magic.bench.simulator import caches, native
from cudaperf_magic.bench.simulator.arena import Arena, copy_back, lay_out
from cudaperf_magic.bench.simulator.faults import SHARED_RACE, Context, SharedArray, tell
from cudaperf_magic.bench.simulator.function_pointers import function_addresses
from cudaperf_magic.bench.simulator.kernel import Kernel, load_kernels, read_module, refused, set_arguments
from cudaperf_magic.bench.simulator.result import SimulatorResult
from cudaperf_magic.bench.simulator.totals import Totals, access_costs, line_costs
from cudaperf_magic.bench.simulator.worst import make_room, worst_requests
from cudaperf_magic.records import Fault

Instrument = Literal["none", "sampled", "all"]
Schedule = Literal["forward", "reverse", "shuffled"]
SCHEDULES = ("forward", "reverse", "shuffled")
STEP_LIMIT, UNLIMITED_STEPS = 50_000_000, 1 << 62
PRINTF_LIMIT_BYTES = 1 << 20
SAMPLED_BLOCKS = 8
FAULTS_A_KIND = 8
ORDER_ROOM = 1 << 16  # blocks whose releases and acquires are remembered


def simulate(
    compiled: Compiled,
    plan: LaunchPlan,
    arrays: dict[str, NDArray[Any]],
    *,
    instrument: Instrument = "all",
    schedule: Schedule = "forward",
    seed: int = 0,
    step_limit: int = STEP_LIMIT,
    cpu_limit_s: float = 0.0,
    printf_limit_bytes: int = PRINTF_LIMIT_BYTES,
    poison_workspace: bool = True,
    initialised: Mapping[str, bool] | None = None,
    check_global_races: bool = True,
    observe: bool = False,
    device: str = "",
    cache: Cache | None = None,
) -> SimulatorResult:
    """Runs the plan's steps in order on `arrays`, which are modified in place.

    Args:
        compiled: a successful build that names the plan's kernels.
        arrays: the buffers of the plan by name, C-contiguous; workspaces are made by the plan's own steps.
        instrument: which blocks are watched: none, about eight of each launch, or all. Only watched blocks have costs
            and checks of races, uninitialised reads and exact bounds.
        schedule: the order in which blocks, warps and lanes run.
        step_limit: loop iterations of warps, barriers and blocks, of the whole plan, before a run is called endless.
        cpu_limit_s: processor time of the whole plan before a run is called endless; 0: any.
        initialised: which arrays hold values before the run; those not named do.
        observe: also keep the worst request of each line, and how far each buffer was accessed.
        device: the card whose caches are modelled ("H200"); by default the one that stands for the build's target.

    Raises:
        Unsupported: an instruction that the simulator lacks.
        ToolchainError: no C compiler.
    """
    run = _Run(compiled, plan, arrays, cache or Cache(), instrument, schedule, seed, device)
    run.limit(step_limit, cpu_limit_s)
    run.prepare(printf_limit_bytes, poison_workspace, initialised, check_global_races, observe)
    try:
        run.steps(poison_workspace)
    finally:
        run.close()
    return run.result()


class _Run:
    """One call of `simulate`: the runtime's state and everything that must outlive it."""

    def __init__(
        self,
        compiled: Compiled,
        plan: LaunchPlan,
        arrays: dict[str, NDArray[Any]],
        cache: Cache,
        instrument: Instrument,
        schedule: Schedule,
        seed: int,
        device: str,
    ) -> None:
        self.compiled, self.plan, self.arrays, self.seed = compiled, plan, arrays, seed
        self.instrument, self.schedule = instrument, schedule
        self.runtime = native.runtime(cache)
        self.module = read_module(compiled.ptx)
        self.kernels = load_kernels(compiled, self.module, plan, instrument, cache)
        self.arch = architecture(device or compiled.build.arch)
        self.sim = native.Sim()
        self.faults: list[Fault] = []
        self.seen = 0
        self.totals = Totals()
        self.held: list[Any] = []

    def limit(self, steps: int, cpu_s: float) -> None:
        self.sim.steps = steps
        self.sim.cpu_limit_ns = time.thread_time_ns() + max(1, int(cpu_s * 1e9)) if cpu_s else 0

    def prepare(
        self,
        printf_limit: int,
        poison: bool,
        initialised: Mapping[str, bool] | None,
        check_races: bool,
        observe: bool,
    ) -> None:
        sim, traced, whole = self.sim, self.instrument != "none", self.instrument == "all"
        variables = {n: v for n, v in self.module.variables.items() if v.space in ("global", "const")}
        tracked = dict(initialised or {}) if whole and poison else None
        self.arena: Arena = lay_out(self.plan, self.arrays, variables, tracked, function_addresses(self.module))
        sim.arena, sim.arena_bytes = self.arena.base, len(self.arena.memory)
        sim.initialised = self.arena.initialised.ctypes.data if self.arena.initialised is not None else None
        sim.schedule, sim.random = (
            SCHEDULES.index(self.schedule),
            (self.seed * 2 + 1) * 0x9E3779B97F4A7C15 & (2**64 - 1),
        )
        sim.faults_a_kind = FAULTS_A_KIND
        sim.text_limit = printf_limit
        sim.text = self._zeros(printf_limit + 1, np.uint8)
        if traced:
            self.touched = np.zeros(len(self.arena.memory) // 32 + 1, np.uint8)
            sim.touched = self.touched.ctypes.data
            sim.card = caches.card_of(self.arch)
        if traced and check_races:
            sim.cell_shift = 0 if any(kernel.lowered.uses_narrow_global for kernel in self.kernels.values()) else 2
            sim.cells = self._zeros(((len(self.arena.memory) >> sim.cell_shift) + 1) * native.CELL_BYTES, np.uint8)
            sim.release_time, sim.acquire_time = self._zeros(ORDER_ROOM, np.uint32), self._zeros(ORDER_ROOM, np.uint32)
            sim.order_room = ORDER_ROOM
        self.arena.notes_reach = traced and observe
        self.arena.list_buffers(sim)
        for kernel in self.kernels.values() if traced and observe else ():
            make_room(kernel)
        if self.runtime.sim_open(ctypes.byref(sim)) != 0:
            raise MemoryError("the simulator cannot allocate its state")

    def _zeros(self, count: int, kind: type[np.generic]) -> int:
        array = np.zeros(count, kind)
        self.held.append(array)
        return int(array.ctypes.data)

    # ---- the plan ----

    def steps(self, poison: bool) -> None:
        for step in self.plan.steps:
            if isinstance(step, Launch):
                self.launch(step)
            elif isinstance(step, Allocate):
                self.arena.allocate(step, poison, self.seed)
                self.arena.list_buffers(self.sim)
            elif isinstance(step, Free):
                if step.buffer in self.arena.regions:
                    self.arena.regions[step.buffer].is_live = False
                self.arena.list_buffers(self.sim)
            elif isinstance(step, Fill):
                self.fill(step)
            else:
                self.copy(step)
            if self.sim.stopped or self.is_late():
                break
        copy_back(self.arena, self.arrays)

    def is_late(self) -> bool:
        """Whether copies and fills, which the runtime does not see, have used up the processor time."""
        late = bool(0 < self.sim.cpu_limit_ns < time.thread_time_ns())
        if late:
            self.faults.append(Fault("limit", "its many steps use up the limit of processor time; do more in each"))
            self.sim.stopped = 1
        return late

    def fill(self, step: Fill) -> None:
        place = self.arena.bytes_at(step.target, step.size_bytes)
        if place is None:
            self.faults.append(_leaves(step.target, step.size_bytes, "cudaMemset"))
            return
        self.arena.memory[place] = step.byte & 0xFF
        if self.arena.initialised is not None:
            self.arena.initialised[place] = 1

    def copy(self, step: Copy) -> None:
        target = self.arena.bytes_at(step.target, step.size_bytes)
        source = self.arena.bytes_at(step.source, step.size_bytes)
        if target is None or source is None:
            bad = step.target if target is None else step.source
            self.faults.append(_leaves(bad, step.size_bytes, "cudaMemcpy"))
            return
        self.arena.memory[target] = self.arena.memory[source].copy()
        if self.arena.initialised is not None:
            self.arena.initialised[target] = self.arena.initialised[source].copy()

    def launch(self, step: Launch) -> None:
        kernel = self.kernels[step.kernel]
        problem = refused(step, kernel, self.compiled, self.arch)
        if problem:
            self.faults.append(Fault("launch", problem, line=step.line or None, kernel=step.kernel))
            self.sim.stopped = 1
            return
        record = kernel.record
        if not record.symbols:
            kernel.bind(self.sim, self.arena)
        set_arguments(kernel, step, self.arena)
        record.grid[:], record.block[:] = step.grid, step.block
        record.dynamic_shared = step.shared_bytes
        record.shared_bytes = kernel.lowered.shared_room + step.shared_bytes
        blocks = step.grid[0] * step.grid[1] * step.grid[2]
        record.trace_every = {"none": 0, "all": 1, "sampled": max(1, blocks // SAMPLED_BLOCKS)}[self.instrument]
        record.cooperative = int(step.is_cooperative)
        if self.instrument != "none":
            record.resident, record.l1_bytes = caches.share_of(self.arch, step, kernel, self.compiled)
        self.totals.settle(kernel, step)
        self.runtime.sim_launch(ctypes.byref(record))
        if self.instrument != "none":
            self.totals.add(step, kernel, self.sim)
        if self.sim.fault_count > self.seen:
            self.tell_faults(step, kernel)
        if self.sim.stopped and not self.faults:
            raise MemoryError(f"the simulator has no memory for the blocks of {step.kernel}")

    def tell_faults(self, step: Launch, kernel: Kernel) -> None:
        found = [self.sim.faults[i] for i in range(self.seen, self.sim.fault_count)]
        context = Context(
            kernel=step.kernel,
            block=step.block,
            grid=step.grid,
            sites=kernel.lowered.sites,
            extents=self.arena.extents,
            freed=self.arena.freed,
            shared=_shared_arrays(kernel, step),
            arguments=tuple(a.buffer if isinstance(a, Pointer) and not a.offset_bytes else "" for a in step.arguments),
            segment_lines=kernel.segment_lines,
            text=self.printed,
            source=self.compiled.source,
            races=[fault for fault in found if fault.kind == SHARED_RACE],
        )
        self.faults += [tell(fault, context) for fault in found]
        self.seen = self.sim.fault_count

    def printed(self) -> str:
        return ctypes.string_at(self.sim.text, self.sim.text_used).decode(errors="replace")

    def close(self) -> None:
        self.runtime.sim_close(ctypes.byref(self.sim))

    def result(self) -> SimulatorResult:
        self.arena.settle_reach()
        unique = int(np.count_nonzero(self.touched)) * 32 if self.instrument != "none" else 0
        passes = int(np.count_nonzero(self.touched & 1) + np.count_nonzero(self.touched & 2)) if unique else 0
        return SimulatorResult(
            faults=tuple(self.faults),
            lines=line_costs(self.kernels.values()) if self.instrument != "none" else (),
            launches=self.totals.launches(self.kernels),
            accesses=access_costs(self.kernels) if self.instrument != "none" else (),
            text=self.printed(),
            unique_bytes=unique,
            compulsory_bytes=passes * 32,
            is_complete=not self.sim.stopped,
            worst=worst_requests(self.kernels.items(), self.arena) if self.arena.notes_reach else (),
            reached=tuple((r.name, r.reach) for r in self.arena.regions.values() if self.arena.notes_reach),
        )


def _shared_arrays(kernel: Kernel, step: Launch) -> tuple[SharedArray, ...]:
    return tuple(
        SharedArray(name, start, size or step.shared_bytes, is_dynamic=not size)
        for name, start, size in kernel.lowered.shared_arrays
    )


def _leaves(pointer: Pointer, size: int, call: str) -> Fault:
    message = f"{call} of {size} bytes at byte {pointer.offset_bytes} of {pointer.buffer} leaves the buffer"
    return Fault("out_of_bounds", message)
