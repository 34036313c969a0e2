"""A CUDA text as a tree: which functions it has, which of them are kernels, and the text that the device compiler
should see.

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
_TRANSPARENT = {
    "translation_unit", "namespace_definition", "declaration_list", "linkage_specification", "preproc_if",
    "preproc_ifdef",
    "preproc_else", "preproc_elif", "preproc_elifdef",
}  # fmt: skip
_DEVICE_WORDS = {"__global__", "__device__", "__constant__", "__shared__", "__managed__"}
_DIRECTIVES = {"preproc_def", "preproc_function_def", "preproc_call"}

# Headers that only host code needs, or that the device compiler has built in. It judges every other #include.
_HOST_HEADERS = frozenset(
    [
        "cuda_runtime.h",
        "cuda_runtime_api.h",
        "cuda.h",
        "device_launch_parameters.h",
        "device_functions.h",
        "driver_types.h",
        "helper_cuda.h",
        "algorithm",
        "array",
        "chrono",
        "cctype",
        "cerrno",
        "cstdlib",
        "cstdio",
        "cstring",
        "ctime",
        "deque",
        "exception",
        "fstream",
        "functional",
        "iomanip",
        "ios",
        "iostream",
        "istream",
        "list",
        "map",
        "memory",
        "mutex",
        "new",
        "numeric",
        "ostream",
        "random",
        "set",
        "sstream",
        "stdexcept",
        "string",
        "string_view",
        "thread",
        "tuple",
        "unordered_map",
        "unordered_set",
        "utility",
        "vector",
        "stdlib.h",
        "string.h",
        "time.h",
        "unistd.h",
        "errno.h",
        "ctype.h",
        "sys/time.h",
        "malloc.h",
        "omp.h",
    ]
)


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
        function = _function(item, template, namespace)
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
        if child.type in _TRANSPARENT:
            name = child.child_by_field_name("name") if child.type == "namespace_definition" else None
            yield from _items(child, namespace + (f"{text(name)}::" if name is not None else ""))
        elif child.type == "template_declaration":
            yield child.named_children[-1], child, namespace
        else:
            yield child, None, namespace


def _function(node: Node, template: Node | None, namespace: str = "") -> Function | None:
    if node.type not in ("function_definition", "declaration"):
        return None
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type in ("pointer_declarator", "reference_declarator"):
        declarator = declarator.child_by_field_name("declarator") or declarator.named_children[-1]
    if declarator is None or declarator.type != "function_declarator":
        return None
    name = declarator.child_by_field_name("declarator")
    if name is None or name.type not in ("identifier", "qualified_identifier"):
        return None
    words = frozenset(
        text(c) for c in node.children if c.type in _DEVICE_WORDS | _SPECIFIERS or c.type.startswith("__")
    )
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


def device_source(source: str) -> str:
    """The same text without what only the host needs, every remaining character at its own line and column.

    Kept: kernels, device functions, constants, types, templates, macros, constexpr functions, device headers.
    """
    root = parse(source)
    kept = bytearray(source.encode(errors="replace"))
    for node in _host_only(root, _device_macros(root)):
        _blank(kept, node)
    return kept.decode()


def _device_macros(root: Node) -> frozenset[str]:
    """Names like DEV of `#define DEV __device__ inline`, which make a device function of what they stand before."""
    found: set[str] = set()
    for node in _directives(root):
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        words = set(text(value).replace("(", " ").split()) if value is not None else set()
        if name is not None and words & (_DEVICE_WORDS | {"constexpr"} | found):
            found.add(text(name))
    return frozenset(found)


def _host_only(node: Node, macros: frozenset[str]) -> Iterator[Node]:
    for child in node.named_children:
        if child.type in _TRANSPARENT:
            yield from _host_only(child, macros)
        elif child.type == "preproc_include":
            path = child.child_by_field_name("path")
            if path is not None and text(path).strip('<>"') in _HOST_HEADERS:
                yield child
        elif child.type == "using_declaration":
            if "std" in text(child).replace(";", " ").replace("::", " ").split():
                yield child
        elif _is_host_only(child.named_children[-1] if child.type == "template_declaration" else child, macros):
            yield child


def _is_host_only(node: Node, macros: frozenset[str]) -> bool:
    body = node.child_by_field_name("body")
    head = (node.text or b"")[: body.start_byte - node.start_byte if body is not None else None].decode(
        errors="replace"
    )
    if macros and not macros.isdisjoint(head.replace("(", " ").replace("*", " ").split()):
        return False
    function = _function(node, None)
    if function is not None:
        return not function.words & {"__global__", "__device__", "constexpr"}
    if node.type == "declaration":
        words = {text(child) for child in node.children}
        return not words & (_DEVICE_WORDS | {"const", "constexpr"})
    return node.type in ("expression_statement", "if_statement", "for_statement", "return_statement")


def _blank(kept: bytearray, node: Node) -> None:
    """Spaces over the node, but for line ends and for the preprocessor's lines inside it, which later code may need."""
    directives = [(c.start_byte, c.end_byte) for c in _directives(node)]
    position = node.start_byte
    for start, end in [*directives, (node.end_byte, node.end_byte)]:
        for index in range(position, start):
            if kept[index] not in b"\n\r":
                kept[index] = 0x20
        position = max(position, end)


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


def _directives(node: Node) -> Iterator[Node]:
    """The preprocessor's lines below a node, in the text's order, however deep they stand."""
    waiting = list(reversed(node.children))
    while waiting:
        node = waiting.pop()
        if node.type in _DIRECTIVES:
            yield node
        else:
            waiting += reversed(node.children)
