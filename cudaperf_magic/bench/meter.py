"""One task on one device: the case that fills it with its reference, the floor there, and the C's own times.

Made once a task, it is what every candidate of the task is held against. It runs no candidate; trial.py does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock

from cudaperf_magic.bench.architectures import architecture
from cudaperf_magic.bench.calibration import task_labels
from cudaperf_magic.bench.card import ceilings_of
from cudaperf_magic.bench.counters import counted
from cudaperf_magic.bench.counters.metrics import Counts, wanted
from cudaperf_magic.bench.counters.profiling import profiling_of
from cudaperf_magic.bench.filled import Filled, filled
from cudaperf_magic.bench.gpu.messages import Given
from cudaperf_magic.bench.gpu.state import remembers
from cudaperf_magic.bench.gpu.trusted import trusted_cubin
from cudaperf_magic.bench.measuring.baselines import cpu_baselines
from cudaperf_magic.bench.measuring.floor import Floor, floor
from cudaperf_magic.bench.nvrtc import Compiled
from cudaperf_magic.bench.oracle import Oracle
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.roofline import counted_roofline
from cudaperf_magic.bench.sandbox import SharedArrays
from cudaperf_magic.bench.structure import compulsory
from cudaperf_magic.records import Baseline, Label, Structure, Task

_ATOMIC = re.compile(r"^\s*(?:@%?!?\w+\s+)?(?:atom|red)\.", re.M)


@dataclass(frozen=True)
class Built:
    """A program for the filling case."""

    compiled: Compiled
    plan: LaunchPlan

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """What is counted of it."""
        return wanted(self.compiled.ptx)

    @cached_property
    def may_vary_in_order(self) -> bool:
        """Whether its sums may come in another order each time: its outputs may then differ in their last bits."""
        return _ATOMIC.search(self.compiled.ptx) is not None

    @cached_property
    def remembers(self) -> tuple[str, ...]:
        return remembers(self.compiled.ptx)


@dataclass
class Meter:
    """One task on one device. Safe from several threads.

    Args:
        arch: of the device. Making one costs the reference at the filling size, seconds, and once a card what is known
            of it.
    """

    oracle: Oracle
    index: int
    arch: str
    filled: Filled = field(init=False)
    inputs: SharedArrays = field(init=False)

    def __post_init__(self) -> None:
        self.trusted_cubin = trusted_cubin(self.arch)
        self.profiling = profiling_of(self.index, self.trusted_cubin)
        self.profiling.start()  # it opens while the rest is made
        self.filled = filled(self.oracle)
        self.inputs = self.filled.shared or SharedArrays.share(self.filled.reference.inputs)
        self.floor = self._floor()
        note = self.filled.note
        self.labels = (*task_labels(self.oracle), *((Label("not_filled", note),) if note else ()))
        self._lock = Lock()
        self._rooms: list[SharedArrays] = []

    @property
    def task(self) -> Task:
        return self.oracle.task

    @property
    def sizes_bytes(self) -> dict[str, int]:
        """Of each array, on the filling case."""
        inputs = self.filled.reference.inputs
        return {argument.name: inputs[argument.name].nbytes for argument in self.task.arrays}

    @cached_property
    def cpu(self) -> tuple[Baseline, ...]:
        """The C's own times on the filling case. A product of matrices may take one core half a minute: ask late."""
        return cpu_baselines(self.oracle, self.filled)

    def _floor(self) -> Floor:
        ceilings = ceilings_of(self.index, self.arch)
        return floor(self.task, self.oracle.function, self.filled.case, self.sizes_bytes, ceilings)

    def structure(self, counts: Counts, simulated: Structure | None, launches: int) -> Structure:
        """The properties of what was counted on the filling case, beside what the simulator saw on a smaller one."""
        case = self.filled.case
        found = counted.structure(
            counts,
            architecture(self.arch),
            compulsory_bytes=compulsory(self.task, self.sizes_bytes),
            simulated=simulated,
            launches=launches,
            case=case,
        )
        ceilings = ceilings_of(self.index, self.arch)
        return replace(found, roofline=counted_roofline(self.oracle.function, case, counts.dram_bytes, ceilings))

    def given(self) -> tuple[Given, ...]:
        inputs = self.filled.reference.inputs
        found = []
        for argument in self.task.arrays:
            array = inputs[argument.name]
            is_free = argument.values is None and argument.role != "out" and array.dtype.kind == "f"
            dtype = array.dtype.str if array.dtype.fields is None else f"V{array.dtype.itemsize}"
            found.append(Given(argument.name, argument.role, dtype, array.shape, is_free))
        return tuple(found)

    def take_room(self) -> SharedArrays:
        """Room for the outputs of one call; pages that were touched before are taken again first."""
        with self._lock:
            if self._rooms:
                return self._rooms.pop()
        inputs = self.filled.reference.inputs
        written = [a.name for a in self.task.arrays if a.role != "in"]
        return SharedArrays.room({name: (inputs[name].shape, inputs[name].dtype) for name in written})

    def give_room(self, room: SharedArrays) -> None:
        with self._lock:
            self._rooms.append(room)
