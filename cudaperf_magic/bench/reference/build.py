"""A task's C -> three shared objects: as written, checked, and widened. Compiled in parallel, kept by content hash.

`as_written` is the person's own text with a wrapper behind it that takes every argument through one pointer array; the
other two are printed from the IR by reference_c.py. It compiles; reference_run.py runs them, in a child process.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from cudaperf_magic.bench.cache import Cache
from cudaperf_magic.bench.reference.c import reference_c
from cudaperf_magic.compiler.loops import Function
from cudaperf_magic.errors import TaskError, ToolchainError
from cudaperf_magic.records import Task

# No contraction: the C's own roundings. Wrap-around and aliasing as every compiler of wild C has to take them.
FLAGS = (
    "-std=gnu11", "-w", "-fPIC", "-shared", "-ffp-contract=off", "-fwrapv", "-fno-strict-aliasing", "-fsigned-char",
    "-fgnu89-inline",
)  # fmt: skip
# Of the person's text only the wrapper is seen from outside, and what it does not reach is dropped.
ONLY_WRAPPER = ("-fvisibility=hidden", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections")
COMPILE_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class ReferenceBuild:
    """Paths of the shared objects, and the variable names that their reports count by."""

    as_written: str
    checked: str
    widened: str
    checked_names: tuple[str, ...]
    widened_names: tuple[str, ...]


def build_reference(task: Task, function: Function) -> ReferenceBuild:
    """Compile all three.

    Raises:
        TaskError: the C compiler refuses the person's text; with the compiler's own words and line.
        ToolchainError: there is no C compiler.
    """
    checked, widened = reference_c(function, wide=False), reference_c(function, wide=True)
    jobs = [
        (wrapped_source(task, function), ("-O1", *ONLY_WRAPPER, *person_options(task)), True),
        (checked.text, ("-O1",), False),
        (widened.text, ("-O1",), False),
    ]
    paths = shared_objects(jobs)
    return ReferenceBuild(paths[0], paths[1], paths[2], checked.names, widened.names)


def person_options(task: Task) -> tuple[str, ...]:
    """What the person's own text is compiled with besides."""
    return (*(f"-D{define}" for define in task.defines), *(f"-I{folder}" for folder in task.folders))


def c_compiler() -> str:
    """The machine's C compiler: $CC, else cc, gcc or clang."""
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        found = shutil.which(name) if name else None
        if found:
            return found
    raise ToolchainError("there is no C compiler on the PATH; install one: apt-get install gcc")


def wrapped_source(task: Task, function: Function) -> str:
    """The person's text with `cudaperf_reference_call(void **)` behind it; its lines keep their numbers."""
    before, after, passed = [], [], []
    for place, parameter in enumerate(function.parameters):
        value = f"cudaperf_reference_arguments[{place}]"
        if parameter.is_global:
            name = f"&{parameter.name}"
            before.append(f"__builtin_memcpy((void *){name}, {value}, sizeof {parameter.name});")
            after.append(f"__builtin_memcpy({value}, (void *){name}, sizeof {parameter.name});")
        elif parameter.is_array:
            passed.append(f"(void *){value}")
        else:
            kind = "_Bool" if parameter.type == "bool" else parameter.type
            passed.append(f"*({kind} *){value}")
    call = f"{function.name}({', '.join(passed)});"
    if function.return_type != "void":
        kind = "_Bool" if function.return_type == "bool" else function.return_type
        call = f"*({kind} *)cudaperf_reference_arguments[{len(function.parameters)}] = {call}"
    head = '__attribute__((visibility("default")))'
    lines = [head, "void cudaperf_reference_call(void **cudaperf_reference_arguments)", "{", *before, call, *after, "}"]
    return f'#line 1 "cell"\n{task.source}\n#line 1 "wrapper"\n' + "\n".join(lines) + "\n"


# ------------------------------------------------------------------ compiling


@functools.cache
def processor_flag() -> str:
    """A macro that sets builds for one processor apart from those for another, which may share the cache's folder."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        text = ""
    lines = {line for line in text.splitlines() if line.startswith(("flags", "Features", "model name"))}
    return f"-DCP_PROCESSOR={hashlib.sha256(repr(sorted(lines)).encode()).hexdigest()[:12]}"


def shared_objects(jobs: Sequence[tuple[str, tuple[str, ...], bool]]) -> list[str]:
    """`shared_object` for each (text, options, whether it is the person's own text), side by side."""
    compiler = c_compiler()
    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(lambda job: shared_object(compiler, *job), jobs))


def shared_object(compiler: str, text: str, options: tuple[str, ...], is_person: bool) -> str:
    """The path of the compiled text, from the cache where it is there.

    Raises:
        TaskError: the compiler refuses the person's text. ToolchainError: it refuses ours.
    """
    key = f"reference-{hashlib.sha256(repr((compiler, text, options, FLAGS)).encode()).hexdigest()[:32]}.so"
    cache = Cache()
    # A person's own header is not part of the text, so it always means a fresh compilation.
    has_header = '#include "' in text or sum(option.startswith("-I") for option in options) > 1
    if not (is_person and has_header) and (kept := cache.path(key)):
        return str(kept)
    target = cache.temporary(".so")
    try:
        _compile([compiler, *FLAGS, *options, "-x", "c", "-", "-o", str(target), "-lm"], text, is_person)
        return str(cache.adopt(target, key))
    finally:
        target.unlink(missing_ok=True)


def _compile(command: list[str], text: str, is_person: bool) -> None:
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=COMPILE_TIMEOUT_S)
    except subprocess.TimeoutExpired as late:
        if is_person:
            raise TaskError(f"the C compiler had not finished after {COMPILE_TIMEOUT_S:.0f} seconds") from late
        raise
    if done.returncode == 0:
        return
    if is_person:
        raise _refused(done.stderr)
    raise ToolchainError(f"the C compiler refuses the checked reading of this function: {done.stderr[:400]}")


def _refused(log: str) -> TaskError:
    """The first error as one sentence: `cell:3:9: error: ...`, else the linker's last word."""
    for line in log.splitlines():
        head, separator, message = line.partition(" error: ")
        if not separator:
            continue
        numbers = [part for part in head.split(":") if part.strip().isdigit()]
        place = int(numbers[0]) if head.startswith("cell:") and numbers else None
        return TaskError(f"the C compiler says: {message.strip()}", place)
    return TaskError(f"the C compiler says: {(log.strip().splitlines() or ['nothing'])[-1]}")
