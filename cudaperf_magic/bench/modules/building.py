"""A request for an extension -> a shared library in the cache, compiled in a sandbox in which nothing of it runs.

The commands are our own, so that no ninja is needed and no lock file can be left; the texts around the sources are
those that `load_inline` promises (torch's header first, functions exported by name). It loads nothing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from ..cache import Cache, key_of
from ..extensions.lane_b import fast_answer
from ..extensions.sources import NotFast
from ..includes import refused_include
from ..sandbox import Crashed, Finished, TimedOut, run_in_child

COMPILE_S = 300.0
MEMORY_BYTES = 8 << 30
MOST_LOG_LINES = 40
TELLING = ("error", "cannot find", "undefined reference")  # of a compiler's or linker's lines
CPP_HEAD = "#include <torch/extension.h>\n"
CUDA_HEAD = "#include <torch/types.h>\n#include <cuda.h>\n#include <cuda_runtime.h>\n"
FLAGS = ("-O2", "-std=c++17", "-fPIC", "-fno-diagnostics-show-caret")
LIBRARIES = ("c10", "torch_cpu", "torch", "torch_python", "c10_cuda", "torch_cuda")  # those that this torch has
NO_NVCC = (
    "its CUDA sources need nvcc, which is not on the PATH; install the CUDA toolkit, or write the kernels for lane A"
)


def build_extension(request: dict[str, Any]) -> dict[str, Any]:
    """{"fast": for open_answer}, {"path": of the library} or {"error": the compiler's words}.

    The request is a child's: nothing in it is believed.

    Raises:
        ToolchainError: no process can be started.
    """
    trouble = _trouble(request)
    if trouble:
        return {"error": trouble}
    fast = fast_answer(request)
    if not isinstance(fast, NotFast):
        return {"fast": fast}
    if request["cuda_sources"] and shutil.which("nvcc") is None:
        return {"error": f"{NO_NVCC} (NVRTC alone does not do: {fast.reason})"}
    cache = Cache()
    key = key_of("extension", sys.version, _torch_version(), repr(sorted(request.items())))
    path = cache.path(key)
    if path is not None:
        return {"path": str(path)}
    built = run_in_child(compile_inline, request, kind="torch", timeout_s=COMPILE_S, memory_bytes=MEMORY_BYTES)
    match built:
        case Finished(np.ndarray() as library):
            return {"path": str(cache.write(key, library.tobytes()))}
        case Finished(str(words)):
            return {"error": words}
        case TimedOut():
            return {"error": f"compiling it takes longer than {COMPILE_S:g} s"}
        case Crashed(why):
            return {"error": f"compiling it ends with {why}"}
    return {"error": "compiling it left no library"}


def _trouble(request: Any) -> str:
    lists = ("cpp_sources", "cuda_sources", "extra_cflags", "extra_cuda_cflags", "extra_ldflags")
    is_whole = isinstance(request, dict) and all(
        isinstance(request.get(key), list) and all(isinstance(part, str) for part in request[key]) for key in lists
    )
    if not is_whole or not str(request.get("name", "")).isidentifier():
        return "the call of load_inline is not understood: sources and flags are texts, the name is an identifier"
    for text in (*request["cpp_sources"], *request["cuda_sources"]):
        refused = refused_outside(text)
        if refused:
            return refused
    return ""


def refused_outside(source: str) -> str:
    """Why a text may not be compiled: it includes a file by a path, whose text a compiler's message would show."""
    return refused_include(source, _include_folders()) or ""


def _include_folders() -> list[str]:
    import importlib.util

    specification = importlib.util.find_spec("torch")
    assert specification is not None and specification.origin is not None
    root = Path(specification.origin).parent / "include"
    toolkit = [str(folder / "include") for folder in _toolkits()]
    return [str(root), str(root / "torch" / "csrc" / "api" / "include"), *toolkit, sysconfig.get_paths()["include"]]


def _torch_version() -> str:
    from importlib.metadata import version

    return version("torch")


# ------------------------------------------------------------------ in the sandbox


def compile_inline(request: dict[str, Any]) -> Any:
    """The library's bytes (uint8), or the compiler's words. Works in the private temporary folder."""
    folder = Path(tempfile.mkdtemp())
    jobs = [_cpp_job(request, folder)]
    if request["cuda_sources"]:
        jobs.append(_cuda_job(request, folder))
    with ThreadPoolExecutor(len(jobs)) as pool:
        for words in pool.map(_run, jobs):
            if words:
                return words
    library = folder / "library.so"
    words = _run([_compiler(), "-shared", "-o", str(library), *(job[-1] for job in jobs), *_link_flags(request)])
    return words or np.frombuffer(library.read_bytes(), np.uint8)


def _cpp_job(request: dict[str, Any], folder: Path) -> list[str]:
    text = CPP_HEAD + "\n".join(request["cpp_sources"]) + _exports(request)
    (folder / "main.cpp").write_text(text)
    flags = [*FLAGS, *_definitions(request), *_includes("-isystem"), *request["extra_cflags"]]
    return [_compiler(), *flags, "-c", str(folder / "main.cpp"), "-o", str(folder / "main.o")]


def _cuda_job(request: dict[str, Any], folder: Path) -> list[str]:
    (folder / "kernels.cu").write_text(CUDA_HEAD + "\n".join(request["cuda_sources"]))
    flags = ["-O3", "-std=c++17", "-Xcompiler", "-fPIC", "--expt-relaxed-constexpr"]
    flags += [f"-arch={request['arch']}"] if request["arch"] else []
    flags += [*_definitions(request), *_includes("-isystem"), *request["extra_cuda_cflags"]]
    return ["nvcc", *flags, "-c", str(folder / "kernels.cu"), "-o", str(folder / "kernels.o")]


def _exports(request: dict[str, Any]) -> str:
    if not request["has_functions"]:
        return "\n"
    functions = request["functions"]
    described = functions if isinstance(functions, dict) else {name: name for name in functions}
    lines = [f'    m.def("{name}", &{name}, R"words({words})words");' for name, words in described.items()]
    return "\n".join(["", "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {", *lines, "}", ""])


def _definitions(request: dict[str, Any]) -> list[str]:
    import torch

    abi = int(torch.compiled_with_cxx11_abi())
    return [f"-DTORCH_EXTENSION_NAME={request['name']}", f"-D_GLIBCXX_USE_CXX11_ABI={abi}"]


def _includes(flag: str) -> list[str]:
    return [part for folder in _include_folders() for part in (flag, folder)]


def _link_flags(request: dict[str, Any]) -> list[str]:
    import torch

    libraries = Path(torch.__file__).parent / "lib"
    names = [name for name in LIBRARIES if (libraries / f"lib{name}.so").exists()]
    found = [f"-L{libraries}", *(f"-l{name}" for name in names), *request["extra_ldflags"]]
    if request["cuda_sources"]:
        found += [*(f"-L{root / part}" for root in _toolkits() for part in ("lib64", "lib")), "-lcudart"]
    return found


def _toolkits() -> list[Path]:
    """Where the CUDA toolkit may be: nvcc's own folder first, which need not be the toolkit's."""
    nvcc = shutil.which("nvcc")
    named = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    roots = [Path(nvcc).resolve().parents[1]] if nvcc else []
    roots += [Path(name) for name in named if name]
    return [root for root in roots if (root / "include" / "cuda_runtime.h").exists()]


def _compiler() -> str:
    return shutil.which("c++") or shutil.which("g++") or "c++"


def _run(command: list[str]) -> str:
    """The words of a command that fails, nothing of one that succeeds."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    except OSError as error:
        return f"{command[0]}: {error.strerror}"
    if done.returncode == 0:
        return ""
    told = done.stderr.splitlines()
    lines = [line for line in told if any(words in line for words in TELLING)] or told
    return "\n".join(line.replace(tempfile.gettempdir(), "") for line in lines[:MOST_LOG_LINES])
