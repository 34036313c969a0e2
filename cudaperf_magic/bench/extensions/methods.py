"""Methods of torch's classes. Those of a tensor that compute are left out: they are the framework's work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tree_sitter import Node

from ..host.calls import arguments_of
from ..host.containers import VectorType, changed, vector_of
from ..host.declared import declared, written_type
from ..host.initialisers import initialiser
from ..host.runtime import Place
from ..host.scope import Expr, Frame, Get, Scope, compile_expression, convert, decay, part, refuse, shorten
from ..host.source import text
from ..host.types import BOOL, DOUBLE, LONG, STREAM, ULONG, VOID, Arithmetic, PointerType, Type, describe
from .factories import keywords
from .live import live
from .types import (
    DEVICE,
    DEVICE_TYPE,
    DTYPES,
    NOTHING,
    OPTIONS,
    PROPERTIES,
    SCALAR_NAMES,
    SCALAR_TYPE,
    SIZES,
    TENSOR,
    OptionalType,
)  # fmt: skip
from .words import METHOD

# Kinds of parameters: i an integer, l a list of them, n a number, t a tensor.
KINDS: dict[str, Type] = {"i": LONG, "l": SIZES, "n": DOUBLE, "t": TENSOR}
NUMBERS = {
    "size": "i", "stride": "i", "numel": "", "dim": "", "ndimension": "", "element_size": "", "get_device": "",
    "storage_offset": "",
}  # fmt: skip
CLAIMS = ("is_contiguous", "is_floating_point")
# Each of these is the method of the same name in Python; alternatives are told apart by their number of parameters.
TENSORS: dict[str, tuple[str, ...]] = {
    "contiguous": ("",), "clone": ("",), "detach": ("",), "t": ("",), "zero_": ("",), "fill_": ("n",),
    "copy_": ("t",), "view": ("l",), "reshape": ("l",), "permute": ("l",), "expand": ("l",), "transpose": ("ii",),
    "unsqueeze": ("i",), "squeeze": ("", "i"), "flatten": ("", "i", "ii"), "view_as": ("t",), "reshape_as": ("t",),
    "expand_as": ("t",), "narrow": ("iii",), "select": ("ii",),
}  # fmt: skip
POINTERS = ("data_ptr", "mutable_data_ptr", "const_data_ptr", "data")


def dtype_name(tensor: Any) -> str:
    return str(tensor.dtype).removeprefix("torch.")


@dataclass(frozen=True)
class Asked:
    """One call of a method."""

    base: Expr
    name: str
    templated: Node | None  # its template arguments
    nodes: list[Node]  # its arguments
    node: Node
    scope: Scope


def method(node: Node, function: Node, scope: Scope) -> Expr:
    base = compile_expression(part(function, "argument"), scope)
    name, templated = _field(part(function, "field"))
    if text(part(function, "operator")) == "->":
        if not isinstance(base.type, OptionalType):
            refuse(node, f"{shorten(function)}: -> is read of optionals only")
        base = Expr(base.type.of, base.get, name=base.name)
    reader = _reader(base.type)
    made = reader(Asked(base, name, templated, arguments_of(node), node, scope)) if reader is not None else None
    if made is None:
        refuse(node, f"{shorten(function)} of a {describe(base.type)} is not read")
    return made


METHOD.append(method)
Reader = Callable[[Asked], Expr | None]


def _reader(type_: Type) -> Reader | None:
    if isinstance(type_, VectorType):
        return _of_vector
    if isinstance(type_, OptionalType):
        return _of_optional
    return next((reader for known, reader in _READERS if known == type_), None)


def _field(node: Node) -> tuple[str, Node | None]:
    """The name, and its template arguments."""
    if node.type == "dependent_name" and node.named_children:
        return _field(node.named_children[-1])
    if node.type == "template_method":
        return text(part(node, "name")), node.child_by_field_name("arguments")
    return text(node), None


def _of_tensor(asked: Asked) -> Expr | None:
    name, count = asked.name, len(asked.nodes)
    if name in POINTERS:
        return _pointer(asked)
    if name == "item":
        return _item(asked)
    if name == "to":
        return _to(asked)
    if name in ("new_empty", "new_zeros", "new_ones"):
        return _new(asked)
    for kinds in TENSORS.get(name, ()):
        if len(kinds) == count:
            return _called(asked, kinds, TENSOR)
    if name in NUMBERS:
        return _called(asked, NUMBERS[name], LONG) if len(NUMBERS[name]) == count else None
    if count:
        return None
    return _called(asked, "", BOOL) if name in CLAIMS else _fact(asked.base, name)


def _called(asked: Asked, kinds: str, result: Type) -> Expr:
    """The method of the same name in Python."""
    gets = [_argument(kind, node, asked.scope) for kind, node in zip(kinds, asked.nodes, strict=True)]
    get, name = asked.base.get, asked.name
    return Expr(result, lambda frame: getattr(get(frame), name)(*[each(frame) for each in gets]))


def _argument(kind: str, node: Node, scope: Scope) -> Get:
    if kind != "n":
        return initialiser(node, KINDS[kind], scope)
    expr = compile_expression(node, scope)  # an integer stays one: torch looks at it
    return expr.get if isinstance(expr.type, Arithmetic) else refuse(node, f"{shorten(node)} is no number")


def _fact(base: Expr, name: str) -> Expr | None:
    """What is known of a tensor without arguments."""
    if name in FACTS:
        return changed(base, *FACTS[name])
    get = base.get
    if name == "device":
        return Expr(DEVICE, lambda frame: live(frame).place.device_of(get(frame)))
    if name in ("is_cuda", "is_cpu"):
        kind = name.removeprefix("is_")
        return Expr(BOOL, lambda frame: live(frame).place.device_of(get(frame)).startswith(kind))
    if name == "options":
        return Expr(OPTIONS, lambda frame: _options(frame, get(frame)))
    return None


def _options(frame: Frame, tensor: Any) -> dict[str, Any]:
    return {"dtype": dtype_name(tensor), "device": live(frame).place.device_of(tensor)}


FACTS: dict[str, tuple[Type, Callable[[Any], Any]]] = {
    "sizes": (SIZES, lambda tensor: [*tensor.shape]),
    "strides": (SIZES, lambda tensor: [*tensor.stride()]),
    "scalar_type": (SCALAR_TYPE, dtype_name),
    "dtype": (SCALAR_TYPE, dtype_name),
    "type": (PROPERTIES, lambda tensor: tensor),
    "defined": (BOOL, lambda tensor: True),
    "nbytes": (ULONG, lambda tensor: tensor.numel() * tensor.element_size()),
    "requires_grad": (BOOL, lambda tensor: tensor.requires_grad),
}


def _template_type(asked: Asked) -> tuple[Type, bool]:
    """The one template argument, and whether it is const."""
    listed = asked.templated.named_children if asked.templated is not None else []
    if len(listed) != 1:
        refuse(asked.node, f"{shorten(asked.node)} takes one template argument")
    written = written_type(listed[0], asked.scope)
    return declared(None, written, asked.scope).type, written.is_const


def _pointer(asked: Asked) -> Expr | None:
    """`data_ptr<T>()`: an absolute address on the device."""
    if asked.nodes or (asked.templated is None and asked.name == "data"):
        return None
    target: Type = VOID
    is_const, wanted = asked.name == "const_data_ptr", ""
    if asked.templated is not None:
        given, has_const = _template_type(asked)
        if not isinstance(given, Arithmetic) or given not in DTYPES:
            refuse(asked.node, f"{shorten(asked.node)}: of which dtype this is a pointer is not known")
        target, is_const, wanted = given, is_const or has_const, DTYPES[given]
    get = asked.base.get

    def address(frame: Frame) -> Place:
        tensor = get(frame)
        has = dtype_name(tensor)
        if wanted and has != wanted:
            raise RuntimeError(f"expected scalar type {SCALAR_NAMES[wanted]} but found {SCALAR_NAMES.get(has, has)}")
        live(frame).place.used(tensor)
        return Place(None, tensor.data_ptr())

    return Expr(PointerType(target, is_const), address, name=asked.base.name)


def _item(asked: Asked) -> Expr | None:
    given, _ = _template_type(asked)
    is_number = isinstance(given, Arithmetic) and not asked.nodes
    return changed(asked.base, given, lambda tensor: tensor.item()) if is_number else None


def _to(asked: Asked) -> Expr | None:
    """Of a dtype, a device, or options."""
    if len(asked.nodes) != 1:
        return None
    get, given = asked.base.get, initialiser(asked.nodes[0], OPTIONS, asked.scope)
    return Expr(TENSOR, lambda frame: get(frame).to(**keywords(frame, given(frame))))


def _new(asked: Asked) -> Expr | None:
    if not 1 <= len(asked.nodes) <= 2:
        return None
    get, name, sizes = asked.base.get, asked.name, initialiser(asked.nodes[0], SIZES, asked.scope)
    options: Get = initialiser(asked.nodes[1], OPTIONS, asked.scope) if len(asked.nodes) > 1 else _nothing_said
    return Expr(TENSOR, lambda frame: getattr(get(frame), name)(sizes(frame), **keywords(frame, options(frame))))


def _nothing_said(frame: Frame) -> dict[str, Any]:
    return {}


def _of_vector(asked: Asked) -> Expr | None:
    base, name, type_ = asked.base, asked.name, asked.base.type
    assert isinstance(type_, VectorType)
    if not asked.nodes:
        known: dict[str, tuple[Type, Callable[[Any], Any]]] = {
            "size": (ULONG, len),
            "empty": (BOOL, lambda values: not values),
            "vec": (vector_of(type_.of), list),
            "back": (type_.of, lambda values: values[-1]),
            "front": (type_.of, lambda values: values[0]),
        }
        return changed(base, *known[name]) if name in known else None
    if len(asked.nodes) > 1:
        return None
    if name in ("at", "reserve"):
        index = decay(compile_expression(asked.nodes[0], asked.scope))
        return type_.element(base, index, asked.node) if name == "at" else Expr(VOID, lambda frame: None)
    if name in ("push_back", "emplace_back") and not base.is_const:
        get, value = base.get, initialiser(asked.nodes[0], type_.of, asked.scope)
        return Expr(VOID, lambda frame: get(frame).append(value(frame)))
    return None


def _of_optional(asked: Asked) -> Expr | None:
    assert isinstance(asked.base.type, OptionalType)
    if asked.nodes or asked.name not in ("has_value", "value"):
        return None
    is_asked = asked.name == "has_value"
    return convert(asked.base, BOOL, asked.node) if is_asked else changed(asked.base, asked.base.type.of, _value)


def _value(value: Any) -> Any:
    if value is NOTHING:
        raise RuntimeError("bad optional access")
    return value


def _of_options(asked: Asked) -> Expr | None:
    kinds: dict[str, Type] = {"dtype": SCALAR_TYPE, "device": DEVICE, "requires_grad": BOOL}
    name = asked.name
    if name not in kinds or len(asked.nodes) != 1:
        return None
    value, get = initialiser(asked.nodes[0], kinds[name], asked.scope), asked.base.get
    return Expr(OPTIONS, lambda frame: {**get(frame), name: value(frame)})


def _of_device(asked: Asked) -> Expr | None:
    known: dict[str, tuple[Type, Callable[[str], Any]]] = {
        "is_cuda": (BOOL, lambda device: device.startswith("cuda")),
        "is_cpu": (BOOL, lambda device: device.startswith("cpu")),
        "type": (DEVICE_TYPE, lambda device: device.partition(":")[0]),
        "index": (LONG, lambda device: int(device.partition(":")[2] or -1)),
    }
    return changed(asked.base, *known[asked.name]) if asked.name in known and not asked.nodes else None


def _of_properties(asked: Asked) -> Expr | None:
    """`x.type().is_cuda()`, of old sources."""
    known = {"is_cuda": "is_cuda", "scalarType": "scalar_type"}
    return _fact(asked.base, known[asked.name]) if asked.name in known and not asked.nodes else None


def _of_stream(asked: Asked) -> Expr | None:
    return asked.base if asked.name == "stream" and not asked.nodes else None


_READERS: tuple[tuple[Type, Reader], ...] = (
    (TENSOR, _of_tensor),
    (OPTIONS, _of_options),
    (DEVICE, _of_device),
    (PROPERTIES, _of_properties),
    (STREAM, _of_stream),
)
