"""`fast_module`: a load_inline call -> a module of the same functions, in well under a second; or why not.

In lane B its two halves are in two processes: `compile_sources` where NVRTC may be trusted, `open_module` in the child
that runs the candidate. What does not go this way goes to nvcc; nothing here is a candidate's fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from ..building import compile_in_child
from ..host.runtime import Machine
from ..host.scope import MACHINE, Frame
from ..nvrtc import Compiled
from .live import LIMITS, HostFunction, Where
from .sources import HostCode, NotFast, prepare, read_sources

__all__ = ["HostCode", "NotFast", "compile_sources", "fast_module", "open_module", "read_sources"]

LOG_LINES = 3  # of NVRTC's, in a reason


def fast_module(
    name: str,
    cpp_sources: str | Sequence[str],
    cuda_sources: str | Sequence[str] = (),
    functions: str | Mapping[str, str] | Sequence[str] | None = None,
    *,
    place: Callable[[Compiled], Where],
    arch: str = "sm_90",
    **flags: Sequence[str],
) -> ModuleType | NotFast:
    """What `load_inline` would give.

    Args:
        cpp_sources, cuda_sources, functions: as load_inline takes them.
        place: makes, of the compiled kernels, what launches them: `DevicePlace` or `SimulatedPlace`.
        arch: "sm_90" and the like, of the device.
        flags: cflags, cuda_cflags, ldflags: of the compilers.

    Raises:
        ToolchainError: there is no NVRTC.
    """
    names = [functions] if isinstance(functions, str) else functions
    code = read_sources(_texts(cpp_sources), _texts(cuda_sources), names, **flags)
    if isinstance(code, NotFast):
        return code
    compiled = compile_sources(code, arch)
    return compiled if isinstance(compiled, NotFast) else open_module(name, code, place(compiled))


def compile_sources(code: HostCode, arch: str) -> Compiled | NotFast:
    """The kernels through NVRTC, in the compile server.

    Raises:
        ToolchainError: there is no NVRTC.
    """
    compiled = compile_in_child(code.device_text, arch, code.kernels, code.options)
    if compiled.build.ok:
        return compiled
    return NotFast("NVRTC does not take its device code: " + " ".join(compiled.build.log.splitlines()[:LOG_LINES]))


def open_module(name: str, code: HostCode, place: Where) -> ModuleType:
    """The functions, to be called on torch's tensors.

    Raises:
        PlanError: the code was not made by `read_sources`.
    """
    prepared = prepare(code.host_text, code.exports)
    variables: list[Any] = [None] * prepared.unit.global_count
    start: Frame = [None] * prepared.unit.file_routine.slots
    start[MACHINE] = Machine(LIMITS, globals=variables)
    for run in prepared.unit.starts:
        run(start)
    shared_limits: dict[str, int] = {}
    module = ModuleType(name, "Host functions that are read, kernels that NVRTC compiled.")
    for python_name, instance in prepared.functions:
        setattr(module, python_name, HostFunction(python_name, instance, place, variables, shared_limits))
    return module


def _texts(sources: str | Sequence[str] | None) -> list[str]:
    if sources is None:
        return []
    return [sources] if isinstance(sources, str) else [*sources]
