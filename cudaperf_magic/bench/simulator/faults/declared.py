"""CUDA text -> the arrays that it declares, with the type and number of their elements, for the names in faults.

It reads the text of one kernel's file as a tree; sizes may use numbers, macros and constants, and the kernel's template
arguments. What it cannot evaluate is None. It compiles and runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from tree_sitter import Node

from cudaperf_magic.bench.host.source import Function, Program, line_of, read_program, text

Space = Literal["shared", "device", "local"]
WORD_BYTES = {
    "char": 1, "bool": 1, "short": 2, "int": 4, "unsigned": 4, "signed": 4, "float": 4, "long": 8, "double": 8,
    "half": 2, "__half": 2, "half2": 4, "__half2": 4, "__nv_bfloat16": 2, "nv_bfloat16": 2, "__nv_bfloat162": 4,
    "size_t": 8, "ptrdiff_t": 8,
    **{f"{sign}int{bits}_t": bits // 8 for sign in ("", "u") for bits in (8, 16, 32, 64)},
}  # fmt: skip
VECTORS = {
    "char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "float": 4, "long": 8, "ulong": 8,
    "longlong": 8, "ulonglong": 8, "double": 8,
}  # fmt: skip


@dataclass(frozen=True)
class Declared:
    """`element_bytes` is 0 and a dimension None where the text does not say it plainly."""

    name: str
    space: Space
    element_bytes: int
    dims: tuple[int | None, ...]
    line: int
    function: str = ""


@lru_cache(maxsize=64)
def declared_arrays(source: str, kernel: str) -> tuple[Declared, ...]:
    """The variables of __shared__ and __device__ memory, and the arrays that functions keep to themselves.

    Args:
        kernel: as it is launched, with its template arguments: "reduce<float, 256>".
    """
    if not source:
        return ()
    program = read_program(source)
    constants = _constants(program.root)
    found: list[Declared] = []
    functions = [f for listed in program.functions.values() for f in listed if f.body is not None]
    for function in functions:
        given = constants | _template_arguments(function, kernel)
        assert function.body is not None
        for node in _declarations(function.body):
            found += _variables(node, given, "local", function.name)
    for node, _ in program.others:
        if node.type == "declaration":
            found += _variables(node, constants, "device", "")
    return tuple(found)


def parameter_names(source: str, kernel: str) -> tuple[str, ...]:
    """The names of a kernel's parameters, in their order; none when the text does not tell."""
    name = kernel.split("<")[0].rsplit("::", 1)[-1]
    kernels = [f for f in read_program(source).functions.get(name, []) if f.is_kernel] if source else []
    return (
        tuple(_name_of(p.child_by_field_name("declarator")) for p in kernels[0].parameters) if len(kernels) == 1 else ()
    )


def _declarations(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        if child.type == "declaration":
            yield child
        elif child.type != "lambda_expression":
            yield from _declarations(child)


def _variables(node: Node, constants: Mapping[str, str], space: Space, function: str) -> Iterator[Declared]:
    words = {text(child) for child in node.children}
    if words & {"__shared__"}:
        space = "shared"
    elif space == "device" and not words & {"__device__", "__constant__", "__managed__"}:
        return
    kind = node.child_by_field_name("type")
    size = _type_bytes(text(kind), constants) if kind is not None else 0
    for declarator in node.children_by_field_name("declarator"):
        inner = declarator.child_by_field_name("declarator") if declarator.type == "init_declarator" else declarator
        if inner is None or inner.type not in ("array_declarator", "identifier"):
            continue
        dims: list[int | None] = []
        while inner is not None and inner.type == "array_declarator":
            length = inner.child_by_field_name("size")
            dims.insert(0, _number(length, constants) if length is not None else None)
            inner = inner.child_by_field_name("declarator")
        if inner is not None and (dims or space != "local"):
            yield Declared(text(inner), space, size, tuple(dims), line_of(node), function)


def _name_of(node: Node | None) -> str:
    while node is not None and node.type != "identifier":
        node = node.child_by_field_name("declarator") or (node.named_children[-1] if node.named_children else None)
    return text(node) if node is not None else ""


def _type_bytes(words: str, constants: Mapping[str, str]) -> int:
    """Bytes of a type by its name, 0 for one that only the compiler knows."""
    parts = words.replace("::", " ").split()
    if not parts:
        return 0
    last = parts[-1] if parts[-1] in constants else ""
    if last:
        return _type_bytes(constants[last], {name: value for name, value in constants.items() if name != last})
    if parts[-1][:-1] in VECTORS and parts[-1][-1] in "1234":
        return VECTORS[parts[-1][:-1]] * int(parts[-1][-1])
    known = [WORD_BYTES[part] for part in parts if part in WORD_BYTES]
    if "long" in parts or "double" in parts:
        return 8
    return min(known, default=0)


def _constants(root: Node) -> dict[str, str]:
    """Macros without parameters and constants with a value, as their text."""
    found: dict[str, str] = {}
    for node in _walk(root):
        if node.type == "preproc_def":
            name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if name is not None and value is not None:
                found[text(name)] = text(value).strip()
        elif node.type == "declaration" and {text(c) for c in node.children} & {"const", "constexpr"}:
            for declarator in node.children_by_field_name("declarator"):
                name, value = declarator.child_by_field_name("declarator"), declarator.child_by_field_name("value")
                if name is not None and name.type == "identifier" and value is not None:
                    found[text(name)] = text(value)
        elif node.type == "enumerator":
            name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if name is not None and value is not None:
                found[text(name)] = text(value)
        elif node.type == "alias_declaration":
            name, value = node.child_by_field_name("name"), node.child_by_field_name("type")
            if name is not None and value is not None:
                found[text(name)] = text(value)
    return found


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.named_children:
        yield from _walk(child)


def _template_arguments(function: Function, kernel: str) -> dict[str, str]:
    name, _, listed = kernel.partition("<")
    if name.rsplit("::", 1)[-1] != function.name or not listed:
        return {}
    values = [part.strip() for part in listed.rstrip("> ").split(",")]
    return {parameter.name: value for parameter, value in zip(function.template, values, strict=False)}


def _number(node: Node | str, constants: Mapping[str, str]) -> int | None:
    """The value of a constant expression of whole numbers."""
    if isinstance(node, str):
        expression = Program(_expression(node)).root
        return _number(expression, constants)
    if node.type == "number_literal":
        try:
            return int(text(node).rstrip("uUlL").replace("'", ""), 0)
        except ValueError:
            return None
    if node.type in ("identifier", "type_identifier"):
        name = text(node)
        rest = {other: value for other, value in constants.items() if other != name}
        return _number(constants[name], rest) if name in constants else None
    if node.type == "parenthesized_expression":
        return _number(node.named_children[0], constants)
    if node.type == "sizeof_expression":
        return _type_bytes(text(node).removeprefix("sizeof").strip("() "), constants) or None
    if node.type == "binary_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        sign = node.child_by_field_name("operator")
        if left is None or right is None or sign is None:
            return None
        return _combined(text(sign), _number(left, constants), _number(right, constants))
    return None


def _expression(words: str) -> Node:
    """The tree of an expression that stands alone, such as a macro's."""
    root = read_program(f"int x = {words};").root
    value = next((n for n in _walk(root) if n.type == "init_declarator"), root)
    return value.child_by_field_name("value") or root


def _combined(sign: str, left: int | None, right: int | None) -> int | None:
    if (
        left is None
        or right is None
        or (sign in ("/", "%") and right <= 0)
        or (sign in ("<<", ">>") and not 0 <= right < 64)
    ):
        return None
    answers = {
        "+": left + right, "-": left - right, "*": left * right, "/": left // right if right else 0,
        "%": left % right if right else 0, "<<": left << min(max(right, 0), 64), ">>": left >> max(right, 0),
    }  # fmt: skip
    return answers.get(sign)
