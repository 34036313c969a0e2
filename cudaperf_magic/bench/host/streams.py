"""More of the CUDA runtime in host code: graphs, memory pools, events' times, pinned and plain host memory.

A captured graph is what was recorded, and each launch of it records that once more. What only a clock or a device could
answer stays without a value, so that a plan that depends on it is refused where it does.
"""

from __future__ import annotations

from tree_sitter import Node

from cudaperf_magic.bench.host.calls import builtin, callee
from cudaperf_magic.bench.host.cuda import succeeding
from cudaperf_magic.bench.host.runtime import HostPlace, PlanError
from cudaperf_magic.bench.host.scope import (
    Expr,
    Frame,
    Get,
    Scope,
    compile_expression,
    convert,
    machine,
    part,
    refuse,
    shorten,
    store,
)  # fmt: skip
from cudaperf_magic.bench.host.source import line_of
from cudaperf_magic.bench.host.types import ULONG, VOID, PointerType

MOST_HOST_BYTES = 1 << 20  # of one piece of host memory: a plan is about the device's
_LOWEST_PRIORITY, _HIGHEST_PRIORITY = 0, -5
_TOTAL_BYTES = 85899345920  # of an H100's memory
_RESERVED_BYTES = 1 << 30  # for the driver, of what is free


def _gets(node: Node, nodes: list[Node], scope: Scope, least: int) -> list[Get]:
    if len(nodes) < least:
        refuse(node, f"{callee(part(node, 'function'))[0]} takes {least} arguments or more, not {len(nodes)}")
    return [compile_expression(each, scope).get for each in nodes]


@builtin("cudaStreamBeginCapture")
def begin_capture(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    line = line_of(node)
    return succeeding(lambda frame: machine(frame).begin_capture(line))


@builtin("cudaStreamEndCapture")
def end_capture(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    _, graph = _gets(node, nodes[:2], scope, 2)
    line, what = line_of(node), shorten(node)
    return succeeding(lambda frame: store(graph(frame), machine(frame).end_capture(line), what))


@builtin("cudaGraphInstantiate", "cudaGraphInstantiateWithFlags")
def instantiate(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    executable, graph = _gets(node, nodes[:2], scope, 2)
    what = shorten(node)
    return succeeding(lambda frame: store(executable(frame), graph(frame), what))


@builtin("cudaGraphLaunch")
def launch_graph(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    executable, line = _gets(node, nodes[:1], scope, 1)[0], line_of(node)
    return succeeding(lambda frame: machine(frame).launch_graph(executable(frame), line))


@builtin("cudaEventElapsedTime")
def elapsed(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    place, what = _gets(node, nodes[:1], scope, 1)[0], shorten(node)
    return succeeding(lambda frame: store(place(frame), None, what))


@builtin("cudaDeviceGetStreamPriorityRange")
def priorities(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    least, greatest = _gets(node, nodes, scope, 2)[:2]
    what = shorten(node)

    def act(frame: Frame) -> None:
        store(least(frame), _LOWEST_PRIORITY, what)
        store(greatest(frame), _HIGHEST_PRIORITY, what)

    return succeeding(act)


@builtin("cudaMemGetInfo")
def free_memory(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    """For an H100 that holds nothing but what the plan has allocated."""
    free, total = _gets(node, nodes, scope, 2)[:2]
    what = shorten(node)

    def act(frame: Frame) -> None:
        store(free(frame), _TOTAL_BYTES - _RESERVED_BYTES - machine(frame).held_bytes, what)
        store(total(frame), _TOTAL_BYTES, what)

    return succeeding(act)


@builtin("malloc", "calloc")
def host_memory(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    """As many elements as bytes, of which none has a value yet: the type comes with the cast."""
    name = callee(part(node, "function"))[0]
    if len(nodes) != (2 if name == "calloc" else 1):
        refuse(node, f"{shorten(node)}: {name} takes {'a count and a size' if name == 'calloc' else 'a size'}")
    sizes = [convert(compile_expression(each, scope), ULONG, each).get for each in nodes]
    line, start = line_of(node), 0 if name == "calloc" else None

    def get(frame: Frame) -> HostPlace:
        size_bytes = 1
        for size in sizes:
            size_bytes *= size(frame)
        return _host_room(size_bytes, start, line)

    return Expr(PointerType(VOID), get)


def _host_room(size_bytes: int, start: int | None, line: int) -> HostPlace:
    if size_bytes > MOST_HOST_BYTES:
        raise PlanError(f"{size_bytes:,} bytes of host memory; a plan is read with up to {MOST_HOST_BYTES:,}", line)
    return HostPlace([start] * size_bytes, 0)


@builtin("cudaMallocHost", "cudaHostAlloc")
def pinned_memory(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    place, size = _gets(node, nodes[:2], scope, 2)
    line, what = line_of(node), shorten(node)
    return succeeding(lambda frame: store(place(frame), _host_room(size(frame), None, line), what))


@builtin("free", "cudaFreeHost")
def release(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    get, line = _gets(node, nodes[:1], scope, 1)[0], line_of(node)

    def act(frame: Frame) -> None:
        place = get(frame)
        if not isinstance(place, HostPlace) and place.buffer is not None:
            raise PlanError(f"{shorten(node)}: device memory is freed by cudaFree", line)

    return succeeding(act)


@builtin("cudaFuncGetAttributes")
def kernel_attributes(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    """Of every kernel what any can be launched with; registers stay unknown."""
    compile_expression(nodes[-1], scope)
    return succeeding(lambda frame: None)


@builtin("cudaDeviceGetDefaultMemPool", "cudaDeviceGetMemPool", "cudaMemPoolCreate")
def pool(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    place, what = _gets(node, nodes[:1], scope, 1)[0], shorten(node)
    return succeeding(lambda frame: store(place(frame), 1, what))


@builtin("cudaMemPoolSetAttribute", "cudaMemPoolTrimTo", "cudaDeviceSetMemPool", "cudaGraphDestroy",
         "cudaGraphExecDestroy", "cudaGraphUpload", "cudaMemPoolDestroy")  # fmt: skip
def without_effect(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    return succeeding(lambda frame: None)
