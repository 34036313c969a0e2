"""The CUDA runtime's functions that host code may call, but for launches: memory, streams, queries.

Streams and events are read as if in order, which every correct program allows. Nothing here has a clock or a device:
a question that only a real device can answer is answered for an H100, or refused.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from tree_sitter import Node

from cudaperf_magic.bench.host.calls import builtin, callee
from cudaperf_magic.bench.host.runtime import HostPlace, Place, PlanError
from cudaperf_magic.bench.host.scope import (
    Expr,
    Frame,
    Get,
    Scope,
    compile_expression,
    convert,
    copied,
    decay,
    initial,
    machine,
    part,
    refuse,
    shorten,
    store,
)  # fmt: skip
from cudaperf_magic.bench.host.source import line_of, text
from cudaperf_magic.bench.host.types import (
    DEVICE_PROPERTIES,
    INT,
    TEXT,
    ULONG,
    VOID,
    Arithmetic,
    PointerType,
    Type,
    scalar_bytes,
)  # fmt: skip

_POINTER = PointerType(VOID)
_CONST_POINTER = PointerType(VOID, True)
_TO_HOST = 2  # cudaMemcpyDeviceToHost
_ANY_BLOCK = 256  # threads: with all 255 registers they still fit a multiprocessor
_PITCH = 512  # bytes, what cudaMallocPitch rounds a row up to
# cudaDeviceAttr of an H100.
_ATTRIBUTES = {
    1: 1024, 2: 1024, 3: 1024, 4: 64, 5: 2**31 - 1, 6: 65535, 7: 65535, 8: 49152, 10: 32, 12: 65536, 16: 132,
    38: 52428800, 39: 2048, 75: 9, 76: 0, 81: 233472, 82: 65536, 95: 1, 97: 232448, 106: 32,
}  # fmt: skip


def succeeding(act: Callable[[Frame], None]) -> Expr:
    def get(frame: Frame) -> int:
        act(frame)
        return 0

    return Expr(INT, get)


def _name(node: Node) -> str:
    return callee(part(node, "function"))[0]


def _typed(node: Node, nodes: list[Node], types: list[Type], scope: Scope, optional: int = 0) -> list[Get]:
    """The arguments as C would convert them; the last `optional` may be left out."""
    if not len(types) - optional <= len(nodes) <= len(types):
        refuse(node, f"{_name(node)} takes {len(types)} arguments, not {len(nodes)}")
    values = [decay(compile_expression(n, scope)) for n in nodes]
    return [convert(v, t, n).get for v, t, n in zip(values, types, nodes, strict=False)]


@builtin("cudaMalloc", "cudaMallocAsync", "cudaMallocManaged")
def allocate(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    if len(nodes) not in (2, 3):
        refuse(node, f"{_name(node)} takes the address of a pointer and a number of bytes")
    address, wanted = _address(nodes[0], scope), _pointer_name(nodes[0])
    size = convert(compile_expression(nodes[1], scope), ULONG, nodes[1]).get
    line, what = line_of(node), shorten(nodes[0])
    return succeeding(lambda frame: store(address(frame), machine(frame).allocate(wanted, size(frame), line), what))


def _address(node: Node, scope: Scope) -> Get:
    """Of a pointer variable, as `&p` or `(void **)&p`."""
    expr = decay(compile_expression(node, scope))
    if not isinstance(expr.type, PointerType) or not isinstance(expr.type.target, PointerType):
        refuse(node, f"{shorten(node)} is not the address of a pointer; write &pointer")
    return expr.get


def _pointer_name(node: Node) -> str:
    """The variable in `(void **)&p`: what the workspace is called in every message."""
    stack = [node]
    while stack:
        current = stack.pop()
        if current.type == "identifier":
            return text(current)
        stack.extend(child for child in reversed(current.named_children) if child.type != "type_descriptor")
    return "workspace"


@builtin("cudaMallocPitch")
def allocate_pitched(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    if len(nodes) != 4:
        refuse(node, "cudaMallocPitch takes (&pointer, &pitch, width in bytes, height)")
    address, wanted = _address(nodes[0], scope), _pointer_name(nodes[0])
    pitch, width, height = _typed(node, nodes[1:], [PointerType(ULONG), ULONG, ULONG], scope)
    line, what = line_of(node), shorten(node)

    def act(frame: Frame) -> None:
        row = -(-width(frame) // _PITCH) * _PITCH
        store(pitch(frame), row, what)
        store(address(frame), machine(frame).allocate(wanted, row * height(frame), line), what)

    return succeeding(act)


@builtin("cudaFree", "cudaFreeAsync")
def free(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    get, line, what = _first(nodes, _POINTER, scope, node), line_of(node), shorten(node)
    return succeeding(lambda frame: machine(frame).free(_device(get(frame), what, line), line))


def _first(nodes: list[Node], type_: Type, scope: Scope, node: Node) -> Get:
    if not nodes:
        refuse(node, f"{_name(node)} needs a pointer")
    return convert(decay(compile_expression(nodes[0], scope)), type_, nodes[0]).get


def _device(value: Any, what: str, line: int) -> Place:
    if not isinstance(value, Place):
        raise PlanError(f"{what}: the address is of host memory, where device memory is meant", line)
    return value


@builtin("cudaMemset", "cudaMemsetAsync")
def fill(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    pointer, byte, size = _typed(node, nodes[:3], [_POINTER, INT, ULONG], scope)
    line, what = line_of(node), shorten(node)
    return succeeding(
        lambda frame: machine(frame).fill(_device(pointer(frame), what, line), byte(frame), size(frame), line)
    )


@builtin("cudaMemset2D", "cudaMemset2DAsync")
def fill_rows(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    pointer, pitch, byte, width, height = _typed(node, nodes[:5], [_POINTER, ULONG, INT, ULONG, ULONG], scope)
    line, what = line_of(node), shorten(node)

    def act(frame: Frame) -> None:
        start = _device(pointer(frame), what, line)
        step, value, size = pitch(frame), byte(frame), width(frame)
        for row in range(height(frame)):
            machine(frame).fill(Place(start.buffer, start.offset + row * step), value, size, line)

    return succeeding(act)


@builtin("cudaMemcpy", "cudaMemcpyAsync")
def copy(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    types: list[Type] = [_POINTER, _CONST_POINTER, ULONG, INT]
    if len(nodes) < 3:
        refuse(node, f"{_name(node)} takes (target, source, bytes, kind)")
    source_expr = decay(compile_expression(nodes[1], scope))
    gets = _typed(node, nodes[:4], types, scope, 1)
    target, source, size = gets[:3]
    kind = gets[3] if len(gets) > 3 else (lambda frame: 4)
    element = source_expr.type.target if isinstance(source_expr.type, PointerType) else VOID
    line, what = line_of(node), shorten(nodes[0])

    def act(frame: Frame) -> None:
        to, start, count = target(frame), source(frame), size(frame)
        if isinstance(to, HostPlace) or kind(frame) == _TO_HOST:
            raise PlanError(
                f"cudaMemcpy brings device data to the host ({what}); a plan cannot depend on it, decide in a kernel",
                line,
            )
        if isinstance(start, HostPlace):
            machine(frame).upload(_device(to, what, line), _host_bytes(start, element, count, line), line)
        else:
            machine(frame).copy(_device(to, what, line), _device(start, what, line), count, line)

    return succeeding(act)


def _host_bytes(start: HostPlace, element: Type, count: int, line: int) -> bytes:
    if not isinstance(element, Arithmetic) or count % element.size:
        raise PlanError("cudaMemcpy from the host is read for arrays of numbers, whole elements only", line)
    length = count // element.size
    values = start.container[start.position : start.position + length] if start.position >= 0 else []
    is_number = all(isinstance(v, bool | int | float) for v in values)
    if len(values) < length or not is_number:
        raise PlanError(f"cudaMemcpy reads {length:,} elements of a host array that has not so many values", line)
    try:
        return b"".join(scalar_bytes(element.name, value) for value in values)
    except (struct.error, OverflowError, ValueError):
        raise PlanError("cudaMemcpy reads host values of another type", line) from None


@builtin("cudaMemcpy2D", "cudaMemcpy2DAsync")
def copy_rows(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    types: list[Type] = [_POINTER, ULONG, _CONST_POINTER, ULONG, ULONG, ULONG, INT]
    target, target_pitch, source, source_pitch, width, height, _ = _typed(node, nodes[:7], types, scope)
    line, what = line_of(node), shorten(node)

    def act(frame: Frame) -> None:
        to, start = _device(target(frame), what, line), _device(source(frame), what, line)
        size, to_step, from_step = width(frame), target_pitch(frame), source_pitch(frame)
        for row in range(height(frame)):
            machine(frame).copy(
                Place(to.buffer, to.offset + row * to_step),
                Place(start.buffer, start.offset + row * from_step),
                size,
                line,
            )

    return succeeding(act)


@builtin(
    "cudaDeviceSynchronize", "cudaThreadSynchronize", "cudaGetLastError", "cudaPeekAtLastError",
    "cudaStreamSynchronize",
    "cudaStreamDestroy", "cudaStreamWaitEvent", "cudaStreamQuery", "cudaEventRecord", "cudaEventSynchronize",
    "cudaEventDestroy", "cudaFuncSetCacheConfig", "cudaDeviceSetCacheConfig", "cudaDeviceSetLimit", "cudaSetDevice",
    "cudaCtxResetPersistingL2Cache", "cudaDeviceSetSharedMemConfig", "cudaFuncSetSharedMemConfig",
    "cudaMemPrefetchAsync",
)  # fmt: skip
def succeed(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    gets = [compile_expression(n, scope).get for n in nodes]

    def act(frame: Frame) -> None:
        for get in gets:
            get(frame)

    return succeeding(act)


@builtin(
    "cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority", "cudaEventCreate",
    "cudaEventCreateWithFlags", "cudaGetDevice", "cudaGetDeviceCount",
)  # fmt: skip
def create(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    """A handle (or a device's number), of which only the existence matters."""
    if not nodes:
        refuse(node, f"{_name(node)} takes an address")
    place, what = compile_expression(nodes[0], scope).get, shorten(node)
    value = 0 if _name(node) == "cudaGetDevice" else 1
    return succeeding(lambda frame: store(place(frame), value, what))


@builtin("cudaGetErrorString", "cudaGetErrorName")
def error_text(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    return Expr(TEXT, lambda frame: "no error")


@builtin("cudaDeviceGetAttribute")
def attribute(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    place, which, _ = _typed(node, nodes, [PointerType(INT), INT, INT], scope)
    line, what = line_of(node), shorten(node)

    def act(frame: Frame) -> None:
        key = which(frame)
        if key not in _ATTRIBUTES:
            raise PlanError(f"the reader of host code does not know the device attribute in {what}", line)
        store(place(frame), _ATTRIBUTES[key], what)

    return succeeding(act)


@builtin("cudaGetDeviceProperties")
def properties(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    place, _ = _typed(node, nodes, [PointerType(DEVICE_PROPERTIES), INT], scope)
    known, what = initial(DEVICE_PROPERTIES), shorten(node)
    return succeeding(lambda frame: store(place(frame), copied(known), what))


@builtin("cudaOccupancyMaxPotentialBlockSize")
def launchable_block(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    """256 threads, which every kernel can be launched with, whatever registers it takes, and a block of them for each
    multiprocessor, which are resident together."""
    if not 3 <= len(nodes) <= 5:
        refuse(node, f"{_name(node)} takes (&blocks, &threads, kernel, shared bytes, most threads)")
    blocks, threads = (compile_expression(n, scope).get for n in nodes[:2])
    what = shorten(node)
    most = convert(compile_expression(nodes[4], scope), INT, nodes[4]).get if len(nodes) == 5 else lambda frame: 0

    def act(frame: Frame) -> None:
        limit = most(frame)
        store(blocks(frame), _ATTRIBUTES[16], what)
        store(threads(frame), min(_ANY_BLOCK, limit) if limit > 0 else _ANY_BLOCK, what)

    return succeeding(act)


@builtin("cudaOccupancyMaxActiveBlocksPerMultiprocessor")
def resident_blocks(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    """Answers 1, which holds for every kernel that can be launched: the reader knows no register counts."""
    if len(nodes) != 4:
        refuse(node, f"{_name(node)} takes (&blocks, kernel, threads, shared bytes)")
    place, what = compile_expression(nodes[0], scope).get, shorten(node)
    return succeeding(lambda frame: store(place(frame), 1, what))


@builtin(
    "cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync", "cudaMemcpyFromSymbol", "cudaGetSymbolAddress",
    "memcpy", "memset", "cudaHostRegister", "cudaStreamAddCallback", "cudaLaunchHostFunc", "cudaCreateTextureObject",
    "cudaMemcpyPeer", "cudaMallocArray", "cudaMemcpy3D", "clock", "time", "rand", "getenv", "system", "fopen", "usleep",
)  # fmt: skip
def refused(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    """Known, and outside what a plan can hold; only a fault when the call is reached."""
    name, line = _name(node), line_of(node)
    if "Symbol" in name:
        hint = "pass the data to the kernel as a pointer"
    elif name in ("memcpy", "memset") or "Host" in name:
        hint = "fill host arrays element by element"
    elif name in ("clock", "time", "rand", "getenv", "system", "fopen", "usleep"):
        hint = "a host function only allocates, copies and launches"
    else:
        hint = "allocate, fill, copy and launch directly"

    def get(frame: Frame) -> None:
        raise PlanError(f"{name} is not read; {hint}", line)

    return Expr(_POINTER if name in ("getenv", "fopen") else INT, get)
