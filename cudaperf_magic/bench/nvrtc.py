"""CUDA C++ text -> PTX, cubin and what ptxas says of it, through NVRTC. Needs no GPU; runs nothing.

It compiles the device code it is given: blanking out host functions is the launcher's work, and limits on time and
memory are the sandbox's (`build` takes and returns plain picklable values).
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib.util
import os
import pickle
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from cudaperf_magic.bench import sandbox_pickle
from cudaperf_magic.bench.cache import Cache, key_of
from cudaperf_magic.bench.includes import STAND_INS, STUBS, refused_include
from cudaperf_magic.bench.precompiled import open_home, precompiled
from cudaperf_magic.bench.toolkit import Toolkit, mismatch
from cudaperf_magic.errors import ToolchainError
from cudaperf_magic.records import Build, KernelResources

FILE_NAME = "kernel.cu"
CACHE_VERSION = "nvrtc-9"
TRIFLE = "__global__ void trifle(int n, const float *x, float *y) { if (threadIdx.x < n) y[threadIdx.x] += x[0]; }"
LIBRARY_NAMES = ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "libnvrtc.dylib", "nvrtc64_130_0.dll")
KEPT_BYTES = 1 << 30
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # malloc.h
TOO_MUCH_SHARED = re.compile(r"Entry function '(\w+)' uses too much shared data \((\w+) bytes, (\w+) max\)")
PTXAS_WORDS = ("warning", "error", "fatal")  # what ptxas says, beside what it reports
AMBIGUOUS = re.compile(r"which instance of overloaded function \"(\w+)\" is intended")
ENTRY = re.compile(r"\.entry (\w+)\(")
MISSING = "NVRTC, the CUDA compiler library, is not installed; pip install nvidia-cuda-nvrtc nvidia-cuda-runtime"


@dataclass(frozen=True)
class Compiled:
    """A build and its products. `lowered` maps each name expression to the mangled name in the PTX.

    `source` is the text that was compiled, from which faults take the names and shapes of arrays.
    """

    build: Build
    ptx: str = ""
    cubin: bytes = b""
    lowered: tuple[tuple[str, str], ...] = ()
    source: str = ""

    @property
    def mangled(self) -> dict[str, str]:
        return dict(self.lowered)

    @property
    def resources(self) -> dict[str, KernelResources]:
        """What ptxas said of each kernel, by the name that a launch uses."""
        by_symbol = {kernel.name: kernel for kernel in self.build.kernels}
        return {name: by_symbol[symbol] for name, symbol in self.lowered if symbol in by_symbol}


def build(
    source: str,
    arch: str = "sm_90",
    *,
    names: tuple[str, ...] = (),
    options: tuple[str, ...] = (),
    cache: Cache | None = None,
) -> Compiled:
    """Compiles `source`, or takes the answer from the cache.

    Args:
        source: device code; the log speaks in its line numbers, as kernel.cu.
        arch: "sm_90" and the like.
        names: kernels as they are launched, such as "reduce<float, 256>"; templates are instantiated by this.
        options: further NVRTC options.

    Raises:
        ToolchainError: there is no NVRTC.
    """
    refusal = refused_include(source, include_folders())
    if refusal:
        return Compiled(Build(ok=False, log=refusal, arch=arch))
    cache = cache or Cache()
    known = held(source, arch, names, options, cache)
    if known is not None:
        return known
    compiled = _compile(source, arch, names, options)
    cache.write(_key(source, arch, names, options), pickle.dumps(compiled, protocol=5))
    return compiled


def held(
    source: str, arch: str, names: tuple[str, ...], options: tuple[str, ...] = (), cache: Cache | None = None
) -> Compiled | None:
    """What the cache has of this build. Loads no compiler, and builds nothing from a file that is not plain data."""
    cache = cache or Cache()
    data = cache.read(_key(source, arch, names, options))
    if data is None:
        return None
    try:
        found = sandbox_pickle.careful(data)
    except sandbox_pickle.BrokenPickle:
        return None  # a damaged file is only a miss
    return found if isinstance(found, Compiled) else None


def _key(source: str, arch: str, names: tuple[str, ...], options: tuple[str, ...]) -> str:
    return key_of(CACHE_VERSION, _library_identity(), source, arch, repr(names), repr(options))


@functools.cache
def _library_identity() -> str:
    """Which compiler it is, told without loading it where its file is known."""
    for place in _library_places():
        with contextlib.suppress(OSError):
            status = os.stat(place)
            return f"{place} {status.st_size} {status.st_mtime_ns}"
    try:
        return str(_version())
    except ToolchainError:
        return ""


def _compile(
    source: str, arch: str, names: tuple[str, ...], options: tuple[str, ...], *, may_precompile: bool = True
) -> Compiled:
    library = _library()
    why = mismatch(toolkit(), arch, None)
    if why is not None:
        raise ToolchainError(why)
    started = time.perf_counter()
    program = ctypes.c_void_p()
    _must(library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), FILE_NAME.encode(), 0, None, None))
    try:
        for name in names:
            _must(library.nvrtcAddNameExpression(program, name.encode()))
        flags = _flags(arch, options)
        with precompiled(source if may_precompile else "", flags, include_folders()) as more:
            flags += more
            status = library.nvrtcCompileProgram(
                program, len(flags), (ctypes.c_char_p * len(flags))(*map(str.encode, flags))
            )
        log = _fetch(library, "ProgramLog", program).decode(errors="replace").replace("\0", "").rstrip("\n")
        for folder in include_folders():
            log = log.replace(f"{folder}/", "")
        seconds = time.perf_counter() - started
        ambiguous = tuple(name for name in dict.fromkeys(AMBIGUOUS.findall(log)) if name in names)
        if status != 0 and ambiguous:
            rest = tuple(name for name in names if name not in ambiguous)
            return _with_symbols(_compile(source, arch, rest, options), ambiguous, log)
        if status != 0 and more and "precompiled header" in log:  # a full disk, for example: not the candidate's fault
            return _compile(source, arch, names, options, may_precompile=False)
        if status != 0:
            return Compiled(Build(ok=False, log=failure(log) or _words(status), seconds=seconds, arch=arch))
        ptx = _fetch(library, "PTX", program).decode(errors="replace").rstrip("\0")
        cubin = _fetch(library, "CUBIN", program)
        lowered = tuple((name, _lowered(library, program, name)) for name in names)
        log, kernels = read_log(log)
        record = Build(ok=True, log=log, seconds=seconds, arch=arch, kernels=kernels)
        return Compiled(record, ptx, cubin, lowered, source)
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def _flags(arch: str, options: tuple[str, ...]) -> list[str]:
    return [
        f"-arch={arch}",
        "-lineinfo",
        "--ptxas-options=-v",
        "-default-device",
        "-device-int128",
        "-DCCCL_DISABLE_NVRTC_COMPATIBILITY_CHECK",
        f"-include={STUBS / 'nvcc_unasked.h'}",
        "-diag-suppress=47",  # CUDA's own headers define INT_MAX and its like once more, in other words
        *options,
        *(f"-I{folder}" for folder in include_folders()),
    ]


def _with_symbols(compiled: Compiled, names: tuple[str, ...], log: str) -> Compiled:
    """Kernels that share their name with a function of CUDA (`any`) are no templates: the PTX has their symbols."""
    if not compiled.build.ok:
        return compiled
    entries = ENTRY.findall(compiled.ptx)
    found = [(name, [entry for entry in entries if entry.startswith(f"_Z{len(name)}{name}")]) for name in names]
    if any(len(symbols) != 1 for _, symbols in found):
        return replace(compiled, build=replace(compiled.build, ok=False, log=failure(log), kernels=()))
    return replace(compiled, lowered=(*compiled.lowered, *((name, symbols[0]) for name, symbols in found)))


def failure(log: str) -> str:
    """The log of a failed compilation without what ptxas reports of kernels that it did assemble."""
    words, _ = read_log(log)
    for entry, used, most in TOO_MUCH_SHARED.findall(log):
        words += (
            f"\n{FILE_NAME}: error: {_plain(entry)} declares {int(used, 16):,} bytes of __shared__ arrays; a block may "
            f"declare {int(most, 16):,}, and more only as dynamic shared memory"
        )
    return words.strip()


def _plain(symbol: str) -> str:
    """A kernel's own name out of its symbol: `_Z5scaleiPf` -> `scale`; of other symbols all."""
    digits = re.match(r"_Z(\d+)", symbol)
    return symbol[digits.end() : digits.end() + int(digits[1])] if digits else symbol


def read_log(log: str) -> tuple[str, tuple[KernelResources, ...]]:
    """Splits NVRTC's log into the compiler's words and the resources that ptxas reports for each kernel."""
    words: list[str] = []
    kernels: list[KernelResources] = []
    function = ""
    for line in log.splitlines():
        if not line.startswith("ptxas") or any(word in line for word in PTXAS_WORDS):
            words.append(line)
            continue
        if "Compiling entry function" in line:
            kernels.append(KernelResources(line.split("'")[1], 0, 0, 0))
        elif "Function properties for" in line:
            function = line.split()[-1]
        elif kernels and "spill stores" in line and function == kernels[-1].name:
            counts = [int(n) for n in re.findall(r"(\d+) bytes", line)]
            kernels[-1] = replace(kernels[-1], spill_bytes=counts[1] + counts[2])
        elif kernels and "Used" in line:
            found = {word: int(n) for n, word in re.findall(r"(\d+)(?: bytes)? (registers|smem)", line)}
            kernels[-1] = replace(kernels[-1], registers=found.get("registers", 0), shared_bytes=found.get("smem", 0))
    return "\n".join(words).strip(), tuple(kernels)


@functools.cache
def include_folders() -> tuple[str, ...]:
    """CUDA's own headers, from the wheels or a toolkit, and our small stand-ins for C's, in the order of search."""
    found: list[Path] = []
    for root in _cuda_roots():
        found += [folder for folder in (root / "include", root / "include" / "cccl") if folder.is_dir()]
    return tuple(str(folder) for folder in [STAND_INS, *dict.fromkeys(found), STUBS])


def _wheel_roots() -> Iterator[Path]:
    spec = importlib.util.find_spec("nvidia")
    for location in (spec.submodule_search_locations or []) if spec else []:
        root = Path(location)
        yield from sorted(root.glob("cu[0-9]*"), reverse=True)  # CUDA 13: one folder for all
        yield from (root / part for part in ("cuda_nvrtc", "cuda_runtime", "cuda_cccl"))  # CUDA 12: one for each


def _cuda_roots() -> Iterator[Path]:
    yield from _wheel_roots()
    for root in (Path("/usr/local/cuda"), Path("/opt/cuda")):
        if (root / "include" / "cuda_runtime.h").is_file():
            yield root


def _library_places() -> list[str]:
    places: list[str] = []
    for root in _cuda_roots():
        places += [str(root / sub / name) for sub in ("lib", "lib64", "bin") for name in LIBRARY_NAMES]
    return [place for place in places if Path(place).is_file()]


@functools.cache
def _library() -> ctypes.CDLL:
    for place in [*_library_places(), *LIBRARY_NAMES]:
        try:
            library = ctypes.CDLL(place)
        except OSError:
            continue
        library.nvrtcGetErrorString.restype = ctypes.c_char_p
        return library
    raise ToolchainError(MISSING)


@functools.cache
def _version() -> tuple[int, int]:
    major, minor = ctypes.c_int(), ctypes.c_int()
    _must(_library().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
    return major.value, minor.value


@functools.cache
def toolkit() -> Toolkit:
    """The compiler's version, and what it compiles for.

    Raises:
        ToolchainError: there is no NVRTC.
    """
    library, count = _library(), ctypes.c_int()
    _must(library.nvrtcGetNumSupportedArchs(ctypes.byref(count)))
    found = (ctypes.c_int * count.value)()
    _must(library.nvrtcGetSupportedArchs(found))
    return Toolkit(_version(), tuple(found))


def _fetch(library: ctypes.CDLL, what: str, program: ctypes.c_void_p) -> bytes:
    size = ctypes.c_size_t()
    _must(getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(max(size.value, 1))
    if size.value:
        _must(getattr(library, f"nvrtcGet{what}")(program, buffer))
    return buffer.raw[: size.value]


def _lowered(library: ctypes.CDLL, program: ctypes.c_void_p, name: str) -> str:
    found = ctypes.c_char_p()
    _must(library.nvrtcGetLoweredName(program, name.encode(), ctypes.byref(found)))
    return (found.value or b"").decode()


def _words(status: int) -> str:
    text: bytes = _library().nvrtcGetErrorString(status)
    return text.decode()


def _must(status: int) -> None:
    if status != 0:
        raise ToolchainError(f"NVRTC failed ({_words(status)}); pip install --force-reinstall nvidia-cuda-nvrtc")


def warm_server() -> None:
    """In a compile server, before its first child.

    Raises:
        ToolchainError: there is no NVRTC.
    """
    _keep_memory()
    open_home(_library())
    warm_up()


def _keep_memory() -> None:
    """Asks glibc to keep what is freed: a compilation takes and frees 5 MB, whose 1,300 pages would fault each time."""
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):
        for option in (_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD):
            library.mallopt(option, KEPT_BYTES)


def warm_up() -> None:
    """Compiles a trifle, so that what NVRTC makes ready once is ready here and in processes forked from this one.

    Raises:
        ToolchainError: there is no NVRTC.
    """
    _compile(TRIFLE, "sm_90", (), ())
