"""Free functions: those that make tensors and options, std's tuples, and the device's stream and properties."""

from __future__ import annotations

from typing import Any

from tree_sitter import Node

from ..host.calls import callee
from ..host.initialisers import initialiser
from ..host.runtime import HostPlace
from ..host.scope import Expr, Frame, Get, Scope, compile_expression, convert, decay, part, refuse, shorten, store
from ..host.types import (
    DEVICE_PROPERTIES,
    INT,
    LONG,
    STREAM,
    Arithmetic,
    PointerType,
    Type,
)  # fmt: skip
from .live import live
from .types import DEVICE, OPTIONS, SCALAR_TYPE, SIZES, TENSOR, TupleType, tuple_of
from .words import word

# Fields of cudaDeviceProp as CUdevice_attribute.
ATTRIBUTES = {
    "multiProcessorCount": 16, "maxThreadsPerBlock": 1, "warpSize": 10, "sharedMemPerBlock": 8,
    "sharedMemPerBlockOptin": 97, "sharedMemPerMultiprocessor": 81, "maxThreadsPerMultiProcessor": 39,
    "regsPerBlock": 12, "regsPerMultiprocessor": 82, "l2CacheSize": 38, "major": 75, "minor": 76,
    "cooperativeLaunch": 95, "maxBlocksPerMultiProcessor": 106,
}  # fmt: skip


def keywords(frame: Frame, options: dict[str, Any]) -> dict[str, Any]:
    """TensorOptions as torch takes them in Python."""
    import torch

    found = dict(options)
    if "dtype" in found:
        found["dtype"] = getattr(torch, found["dtype"])
    if "device" in found:
        found["device"] = live(frame).place.made_on(found["device"])
    return found


def _nothing_said(frame: Frame) -> dict[str, Any]:
    return {}


def _options(nodes: list[Node], at: int, node: Node, scope: Scope) -> Get:
    """The last argument, which may be missing."""
    if len(nodes) > at + 1:
        refuse(node, f"{shorten(part(node, 'function'))} with {len(nodes)} arguments is not read")
    return initialiser(nodes[at], OPTIONS, scope) if len(nodes) > at else _nothing_said


def _python(node: Node) -> Any:
    """The function of the same name in torch."""
    name = callee(part(node, "function"))[0]

    def call(*given: Any, **options: Any) -> Any:
        import torch

        return getattr(torch, name)(*given, **options)

    return call


@word("empty", "zeros", "ones")
def made(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    if not nodes:
        refuse(node, "a tensor needs sizes")
    call, sizes, options = _python(node), initialiser(nodes[0], SIZES, scope), _options(nodes, 1, node, scope)
    return Expr(TENSOR, lambda frame: call(sizes(frame), **keywords(frame, options(frame))))


@word("full")
def filled(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    if len(nodes) < 2:
        refuse(node, "torch::full takes sizes and a value")
    sizes, value, options = (
        initialiser(nodes[0], SIZES, scope),
        _number(nodes[1], scope),
        _options(nodes, 2, node, scope),
    )
    call = _python(node)
    return Expr(TENSOR, lambda frame: call(sizes(frame), value(frame), **keywords(frame, options(frame))))


@word("empty_like", "zeros_like", "ones_like", "full_like")
def alike(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    is_full = "full" in callee(part(node, "function"))[0]
    if len(nodes) < 1 + is_full:
        refuse(node, f"{shorten(node)} needs a tensor")
    call, model = _python(node), convert(compile_expression(nodes[0], scope), TENSOR, nodes[0]).get
    values = [_number(nodes[1], scope)] if is_full else []
    options = _options(nodes, 1 + is_full, node, scope)
    return Expr(
        TENSOR,
        lambda frame: call(model(frame), *(get(frame) for get in values), **keywords(frame, options(frame))),
    )


def _number(node: Node, scope: Scope) -> Get:
    expr = compile_expression(node, scope)
    return expr.get if isinstance(expr.type, Arithmetic) else refuse(node, f"{shorten(node)} is no number")


@word("TensorOptions")
def no_options(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    return Expr(OPTIONS, _options(nodes, 0, node, scope))


@word("dtype", "device")
def options_of(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    """`torch::dtype(torch::kFloat32)` begins options."""
    kind: Type = SCALAR_TYPE if callee(part(node, "function"))[0] == "dtype" else DEVICE
    if len(nodes) != 1:
        refuse(node, f"{shorten(node)} takes one argument")
    return convert(convert(compile_expression(nodes[0], scope), kind, nodes[0]), OPTIONS, node)


@word("device_of")
def device_of(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    if len(nodes) != 1:
        refuse(node, "device_of takes a tensor")
    get = convert(compile_expression(nodes[0], scope), TENSOR, nodes[0]).get
    return Expr(DEVICE, lambda frame: live(frame).place.device_of(get(frame)))


@word("getCurrentCUDAStream", "getDefaultCUDAStream")
def stream(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    """Every launch goes to torch's current stream, so this is only a word for it."""
    if callee(part(node, "function"))[0] != "getCurrentCUDAStream":
        refuse(node, "a stream other than the current one is asked for")
    for each in nodes:
        compile_expression(each, scope)
    return Expr(STREAM, lambda frame: 0)


@word("getCurrentDeviceProperties")
def properties(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    return Expr(PointerType(DEVICE_PROPERTIES, True), lambda frame: HostPlace([_properties(frame)], 0))


def _properties(frame: Frame) -> list[Any]:
    """Those that the driver tells; the rest may not be read."""
    known = live(frame).place.attribute
    return [known(ATTRIBUTES[f.name]) if f.name in ATTRIBUTES else None for f in DEVICE_PROPERTIES.fields]


@word("cudaGetDeviceProperties")
def properties_by_address(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    if len(nodes) != 2:
        refuse(node, "cudaGetDeviceProperties takes an address and a device")
    address = convert(compile_expression(nodes[0], scope), PointerType(DEVICE_PROPERTIES), nodes[0]).get
    return _succeeding(lambda frame: store(address(frame), _properties(frame), "cudaDeviceProp"))


@word("cudaDeviceGetAttribute")
def attribute(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    if len(nodes) != 3:
        refuse(node, "cudaDeviceGetAttribute takes an address, an attribute and a device")
    address = convert(compile_expression(nodes[0], scope), PointerType(INT), nodes[0]).get
    which = convert(compile_expression(nodes[1], scope), INT, nodes[1]).get
    return _succeeding(lambda frame: store(address(frame), live(frame).place.attribute(which(frame)), "attribute"))


@word("cudaGetDevice")
def current_device(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    if len(nodes) != 1:
        refuse(node, "cudaGetDevice takes an address")
    address = convert(compile_expression(nodes[0], scope), PointerType(INT), nodes[0]).get
    return _succeeding(lambda frame: store(address(frame), live(frame).place.number, "device"))


@word("cudaDeviceSynchronize", "cudaStreamSynchronize")
def synchronise(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    return _succeeding(lambda frame: live(frame).place.synchronize())


def _succeeding(act: Get) -> Expr:
    def get(frame: Frame) -> int:
        act(frame)
        return 0

    return Expr(INT, get)


@word("make_tuple", "make_pair")
def tuple_made(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    values = [decay(compile_expression(each, scope)) for each in nodes]
    gets = [value.get for value in values]
    return Expr(tuple_of(tuple(value.type for value in values)), lambda frame: [get(frame) for get in gets])


@word("get")
def tuple_element(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    templated = callee(part(node, "function"))[1]
    indices = templated.named_children if templated is not None else []
    base = compile_expression(nodes[0], scope) if len(nodes) == 1 else refuse(node, "std::get takes one tuple")
    index = compile_expression(indices[0], scope).value if len(indices) == 1 else None
    if not isinstance(base.type, TupleType) or not isinstance(index, int) or not 0 <= index < len(base.type.of):
        refuse(node, f"{shorten(node)} is not read")
    get = base.get
    return Expr(base.type.of[index], lambda frame: get(frame)[index])


@word("move")
def moved(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    return compile_expression(nodes[0], scope) if len(nodes) == 1 else refuse(node, "std::move takes one value")


@word("ceil_div")
def rounded_up(node: Node, nodes: list[Node], scope: Scope) -> Expr:
    if len(nodes) != 2:
        refuse(node, "ceil_div takes two numbers")
    first, second = (convert(compile_expression(each, scope), LONG, each).get for each in nodes)
    return Expr(LONG, lambda frame: -(-first(frame) // second(frame)))
