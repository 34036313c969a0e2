"""One kernel made ready to launch: lowered, compiled, loaded, its arguments packed. Runs nothing."""

from __future__ import annotations

import ctypes
import functools
import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudaperf_magic.bench.architectures import REGISTERS, Architecture
from cudaperf_magic.bench.cache import Cache
from cudaperf_magic.bench.nvrtc import Compiled
from cudaperf_magic.bench.occupancy import occupancy
from cudaperf_magic.bench.plan import KernelArgument, Launch, LaunchPlan, Pointer, Struct
from cudaperf_magic.bench.simulator import native
from cudaperf_magic.bench.simulator.access import OPERATIONS, SPACES
from cudaperf_magic.bench.simulator.arena import GRID_BARRIER, Arena
from cudaperf_magic.bench.simulator.lower import Lowered, lower, parameter_offsets
from cudaperf_magic.bench.simulator.ptx import Module
from cudaperf_magic.bench.simulator.ptx_reader import parse
from cudaperf_magic.errors import Unsupported, UsageError

COST_FIELDS = (
    "requests", "lanes", "bytes", "sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts", "collisions",
    "worst_collision", "l1_missed", "dram_bytes", "local_sectors", "warp_words", "again_words", "met_words", "waited",
)  # fmt: skip
MAX_THREADS, MAX_BLOCK, MAX_GRID = 1024, (1024, 1024, 64), (2**31 - 1, 65535, 65535)
FEW_THREADS = 1 << 14  # below, compiling fast matters more than running fast
PARAMETER_ROOM = 32768 + 64  # PARAM_BYTES of sim.h, and what a wide load may read past it


@dataclass
class Kernel:
    """`record` is the runtime's own; everything it points to is held here."""

    lowered: Lowered
    record: native.Launch
    costs: NDArray[np.uint64]
    segments: NDArray[np.uint64]
    params: NDArray[np.uint8]
    offsets: dict[str, int]
    held: list[Any] = field(default_factory=list)
    worst: Any = ()  # by site, when it is asked for: native.WorstRequest

    @property
    def segment_lines(self) -> list[int]:
        return [info.lines[-1][0] if info.lines else 0 for info in self.lowered.segments]

    def bind(self, sim: native.Sim, arena: Arena) -> None:
        """Points the record at the run's state and at the module's variables."""
        symbols = np.array([arena.address(Pointer(f"::{name}")) for name in self.lowered.symbols] or [0], np.uint64)
        self.held += [symbols, sim]
        self.record.symbols = symbols.ctypes.data
        self.record.envreg = arena.address(Pointer(GRID_BARRIER))
        self.record.sim = ctypes.addressof(sim)


def load_kernels(
    compiled: Compiled, module: Module, plan: LaunchPlan, instrument: str, cache: Cache
) -> dict[str, Kernel]:
    """The plan's kernels by the name they are launched with."""
    threads: dict[str, int] = {}
    for launch in plan.launches:
        size = launch.grid[0] * launch.grid[1] * launch.grid[2] * launch.block[0] * launch.block[1] * launch.block[2]
        threads[launch.kernel] = threads.get(launch.kernel, 0) + size
    for launch in plan.launches:
        if launch.cluster and launch.cluster != (1, 1, 1):
            raise Unsupported("clusters of more than one block", launch.line)
    lowered = {name: _lowered(compiled.ptx, mangled_name(compiled, module, name)) for name in plan.kernels}
    jobs: list[native.Job] = []
    wanted: list[tuple[str, str]] = []
    for name, text in lowered.items():
        optimise = "-O0" if threads[name] < FEW_THREADS else "-O1"
        for kind, flag in (("plain", "-DTRACE=0"), ("traced", "-DTRACE=1")):
            if (kind == "plain" and instrument != "all") or (kind == "traced" and instrument != "none"):
                jobs.append(native.Job(text.c_source, (optimise, flag)))
                wanted.append((name, kind))
    functions = native.load(jobs, cache, native.warp_function)
    kernels = {name: _kernel(text) for name, text in lowered.items()}
    for (name, kind), function in zip(wanted, functions, strict=True):
        setattr(kernels[name].record, kind, function)
    return kernels


@functools.lru_cache(maxsize=64)
def read_module(ptx: str) -> Module:
    """The module, read once. Lowering a kernel adds to it the variables that the kernel declares for all threads."""
    return parse(ptx)


@functools.lru_cache(maxsize=256)
def _lowered(ptx: str, name: str) -> Lowered:
    return lower(read_module(ptx), name)


def mangled_name(compiled: Compiled, module: Module, name: str) -> str:
    """The PTX name of a kernel as it is launched.

    Raises:
        UsageError: the build has no such kernel.
    """
    found = compiled.mangled.get(name)
    if found in module.functions:
        return found
    kernels = [f.name for f in module.functions.values() if f.is_kernel]
    matching = [k for k in kernels if k == name or k.startswith(f"_Z{len(name)}{name}")]
    if len(matching) == 1:
        return matching[0]
    raise UsageError(f"the build holds no kernel {name}; pass its name to build(names=...)")


def _kernel(lowered: Lowered) -> Kernel:
    sites = np.zeros(
        max(1, len(lowered.sites)),
        np.dtype([("space", "u2"), ("op", "u2"), ("size", "u2"), ("flags", "u2"), ("line", "i4")]),
    )
    for i, site in enumerate(lowered.sites):
        sites[i] = (
            SPACES.index(site.space),
            OPERATIONS.index(site.operation),
            site.size,
            site.flags,
            site.line,
        )
    costs = np.zeros((len(sites), len(COST_FIELDS)), np.uint64)
    segments = np.zeros((len(lowered.segments), 2), np.uint64)
    instructions = np.array([info.instructions for info in lowered.segments], np.uint32)
    params = np.zeros(PARAMETER_ROOM, np.uint8)
    record = native.Launch()
    record.sites, record.costs, record.segments = sites.ctypes.data, costs.ctypes.data, segments.ctypes.data
    record.segment_instructions, record.params = instructions.ctypes.data, params.ctypes.data
    record.static_shared, record.register_bytes = lowered.shared_room, lowered.register_bytes
    gaps = np.array(lowered.shared_gaps, np.uint32).reshape(-1)
    record.gaps, record.gap_count = gaps.ctypes.data, len(lowered.shared_gaps)
    record.local_bytes, record.check_shared = lowered.local_bytes, 1
    record.shared_shift = 0 if lowered.uses_narrow_shared else 2
    record.crosses = int(any(site.orders_warps for site in lowered.sites))
    return Kernel(
        lowered, record, costs, segments, params, parameter_offsets(lowered.parameters), [sites, instructions, gaps]
    )


def refused(step: Launch, kernel: Kernel, compiled: Compiled, arch: Architecture) -> str | None:
    """Why this GPU would refuse this launch; None when it would not."""
    threads = step.block[0] * step.block[1] * step.block[2]
    if min(step.grid) < 1 or min(step.block) < 1:
        shape = f"grid {step.grid} and block {step.block}"
        return f"a launch of {step.kernel} with {shape}: no size may be zero; guard it with an if"
    if threads > MAX_THREADS or any(a > b for a, b in zip(step.block, MAX_BLOCK, strict=True)):
        return f"a block of {step.block} has {threads} threads; a block may have {MAX_THREADS} at most, and 64 along z"
    bound = kernel.lowered.most_threads
    if bound and threads > bound:
        return f"a block of {threads} threads, but {step.kernel} was compiled for {bound} at most (__launch_bounds__)"
    if any(a > b for a, b in zip(step.grid, MAX_GRID, strict=True)):
        return f"a grid of {step.grid} is too large; y and z may be 65535 at most"
    given, taken = len(step.arguments), len(kernel.lowered.parameters)
    if given != taken:
        return f"{step.kernel} takes {taken} arguments, the launch gives {given}"
    return _no_room(step, kernel, compiled, arch)


def _no_room(step: Launch, kernel: Kernel, compiled: Compiled, arch: Architecture) -> str | None:
    """What of a multiprocessor, or of all of them together, does not suffice for this launch."""
    threads = step.block[0] * step.block[1] * step.block[2]
    shared = kernel.lowered.static_shared_bytes + step.shared_bytes
    if shared > arch.most_shared:
        have = f"a block has {arch.most_shared} at most on {arch.name}"
        return f"{step.kernel} asks for {shared} bytes of shared memory a block; {have}"
    registers = registers_of(kernel, compiled)
    blocks = occupancy(arch, threads, registers, shared).blocks
    if blocks == 0:
        need = f"{step.kernel} needs {registers} registers a thread"
        return f"{need}; {threads} threads a block need more than the {REGISTERS} of an SM"
    asked, most = step.grid[0] * step.grid[1] * step.grid[2], blocks * arch.multiprocessors
    if step.is_cooperative and asked > most:
        room = f"{most} of its blocks can be resident on an {arch.device}"
        return f"{step.kernel} is launched cooperatively with {asked} blocks; {room}: let each block do more"
    return None


def registers_of(kernel: Kernel, compiled: Compiled) -> int:
    """Registers a thread, as ptxas says; 0 when it was not asked."""
    return next((k.registers for k in compiled.build.kernels if k.name == kernel.lowered.name), 0)


def set_arguments(kernel: Kernel, step: Launch, arena: Arena) -> None:
    for parameter, argument in zip(kernel.lowered.parameters, step.arguments, strict=True):
        at = kernel.offsets[parameter.name]
        data = packed(argument, parameter.size, arena)
        kernel.params[at : at + len(data)] = np.frombuffer(data, np.uint8)


def packed(argument: KernelArgument, size: int, arena: Arena) -> bytes:
    """An argument's bytes, as wide as the kernel's parameter."""
    if isinstance(argument, Pointer):
        return arena.address(argument).to_bytes(8, "little")
    if isinstance(argument, Struct):
        return argument.placed(arena.address)[:size].ljust(size, b"\0")
    words = argument.c_type.replace("const", "").split()
    if words in (["float"], ["double"]):
        return struct.pack("<f" if size == 4 else "<d", argument.value)
    if words == ["half"] or words == ["__half"]:
        return struct.pack("<e", argument.value)
    return (int(argument.value) & ((1 << 8 * size) - 1)).to_bytes(size, "little")
