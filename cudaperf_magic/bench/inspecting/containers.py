"""The std::vector variables of host code -> their sizes: `std::vector<float> h(n)` becomes `size_t h=n`, `h.size()`
becomes `h`, `h.data()` a null pointer, and what is written to its elements is left out. Every line stays where it was.

What the device sees of a vector is how much it holds. Vectors without a size in their declaration are left as they are.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from cudaperf_magic.bench.host.source import parse, text
from cudaperf_magic.bench.inspecting.program import launches_in, walk

Edit = tuple[Node, str]


def sized(source: str) -> str:
    """The text with vectors as numbers."""
    kept = bytearray(source.encode(errors="replace"))
    for function in walk(parse(source)):
        if function.type == "function_definition":
            for node, words in _edits(function):
                write(kept, node, words)
    return kept.decode()


def write(kept: bytearray, node: Node, words: str) -> None:
    """Other words in a node's place, and blanks up to its end."""
    for index in range(node.start_byte, node.end_byte):
        if kept[index] not in b"\n\r":
            kept[index] = 0x20
    kept[node.start_byte : node.start_byte + len(words)] = words.encode()


def _edits(function: Node) -> Iterator[Edit]:
    names: set[str] = set()
    for node in walk(function.child_by_field_name("body")):
        if node.type == "declaration" and (edits := list(_declaration(node))):
            names |= {words.partition("=")[0] for _, words in edits[1:]}
            yield from edits
    if not names:
        return
    left_out = 0  # up to this byte
    for node in walk(function.child_by_field_name("body")):
        if node.start_byte < left_out:
            continue
        if node.type == "expression_statement" and _written(node) in names:
            left_out = node.end_byte
            yield node, ";"
        elif node.type == "for_range_loop" and not any(True for _ in launches_in(node)):
            over = node.child_by_field_name("right")
            if over is not None and text(over) in names:
                left_out = node.end_byte
                yield node, ";"
        elif node.type == "call_expression":
            called = text(node).replace(" ", "")
            yield from ((node, name) for name in names if called == f"{name}.size()")
            yield from ((node, "0") for name in names if called == f"{name}.data()")


def _declaration(node: Node) -> Iterator[Edit]:
    """Of `std::vector<float> a(n), b(n, 2);`: the type's words first, then each variable's; nothing for any other."""
    type_ = node.child_by_field_name("type")
    if type_ is None or not text(type_).removeprefix("std::").startswith("vector<"):
        return
    found = [_variable(child) for child in node.children_by_field_name("declarator")]
    if all(words for _, words in found):
        yield type_, "size_t"
        yield from found


def _variable(node: Node) -> Edit:
    name = node.child_by_field_name("declarator")
    given = node.child_by_field_name("value") or node.child_by_field_name("parameters")
    if name is None or given is None or name.type != "identifier":
        return node, ""
    parts = [child for child in given.named_children if child.type != "comment"]
    if given.type == "initializer_list":
        return node, f"{text(name)}={len(parts)}"
    if given.type not in ("argument_list", "parameter_list") or not parts or ".begin(" in text(parts[0]):
        return node, ""
    return node, f"{text(name)}={text(parts[0])}"


def _written(statement: Node) -> str:
    """The variable to whose element a statement writes."""
    inner = statement.named_children[0] if statement.named_children else None
    target = inner.child_by_field_name("left") if inner is not None and inner.type == "assignment_expression" else None
    while target is not None and target.type == "subscript_expression":
        target = target.child_by_field_name("argument")
        if target is not None and target.type == "identifier":
            return text(target)
    return ""
