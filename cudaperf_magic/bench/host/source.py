"""A CUDA text as a tree: which functions it has, and which of them are kernels.

Nothing is evaluated here. tree-sitter reads any text, broken ones too; what is broken inside a function is found when
it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser

# Containers of top-level items.
TRANSPARENT = {
    "translation_unit", "namespace_definition", "declaration_list", "linkage_specification", "preproc_if",
    "preproc_ifdef",
    "preproc_else", "preproc_elif", "preproc_elifdef",
}  # fmt: skip
DEVICE_WORDS = {"__global__", "__device__", "__constant__", "__shared__", "__managed__"}

_UNKNOWN_ATTRIBUTES = (b"__cluster_dims__", b"__maxnreg__", b"__block_size__")


@dataclass(frozen=True)
class TemplateParameter:
    name: str
    is_type: bool
    declaration: Node  # of a value: its type; of either: the default, if any


@dataclass(frozen=True)
class Function:
    name: str
    node: Node  # function_definition, or the declaration of a prototype
    declarator: Node  # function_declarator
    words: frozenset[str]  # __global__, static, constexpr ...
    template: tuple[TemplateParameter, ...] = ()
    namespace: str = ""  # "detail::", or "" at the top

    @property
    def line(self) -> int:
        return line_of(self.node)

    @property
    def is_kernel(self) -> bool:
        return "__global__" in self.words

    @property
    def is_host(self) -> bool:
        return "__host__" in self.words or not self.words & {"__global__", "__device__"}

    @property
    def body(self) -> Node | None:
        return self.node.child_by_field_name("body")

    @property
    def parameters(self) -> list[Node]:
        listed = self.declarator.child_by_field_name("parameters")
        found = [] if listed is None else [p for p in listed.named_children if p.type.endswith("parameter_declaration")]
        is_void = len(found) == 1 and found[0].child_count == 1 and text(found[0]) == "void"
        return [] if is_void else found


@dataclass
class Program:
    """The top level of one CUDA text, in its order."""

    root: Node
    functions: dict[str, list[Function]] = field(default_factory=dict)
    others: list[tuple[Node, str]] = field(default_factory=list)  # constants and types, with their namespaces


def text(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")


def line_of(node: Node) -> int:
    return node.start_point[0] + 1


@lru_cache(maxsize=1)
def _language() -> Language:
    return Language(tree_sitter_cuda.language())


def parse(source: str) -> Node:
    text_bytes = bytearray(source.encode(errors="replace"))
    for word in _UNKNOWN_ATTRIBUTES:
        _mask_attribute(text_bytes, word)
    return Parser(_language()).parse(bytes(text_bytes)).root_node  # a parser is not for two threads


def _mask_attribute(source: bytearray, word: bytes) -> None:
    """Spaces over `word(...)`, which the grammar does not know; the text that is compiled keeps it."""
    start = source.find(word)
    while start >= 0:
        end = source.find(b")", start)
        if end < 0:
            return
        source[start : end + 1] = b" " * (end + 1 - start)
        start = source.find(word, end)


def first_error(node: Node) -> Node | None:
    """The first place that the grammar could not follow, or where it had to make up a token."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            return node
        is_list = node.type == "compound_literal_expression"  # <<<{4, 4}, 32>>>, of which the type is missing
        waiting += (c for c in reversed(node.children) if c.has_error and not (is_list and c.is_missing))
    return None


def reparse(expression: str, line: int) -> Node | None:
    """The tree of an expression that the grammar took for something else, at the line where it stands."""
    root = parse("\n" * (line - 1) + "void f() { x = " + expression + "; }")
    body = root.named_children[0].child_by_field_name("body") if root.named_children else None
    statement = body.named_children[0] if body is not None and body.named_children else None
    assignment = statement.named_children[0] if statement is not None and statement.named_children else None
    return assignment.child_by_field_name("right") if assignment is not None and not root.has_error else None


def read_program(source: str) -> Program:
    program = Program(parse(source))
    for item, template, namespace in _items(program.root):
        function = function_of(item, template, namespace)
        if function is None:
            if template is None:
                program.others.append((item, namespace))
        else:
            known = program.functions.setdefault(function.name, [])
            same = [f for f in known if len(f.parameters) == len(function.parameters) and f.words == function.words]
            if function.body is None or not any(f.body is None for f in same):
                known.append(function)
            else:  # the definition takes the prototype's place
                known[known.index(next(f for f in same if f.body is None))] = function
    return program


def _items(node: Node, namespace: str = "") -> Iterator[tuple[Node, Node | None, str]]:
    """Top-level items with their template declaration, through namespaces, extern "C" and conditionals."""
    for child in node.named_children:
        if child.type in TRANSPARENT:
            name = child.child_by_field_name("name") if child.type == "namespace_definition" else None
            yield from _items(child, namespace + (f"{text(name)}::" if name is not None else ""))
        elif child.type == "template_declaration":
            yield child.named_children[-1], child, namespace
        else:
            yield child, None, namespace


def function_of(node: Node, template: Node | None, namespace: str = "") -> Function | None:
    if node.type not in ("function_definition", "declaration"):
        return None
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type in ("pointer_declarator", "reference_declarator"):
        declarator = declarator.child_by_field_name("declarator") or declarator.named_children[-1]
    if declarator is None or declarator.type != "function_declarator":
        return None
    name = declarator.child_by_field_name("declarator")
    if name is None or name.type not in ("identifier", "qualified_identifier", "field_identifier"):
        return None
    words = frozenset(text(c) for c in node.children if c.type in DEVICE_WORDS | _SPECIFIERS or c.type.startswith("__"))
    return Function(text(name).rsplit("::", 1)[-1], node, declarator, words, _template(template), namespace)


_SPECIFIERS = {"storage_class_specifier", "type_qualifier"}


def _template(node: Node | None) -> tuple[TemplateParameter, ...]:
    listed = node and node.child_by_field_name("parameters")
    found = []
    for parameter in listed.named_children if listed else ():
        if parameter.type in ("type_parameter_declaration", "optional_type_parameter_declaration"):
            names = [c for c in parameter.named_children if c.type == "type_identifier"]
            found.append(TemplateParameter(text(names[0]) if names else "", True, parameter))
        elif parameter.type in ("parameter_declaration", "optional_parameter_declaration"):
            name = parameter.child_by_field_name("declarator")
            found.append(TemplateParameter(text(name) if name else "", False, parameter))
    return tuple(found)


def nested_launch(source: str) -> int | None:
    """The line at which device code launches a kernel itself (dynamic parallelism); None when none does."""
    functions = [f for each in read_program(source).functions.values() for f in each]
    waiting = [f.body for f in functions if f.body is not None and f.words & {"__global__", "__device__"}]
    found: list[int] = []
    while waiting:
        node = waiting.pop()
        waiting += node.named_children
        if node.type == "kernel_call_syntax":
            found.append(line_of(node))
    return min(found, default=None)
