"""The person's C on the CPU, timed: on one core as anyone compiles it, and on all cores where its loops allow it.

What ran is held against the reference before its time counts. Times are kept on disk by task, case, compiler and
processor. They are measured apart from any candidate, and named in full; nothing here compares the two.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from numpy.typing import NDArray

from cudaperf_magic.bench.cache import Cache, key_of
from cudaperf_magic.bench.compare import compare
from cudaperf_magic.bench.filled import MEMORY_BYTES, Filled
from cudaperf_magic.bench.oracle import Oracle
from cudaperf_magic.bench.reference.build import (
    ONLY_WRAPPER,
    c_compiler,
    person_options,
    processor_flag,
    shared_object,
    wrapped_source,
)
from cudaperf_magic.bench.reference.fast_build import has_openmp
from cudaperf_magic.bench.reference.fast_c import fast_c
from cudaperf_magic.bench.reference.fast_run import outputs_of, pointers
from cudaperf_magic.bench.reference.run import STACK_BYTES, at_path
from cudaperf_magic.bench.resources import cores
from cudaperf_magic.bench.sandbox import Finished, SharedArrays, run_in_child
from cudaperf_magic.records import Argument, Baseline
from cudaperf_magic.tasks.plain import orders_of

# What a person gets from `gcc -O3 -march=native`: fused multiply-adds, and overflow and aliasing left open.
AS_ANYONE = ("-O3", "-march=native", "-ffp-contract=fast", "-fno-wrapv", "-fstrict-aliasing")
# For C that leans on what its compiler does where the standard leaves it open.
CAREFUL = ("-O3", "-march=native", "-ffp-contract=fast")
SAMPLES, ENOUGH_S = 5, 2.0  # as many calls after a first that is not counted; that one counts when it takes so long
LATE_S = 45.0  # a program that takes longer is left out

Array = NDArray[Any]


@dataclass(frozen=True)
class _Program:
    """One way to run the C. `symbol`: how it is called; threads: 1 is one core, to which it is pinned."""

    name: str
    text: str
    options: tuple[str, ...]
    is_person: bool
    threads: int

    @property
    def symbol(self) -> str:
        return "cudaperf_reference_call" if self.is_person else "cp_fast"


def cpu_baselines(oracle: Oracle, filled: Filled) -> tuple[Baseline, ...]:
    """The C's times on the case of `filled`: on one core first, then on all. One whose results are wrong is left out.

    Raises:
        TaskError: the C compiler refuses the person's text. ToolchainError: there is no C compiler.
    """
    store = Cache()
    key = _key(oracle, filled)
    kept = store.read(key)
    if kept is not None:
        return tuple(Baseline(name, tuple(samples)) for name, samples in json.loads(kept))
    found = [_timed(oracle, filled, programs) for programs in _programs(oracle) if _ends(filled, programs[0])]
    done = tuple(one for one in found if one is not None)
    if done:
        store.write(key, json.dumps([(one.name, one.samples_us) for one in done]).encode())
    return done


def _ends(filled: Filled, program: _Program) -> bool:
    """Whether it can end in time, by what the C took as the reference, perhaps on all cores."""
    taken_s = filled.seconds[0] if filled.seconds else 0.0
    return taken_s < LATE_S and (program.threads > 1 or not filled.on_all_cores or taken_s * cores() < LATE_S)


def _key(oracle: Oracle, filled: Filled) -> str:
    parts = (oracle.task.key, repr(filled.case), compiler_name(), processor_flag(), str(cores()), repr(AS_ANYONE))
    return f"baseline-{key_of(*parts)}"


@cache
def compiler_name() -> str:
    """ "gcc 13.3.0" of the compiler that is used."""
    words = subprocess.run([c_compiler(), "--version"], capture_output=True, text=True, timeout=30).stdout.split("\n")[
        0
    ]
    version = next((word for word in reversed(words.split()) if word[0].isdigit() and "." in word), "")
    return f"{'clang' if 'clang' in words else 'gcc'} {version}".strip()


def _programs(oracle: Oracle) -> list[tuple[_Program, ...]]:
    """For each baseline the ways to build it, the usual first."""
    task, function = oracle.task, oracle.function
    orders = orders_of(task)
    spread = fast_c(function, orders, wide=False, combines=True)
    is_spread = "#pragma omp" in spread
    compiled = f"{compiler_name()} -O3 -march=native"
    why = "" if is_spread and has_openmp() else ", which has no OpenMP" if is_spread else ""
    person = wrapped_source(task, function)
    own = (*ONLY_WRAPPER, *person_options(task))
    found = [
        tuple(
            _Program(f"{compiled} on one core{why}", person, (*flags, processor_flag(), *own), True, 1)
            for flags in (AS_ANYONE, CAREFUL)
        )
    ]
    if is_spread and has_openmp() and cores() > 1:
        name = f"{compiled} -fopenmp on {cores()} cores"
        options = ((*flags, processor_flag(), "-fopenmp") for flags in (AS_ANYONE, CAREFUL))
        found.append(tuple(_Program(name, spread, each, False, cores()) for each in options))
    return found


def _timed(oracle: Oracle, filled: Filled, programs: tuple[_Program, ...]) -> Baseline | None:
    """The first of the programs whose results are right, timed."""
    arguments = oracle.task.arguments
    inputs = filled.shared or SharedArrays.share(filled.reference.inputs)
    given = inputs.arrays()
    for program in programs:
        path = shared_object(c_compiler(), program.text, program.options, program.is_person)
        room = SharedArrays.room({a.name: (given[a.name].shape, given[a.name].dtype) for a in outputs_of(arguments)})
        ended = run_in_child(
            time_program, path, program.symbol, arguments, inputs, room, program.threads,
            timeout_s=LATE_S, memory_bytes=MEMORY_BYTES, processes=64 + program.threads,
        )  # fmt: skip
        if not isinstance(ended, Finished):
            continue
        left = room.arrays()
        leaves = filled.reference.leaves
        if all(compare(leaf, at_path(left[leaf.name], leaf.path), oracle.task.tolerance).ok for leaf in leaves):
            return Baseline(program.name, tuple(1e6 * max(seconds, 1e-9) for seconds in ended.value))
    return None


def time_program(
    path: str, symbol: str, arguments: tuple[Argument, ...], inputs: SharedArrays, room: SharedArrays, threads: int
) -> tuple[float, ...]:
    """What the child does: seconds of each call, on fresh inputs in the same memory; results are left in the room."""
    if threads == 1:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    given, left = inputs.arrays(), room.arrays()
    arrays: Mapping[str, Array] = {name: left.get(name, array) for name, array in given.items()}
    parameters = [a for a in arguments if not a.is_result]
    extents = [extent for a in parameters if a.is_pointer or a.is_array for extent in given[a.name].shape]
    call = getattr(ctypes.CDLL(path), symbol)
    rest = () if symbol != "cp_fast" else ((ctypes.c_int64 * max(1, len(extents)))(*extents), ctypes.c_int(threads))
    passed = pointers(list(arrays.values()))
    seconds: list[float] = []

    def work() -> None:
        while len(seconds) <= SAMPLES and (not seconds or seconds[0] <= ENOUGH_S):
            for name, array in left.items():
                array[...] = given[name]
            started = time.perf_counter()
            call(passed, *rest)
            seconds.append(time.perf_counter() - started)

    threading.stack_size(STACK_BYTES)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    threading.stack_size(0)
    return tuple(seconds[1:] or seconds)  # the first has touched the memory
