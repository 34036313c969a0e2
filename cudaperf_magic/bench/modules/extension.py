"""`torch.utils.cpp_extension.load_inline` inside a child: built outside it, once for each content, and without names
that could meet.

The child asks the parent for the build: its text is compiled in a sandbox of its own, where nothing of it runs, and
kept under the hash of all that decides the result. So two candidates that both say name="ext" get two files, and a
killed build leaves no lock.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from ..extensions.lane_b import open_answer
from ..sandbox_line import Line

WANT = "want"  # the key of an answer that asks the parent for something
MOST_BUILDS = 16
CACHES = ("TORCH_EXTENSIONS_DIR", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "TRITON_HOME", "CUDA_CACHE_PATH")


def private_folder() -> None:
    """What is built or cached in the child stays in its own folder, which goes with it."""
    for name in CACHES:
        os.environ[name] = str(Path(tempfile.gettempdir()) / name.lower())


def route_load_inline(line: Line, *, knock_out: bool) -> None:
    """From here on `load_inline` of this process asks for its builds."""
    import torch
    import torch.utils.cpp_extension as theirs

    def load_inline(name: str, cpp_sources: Any, cuda_sources: Any = None, **options: Any) -> Any:
        request = inline_request(name, cpp_sources, cuda_sources, options)
        if request["cuda_sources"] and torch.cuda.is_available():
            major, minor = torch.cuda.get_device_capability()
            request["arch"] = f"sm_{major}{minor}"
        if knock_out:
            from .knockout import without_bodies

            request["cuda_sources"] = [without_bodies(text) for text in request["cuda_sources"]]
        line.send({WANT: request})
        answer = line.receive()
        if answer.get("error"):
            raise RuntimeError(f"Error building extension {name!r}: {answer['error']}")
        if "fast" in answer:
            return open_answer(name, answer["fast"])
        return import_extension(name, answer["path"])

    theirs.load_inline = load_inline  # type: ignore[assignment]


def silence_triton(source: str) -> None:
    """From here on no Triton kernel is launched in this process, where the text speaks of Triton at all."""
    if "triton" in source:
        importlib.import_module("triton.runtime.jit").JITFunction.run = lambda *_, **__: None


def inline_request(name: str, cpp_sources: Any, cuda_sources: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The call as plain data: lists of texts, the names of the functions, and flags that a build may take."""
    functions = options.get("functions")
    if isinstance(functions, str):
        functions = [functions]
    return {
        "name": name,
        "arch": "",  # of the device, for CUDA sources
        "cpp_sources": _texts(cpp_sources),
        "cuda_sources": _texts(cuda_sources),
        "functions": dict(functions) if isinstance(functions, dict) else [*(functions or [])],
        "has_functions": functions is not None,
        "extra_cflags": [*(options.get("extra_cflags") or [])],
        "extra_cuda_cflags": [*(options.get("extra_cuda_cflags") or [])],
        "extra_ldflags": [*(options.get("extra_ldflags") or [])],
        "with_cuda": options.get("with_cuda"),
    }


def _texts(sources: Any) -> list[str]:
    if sources is None:
        return []
    return [sources] if isinstance(sources, str) else [*sources]


def import_extension(name: str, path: str) -> Any:
    """The module in a shared library; its name is in the library's own start-up symbol."""
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    specification = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert specification is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    loader.exec_module(module)
    return module
