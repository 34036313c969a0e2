"""The fast way between lane B's two processes: the parent compiles a child's request, the child opens the answer.

The request is a child's: nothing in it is believed. It builds nothing with nvcc: modules/building.py does.
"""

from __future__ import annotations

import re
import sys
from types import ModuleType
from typing import Any

from ...errors import ToolchainError
from .device import DevicePlace
from .module import compile_sources, open_module
from .sources import HostCode, NotFast, read_sources

_ARCH = re.compile(r"sm_\d{2,3}")


def fast_answer(request: dict[str, Any]) -> dict[str, Any] | NotFast:
    """What the child needs to open the module, as plain values; sources and flags are known to be lists of texts."""
    functions = request.get("functions") if request.get("has_functions") else None
    is_named = functions is None or (
        isinstance(functions, list | dict) and all(isinstance(name, str) and name.isidentifier() for name in functions)
    )
    if not is_named or not _ARCH.fullmatch(str(request.get("arch", ""))):
        return NotFast("there is no device to compile for")
    code = read_sources(
        request["cpp_sources"],
        request["cuda_sources"],
        functions,
        cflags=request["extra_cflags"],
        cuda_cflags=request["extra_cuda_cflags"],
        ldflags=request["extra_ldflags"],
    )
    if isinstance(code, NotFast):
        return code
    try:
        compiled = compile_sources(code, request["arch"])
    except ToolchainError as error:
        return NotFast(str(error))
    if isinstance(compiled, NotFast):
        return compiled
    return {
        "host_text": code.host_text,
        "exports": code.exports,
        "cubin": compiled.cubin,
        "symbols": compiled.mangled,
    }


def open_answer(name: str, answer: dict[str, Any]) -> ModuleType:
    """The module, its kernels loaded on the current device."""
    place = DevicePlace(answer["cubin"], answer["symbols"])
    place.load()
    exports = tuple((str(python_name), str(inner)) for python_name, inner in answer["exports"])
    module = open_module(name, HostCode(answer["host_text"], "", exports, ()), place)
    sys.modules[name] = module
    return module
