"""What this machine has, each thing tried for real rather than looked up: a compiler compiles, a device answers.

Answers are values, and a broken tool is an answer, not an exception. It mends nothing; each remedy is a command for the
person to run.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Literal

from ..errors import CudaperfError
from . import resources

State = Literal["ok", "missing", "optional"]
TRIAL_TIMEOUT_S = 30.0
TRIAL_BYTES = 4 << 30  # of address space

C_TRIAL = "int answer(int x) { return x + 1; }\n"
KERNEL_TRIAL = """// {moment}
#include <cuda_fp16.h>
extern "C" __global__ void trial(float *x) {{ x[threadIdx.x] += 1.0f; }}
"""


@dataclass(frozen=True)
class Finding:
    """One thing that was tried. `optional` means: absent, and nothing needed is lost."""

    name: str
    state: State
    detail: str
    remedy: str = ""


def python() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    try:
        own = metadata.version("cudaperf-magic")
    except metadata.PackageNotFoundError:
        own = "not installed, run from its folder"
    return Finding("Python", "ok", f"{version}, cudaperf-magic {own}")


def c_compiler() -> Finding:
    """Compiles, links, loads and calls a function."""
    from cudaperf_magic.bench.reference.build import c_compiler as find

    remedy = "sudo apt-get install gcc libc6-dev   (macOS: xcode-select --install)"
    try:
        compiler = find()
    except CudaperfError as problem:
        return Finding("C compiler", "missing", str(problem).split(";")[0], remedy)
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "trial.so"
        command = [compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", str(library), "-lm"]
        try:
            done = subprocess.run(command, input=C_TRIAL, capture_output=True, text=True, timeout=TRIAL_TIMEOUT_S)
            if done.returncode:
                return Finding("C compiler", "missing", f"{compiler} fails: {_last_line(done.stderr)}", remedy)
            if ctypes.CDLL(str(library)).answer(41) != 42:
                return Finding("C compiler", "missing", f"{compiler} compiles wrongly", remedy)
        except (OSError, subprocess.TimeoutExpired) as problem:
            return Finding("C compiler", "missing", f"{compiler} fails: {problem}", remedy)
    return Finding("C compiler", "ok", f"{compiler} compiled, linked and ran a function")


def nvrtc() -> Finding:
    """Compiles a kernel that includes a CUDA header, past the cache."""
    from .nvrtc import build

    remedy = "pip install nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-cccl"
    started = time.monotonic()
    try:
        compiled = build(KERNEL_TRIAL.format(moment=time.time_ns()))
    except CudaperfError as problem:
        return Finding("CUDA compiler", "missing", str(problem).split(";")[0], remedy)
    if not compiled.build.ok:
        return Finding("CUDA compiler", "missing", _last_line(compiled.build.log), remedy)
    return Finding("CUDA compiler", "ok", f"NVRTC built a kernel in {time.monotonic() - started:.2f} s")


def simulator() -> tuple[Finding, Finding]:
    """Runs the trial kernel in a child, as every candidate is run: answers for the simulator and for the sandbox."""
    from .sandbox import Finished, run_in_child

    started = time.monotonic()
    try:
        ended = run_in_child(_simulated_trial, time.time_ns(), timeout_s=TRIAL_TIMEOUT_S, memory_bytes=TRIAL_BYTES)
    except CudaperfError as problem:
        why, _, remedy = str(problem).partition("; ")
        return Finding("simulator", "missing", why, remedy), Finding("sandbox", "missing", why, remedy)
    sandbox = Finding("sandbox", "ok", ", ".join(ended.levels) or "time and memory limits only")
    if not isinstance(ended, Finished) or ended.value != 42.0:
        why = getattr(ended, "why", "") or "it gave a wrong result"
        return Finding("simulator", "missing", why, "mend the two compilers first; else please report it"), sandbox
    took = time.monotonic() - started
    return Finding("simulator", "ok", f"built and ran a kernel of 32 threads in {took:.1f} s"), sandbox


def _simulated_trial(moment: int) -> float:
    """In the child: x[31] + 1, computed by a kernel on the simulator."""
    import numpy as np

    from .nvrtc import build
    from .plan import Launch, LaunchPlan, Pointer
    from .simulator.launch import simulate

    compiled = build(KERNEL_TRIAL.format(moment=moment), names=("trial",))
    array = np.full(32, 41, np.float32)
    simulate(compiled, LaunchPlan((Launch("trial", (1, 1, 1), (32, 1, 1), (Pointer("x"),)),)), {"x": array})
    return float(array[31])


def cache() -> Finding:
    """Writes and reads one entry."""
    from .cache import Cache

    try:
        held = Cache()
        path = held.write("doctor", b"here")
        works = held.read("doctor") == b"here"
        path.unlink(missing_ok=True)
        used = sum(file.stat().st_size for file in held.folder.rglob("*") if file.is_file())
    except OSError as problem:
        return Finding("cache", "missing", str(problem), "set CUDAPERF_CACHE to a folder that can be written")
    if not works:
        remedy = "set CUDAPERF_CACHE to another folder"
        return Finding("cache", "missing", f"{held.folder} loses what is written", remedy)
    return Finding("cache", "ok", f"{held.folder}, {used / 1e6:.0f} MB of {held.limit_bytes / 1e6:.0f} MB")


def gpu() -> Finding:
    """Asks the driver for its devices."""
    library = _driver()
    if library is None:
        remedy = "install NVIDIA's driver, if this machine has a GPU; the simulator needs none"
        return Finding("GPU", "optional", "no CUDA driver; kernels run on the simulator", remedy)
    status = library.cuInit(0)
    count = ctypes.c_int(0)
    if status or library.cuDeviceGetCount(ctypes.byref(count)) or not count.value:
        detail = f"the CUDA driver answers with error {status}" if status else "the CUDA driver sees no device"
        return Finding("GPU", "optional", f"{detail}; kernels run on the simulator", "nvidia-smi says more")
    version = ctypes.c_int(0)
    library.cuDriverGetVersion(ctypes.byref(version))
    names = []
    for index in range(count.value):
        text = ctypes.create_string_buffer(128)
        library.cuDeviceGetName(text, 128, index)
        names.append(f"cuda:{index} {text.value.decode(errors='replace')}")
    cuda = f"{version.value // 1000}.{version.value % 1000 // 10}"
    return Finding("GPU", "ok", f"{', '.join(names)}; driver for CUDA {cuda}")


def counters(device: Finding) -> Finding:
    """Opens the profiler on the first device, where `device`, the answer of `gpu`, says that there is one."""
    from .counters.availability import Refused, available
    from .counters.tool import find_tool

    if device.state != "ok":
        return Finding("GPU counters", "optional", "no GPU; the simulator counts")
    found = available(0)
    if isinstance(found, Refused):
        why, _, remedy = found.reason.partition("; ")
        return Finding("GPU counters", "optional", f"{why}; the simulator counts instead", remedy)
    cupti = f"{found.cupti_version // 10000}.{found.cupti_version % 10000 // 100}"
    sanitizer = "compute-sanitizer is here" if find_tool("compute-sanitizer") else "compute-sanitizer is not installed"
    return Finding("GPU counters", "ok", f"CUPTI {cupti} counts on a {found.chip}; {sanitizer}")


def _driver() -> ctypes.CDLL | None:
    for name in ("libcuda.so.1", "libcuda.so", "nvcuda.dll"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def package(name: str, module: str, why: str, remedy: str) -> Finding:
    """Imports an optional package: a version number alone would not show that it works."""
    try:
        import_module(module)
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return Finding(name, "optional", f"not installed; {why}", remedy)
    except Exception as problem:
        if isinstance(problem, ModuleNotFoundError) and problem.name == module:
            return Finding(name, "optional", f"not installed; {why}", remedy)
        return Finding(name, "optional", f"cannot be imported: {_last_line(str(problem))}; {why}", remedy)
    return Finding(name, "ok", f"{version}; {why}")


def cores() -> Finding:
    usable = resources.cores()
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 0
    memory = f", {pages / 2**30:.0f} GiB of memory" if pages else ""
    return Finding("processor", "ok", f"{usable} core{'s' if usable != 1 else ''}{memory}")


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason given"
