"""The C side: the compiler, the prebuilt runtime, and the structures of sim.h. Knows no plan and no array."""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from cudaperf_magic.bench.cache import Cache, key_of
from cudaperf_magic.errors import ToolchainError

T = TypeVar("T")
HERE = Path(__file__).parent
HEADERS = ("sim.h", "cache.h", "cost.h", "faults.h", "races.h", "arith.h", "warp.h")
RUNTIME = (
    "runtime.c", "limits.c", "trace.c", "races.c", "cost.c", "reuse.c", "cache.c", "memory.c", "text.c", "tensor.c",
    "async.c", "rounding.c",
)  # fmt: skip
# Exact IEEE arithmetic, wrapping integers, loads of any type from any memory.
FLAGS = (
    "-shared",
    "-fPIC",
    "-w",
    "-std=gnu11",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-ffp-contract=off",
    "-fno-math-errno",
)
COMPILE_TIMEOUT_S = 120.0
ATTEMPTS = 5  # to load what other processes may remove from the cache at any time
FAULT_ROOM = 512

u16, u32, u64, s32, s64, ptr = (
    ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int32, ctypes.c_int64, ctypes.c_void_p,
)  # fmt: skip


class Fault(ctypes.Structure):
    _fields_ = (
        ("kind", u32), ("site", u32), ("other_site", u32), ("thread", u32), ("other_thread", u32), ("flags", u32),
        ("block", u64), ("other_block", u64), ("address", u64), ("extra", u64),
    )  # fmt: skip


class Card(ctypes.Structure):
    _fields_ = (
        ("multiprocessors", u32), ("l2_partitions", u32), ("fetch_sectors", u32), ("l2_bytes", u64),
    )  # fmt: skip


class Traffic(ctypes.Structure):
    _fields_ = (
        ("l1_sectors", u64), ("l1_hits", u64), ("l2_read_sectors", u64), ("l2_read_hits", u64),
        ("l2_write_sectors", u64), ("l2_atomic_sectors", u64), ("dram_read_sectors", u64), ("dram_write_sectors", u64),
        ("dirty", u64),
    )  # fmt: skip


class Sim(ctypes.Structure):
    _fields_ = (
        ("arena", ptr), ("arena_bytes", u64), ("buffers", ptr), ("buffer_count", u32), ("hints", u32 * 64),
        ("initialised", ptr), ("touched", ptr), ("cells", ptr), ("cell_shift", u32), ("stamp", u32),
        ("first_stamp", u32), ("stamp_block", ptr), ("stamp_room", u32), ("release_time", ptr), ("acquire_time", ptr),
        ("order_room", u64), ("faults", Fault * FAULT_ROOM), ("fault_count", u32), ("fault_kinds", u32 * 32),
        ("faults_a_kind", u32), ("text", ptr), ("text_used", u64), ("text_limit", u64), ("text_cut", u32),
        ("steps", s64), ("cpu_limit_ns", u64), ("turns", u32),
        ("schedule", u32), ("random", u64), ("card", Card), ("traffic", Traffic), ("caches", ptr),
        ("pool", ptr), ("pool_count", u64), ("stopped", u32),
        ("clock", u64), ("first_fault", u32), ("unstarted", u64),
        ("rares", ptr), ("rare_count", u32), ("rare_room", u32), ("reach", ptr),
    )  # fmt: skip


class Launch(ctypes.Structure):
    _fields_ = (
        ("sim", ptr), ("plain", ptr), ("traced", ptr), ("sites", ptr), ("costs", ptr), ("segments", ptr),
        ("segment_instructions", ptr), ("grid", u32 * 3), ("block", u32 * 3), ("shared_bytes", u32),
        ("dynamic_shared", u32), ("static_shared", u32), ("register_bytes", u32), ("local_bytes", u32),
        ("params", ptr), ("symbols", ptr), ("trace_every", u32), ("cooperative", u32), ("check_shared", u32),
        ("cluster", u32 * 3), ("shared_shift", u32), ("crosses", u32), ("l1_bytes", u32), ("resident", u32),
        ("envreg", u64), ("traced_blocks", u64), ("traced_warps", u64),
        ("warp_instructions", u64), ("thread_instructions", u64), ("warp_max", u64), ("block_max", u64),
        ("barriers", u64), ("barrier_slots", u64), ("barrier_lost", u64), ("gaps", ptr), ("gap_count", u32),
        ("worst", ptr), ("begun", u64),
    )  # fmt: skip


class WorstRequest(ctypes.Structure):
    _fields_ = (
        ("addresses", u64 * 32), ("block", u64), ("mask", u32), ("warp", u32), ("space", u32), ("units", u32),
        ("ideal", u32),
    )  # fmt: skip


CELL_BYTES = 32


@functools.cache
def compiler() -> str:
    """The C compiler: $CC, gcc, cc or clang.

    Raises:
        ToolchainError: none of them is there.
    """
    for name in (os.environ.get("CC", ""), "gcc", "cc", "clang"):
        found = shutil.which(name) if name else None
        if found:
            return found
    raise ToolchainError("there is no C compiler, which the simulator needs; apt-get install gcc")


@functools.cache
def machine_flags() -> tuple[str, ...]:
    """Fused multiply-add in hardware where this processor has it; results are the same without."""
    try:
        words = Path("/proc/cpuinfo").read_text().split()
    except OSError:
        return ()
    return ("-mfma",) if "fma" in words else ()


@functools.cache
def _headers_key() -> str:
    return key_of(*((HERE / name).read_bytes() for name in HEADERS))


@dataclass(frozen=True)
class Job:
    """A C text to become a shared object. Equal jobs have equal keys."""

    source: str
    flags: tuple[str, ...]

    @property
    def key(self) -> str:
        return key_of(_headers_key(), self.source, *FLAGS, *self.flags, *machine_flags(), compiler()) + ".so"


def compile_all(jobs: Sequence[Job], cache: Cache) -> list[Path]:
    """The shared objects of all jobs, from the cache or compiled side by side.

    Raises:
        ToolchainError: the compiler refuses our code.
    """
    found = [cache.path(job.key) for job in jobs]
    running: list[tuple[int, subprocess.Popen[bytes], Path]] = []
    for i, job in enumerate(jobs):
        if found[i] is None:
            target = cache.temporary(".so")
            command = [
                compiler(),
                *FLAGS,
                *machine_flags(),
                *job.flags,
                f"-I{HERE}",
                "-x",
                "c",
                "-",
                "-o",
                str(target),
                "-lm",
            ]
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
            running.append((i, process, target))
            assert process.stdin is not None
            try:
                process.stdin.write(job.source.encode())
                process.stdin.close()
            except BrokenPipeError:
                pass  # it died; its words come below
            process.stdin = None
    for i, process, target in running:
        try:
            _, words = process.communicate(timeout=COMPILE_TIMEOUT_S)
        except subprocess.TimeoutExpired as error:
            process.kill()
            process.wait()
            target.unlink(missing_ok=True)
            raise ToolchainError(
                f"{compiler()} needs more than {COMPILE_TIMEOUT_S:.0f} s for one kernel; set CC to gcc"
            ) from error
        if process.returncode != 0:
            target.unlink(missing_ok=True)
            first = words.decode(errors="replace").strip().splitlines()[:1]
            raise ToolchainError(
                f"{compiler()} does not compile the simulator's code ({' '.join(first)}); set CC to gcc"
            )
        found[i] = cache.adopt(target, jobs[i].key)
    return [path for path in found if path is not None]


def runtime_job() -> Job:
    """All runtime files as one translation unit."""
    text = "\n".join(f'#include "{HERE / name}"' for name in RUNTIME[:-1])
    digest = key_of(*((HERE / name).read_bytes() for name in RUNTIME))
    source = f'/* {digest} */\n#define TRACE 0\n{text}\n#include "{HERE / RUNTIME[-1]}"\n'
    return Job(source, ("-O1", "-frounding-math"))  # -O2 gains 8 % when watched, costs 0.5 s once


@functools.cache
def _load_runtime(path: str) -> ctypes.CDLL:
    library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    for name in ("sim_open", "sim_launch", "sim_sizes"):
        getattr(library, name).restype = ctypes.c_int
    sizes = (*(ctypes.sizeof(kind) for kind in (Sim, Launch, Fault)), CELL_BYTES, ctypes.sizeof(Traffic))
    if library.sim_sizes(*sizes) != 0:
        raise ToolchainError(
            "the simulator's C structures differ from Python's on this machine; please report the platform"
        )
    return library


def load(jobs: Sequence[Job], cache: Cache, open_one: Callable[[str], T]) -> list[T]:
    """What `open_one` makes of each job's shared object; what another process has just removed is compiled again.

    Raises:
        ToolchainError: the compiler refuses our code, or what it made cannot be loaded.
    """
    for _ in range(ATTEMPTS):
        try:
            return [open_one(str(path)) for path in compile_all(jobs, cache)]
        except OSError as error:
            for job in jobs:
                cache.drop(job.key)
            last = error
    raise ToolchainError(f"what {compiler()} made cannot be loaded ({last}); see `cudaperf doctor`")


def runtime(cache: Cache) -> ctypes.CDLL:
    return load([runtime_job()], cache, _load_runtime)[0]


@functools.lru_cache(maxsize=256)
def warp_function(path: str) -> int:
    """Address of `run_warp` in a kernel's shared object. The runtime must be loaded before.

    Raises:
        OSError: the file is not there, or is no shared object.
    """
    library = ctypes.CDLL(path)
    _HELD.append(library)
    address = ctypes.cast(library.run_warp, ctypes.c_void_p).value
    assert address is not None
    return address


_HELD: list[ctypes.CDLL] = []  # a loaded kernel stays loaded: its address may be in use
