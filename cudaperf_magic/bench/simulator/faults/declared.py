"""CUDA text -> the arrays that it declares, with the type and number of their elements, for the names in faults.

It reads the text of one kernel's file as a tree; sizes may use numbers, macros and constants, and the kernel's template
arguments. What it cannot evaluate is None. It compiles and runs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from tree_sitter import Node

from cudaperf_magic.bench.host.source import Function, line_of, read_program, text

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

LOOPS = ("for_statement", "while_statement", "do_statement")
MOST_NODES = 1000  # of one array's size
LARGEST = 1 << 40


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
    try:
        return tuple(_declared(source, kernel)) if source else ()
    except RecursionError:  # of a text that nests without end: then places have plainer names
        return ()


def _declared(source: str, kernel: str) -> Iterator[Declared]:
    program = read_program(source)
    constants = _constants(program.root)
    functions = [f for listed in program.functions.values() for f in listed if f.body is not None]
    for function in functions:
        given = constants | _template_arguments(function, kernel)
        assert function.body is not None
        for node in _declarations(function.body):
            yield from _variables(node, given, "local", function.name)
    for node, _ in program.others:
        if node.type == "declaration":
            yield from _variables(node, constants, "device", "")


def parameter_names(source: str, kernel: str) -> tuple[str, ...]:
    """The names of a kernel's parameters, in their order; none when the text does not tell."""
    try:
        return _parameter_names(source, kernel) if source else ()
    except RecursionError:
        return ()


def _parameter_names(source: str, kernel: str) -> tuple[str, ...]:
    name = kernel.split("<")[0].rsplit("::", 1)[-1]
    kernels = [f for f in read_program(source).functions.get(name, []) if f.is_kernel]
    if len(kernels) != 1:
        return ()
    return tuple(_name_of(p.child_by_field_name("declarator")) for p in kernels[0].parameters)


@lru_cache(maxsize=64)
def loops(source: str) -> tuple[tuple[int, int], ...]:
    """First and last line of every loop of the text."""
    try:
        nodes = [n for n in _walk(read_program(source).root) if n.type in LOOPS] if source else []
    except RecursionError:
        return ()
    return tuple((line_of(node), node.end_point[0] + 1) for node in nodes)


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
            dims.insert(0, _Evaluation(constants).number(length) if length is not None else None)
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


@dataclass
class _Evaluation:
    """Whole-number expressions by their trees, with a limit on how much is looked at: macros can nest without end."""

    constants: Mapping[str, str]
    left: int = MOST_NODES

    def number(self, node: Node) -> int | None:
        self.left -= 1
        if self.left < 0:
            return None
        if node.type == "number_literal":
            return _literal(text(node))
        if node.type in ("identifier", "type_identifier"):
            words = self.constants.get(text(node))
            return self.number(_expression(words)) if words is not None else None
        if node.type == "parenthesized_expression":
            return self.number(node.named_children[0]) if node.named_children else None
        if node.type == "sizeof_expression":
            return _type_bytes(text(node).removeprefix("sizeof").strip("() "), self.constants) or None
        if node.type == "binary_expression":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            sign = node.child_by_field_name("operator")
            if left is not None and right is not None and sign is not None:
                return _combined(text(sign), self.number(left), self.number(right))
        return None


def _literal(words: str) -> int | None:
    try:
        return int(words.rstrip("uUlL").replace("'", "")[:20], 0)
    except ValueError:
        return None


def _expression(words: str) -> Node:
    """The tree of an expression that stands alone, such as a macro's."""
    root = read_program(f"int x = {words};").root
    value = next((n for n in _walk(root) if n.type == "init_declarator"), root)
    return value.child_by_field_name("value") or root


def _combined(sign: str, left: int | None, right: int | None) -> int | None:
    if left is None or right is None or not 0 <= left < LARGEST or not 0 <= right < LARGEST:
        return None
    if (sign in ("/", "%") and right == 0) or (sign in ("<<", ">>") and right > 31):
        return None
    answers: dict[str, Callable[[int, int], int]] = {
        "+": int.__add__, "-": int.__sub__, "*": int.__mul__, "/": int.__floordiv__, "%": int.__mod__,
        "<<": int.__lshift__, ">>": int.__rshift__,
    }  # fmt: skip
    return answers[sign](left, right) if sign in answers else None
