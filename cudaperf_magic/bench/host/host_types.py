"""Which classes and type names of a CUDA text are the host's alone: they mention what no device has, and no device code
mentions them.

`class Buffer { Buffer(size_t n) { cudaMalloc(&p, n); } ... }` is one. A functor that is only named in a launch is not:
nothing in it needs the host.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tree_sitter import Node

from cudaperf_magic.bench.host.source import DEVICE_WORDS, TRANSPARENT, text

_TYPES = {"class_specifier", "struct_specifier", "alias_declaration", "type_definition"}
_NAMES = {"identifier", "type_identifier", "namespace_identifier", "field_identifier"}
_HOST_NAMES = frozenset({
    "cerr", "chrono", "cout", "deque", "endl", "exception", "exit", "fprintf", "function", "ifstream", "list", "map",
    "multimap", "mutex", "ofstream", "ostream", "random_device", "runtime_error", "set", "shared_ptr", "string",
    "stringstream", "thread", "unique_ptr", "unordered_map", "unordered_set", "vector",
})  # fmt: skip


def host_types(root: Node, dropped: Collection[Node], macros: Collection[str]) -> list[Node]:
    """The types that device code can do without.

    Args:
        dropped: what is known to be the host's already. macros: names that stand for __device__ and its like.
    """
    gone = {node.id for node in dropped}
    items = [node for node in _items(root) if node.id not in gone]
    types = [node for node in items if _inner(node).type in _TYPES and not _words(node) & (DEVICE_WORDS | {*macros})]
    hosts: list[Node] = []
    names = set(_HOST_NAMES)
    is_growing = True
    while is_growing:
        more = [node for node in types if node not in hosts and _is_of_the_host(node, names)]
        hosts += more
        names |= {_name(node) for node in more} - {""}
        is_growing = bool(more)
    while hosts:  # what remains must not be mentioned by what remains
        used = {word for node in items if node not in hosts for word in _words(node)}
        kept = [node for node in hosts if _name(node) in used]
        if not kept:
            break
        hosts = [node for node in hosts if node not in kept]
    return hosts


def _items(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        if child.type in TRANSPARENT:
            yield from _items(child)
        else:
            yield child


def _inner(node: Node) -> Node:
    return node.named_children[-1] if node.type == "template_declaration" else node


def _name(node: Node) -> str:
    named = _inner(node).child_by_field_name("name") or _inner(node).child_by_field_name("declarator")
    return text(named) if named is not None else ""


def _is_of_the_host(node: Node, names: Collection[str]) -> bool:
    for each in _all(node):
        if each.type in ("throw_statement", "kernel_call_syntax"):
            return True
        if each.type == "call_expression":
            called = each.child_by_field_name("function")
            if called is not None and text(called)[:4] == "cuda" and text(called)[4:5].isupper():
                return True
        if each.type in _NAMES and text(each) in names and text(each) != _name(node):
            return True
    return False


def _words(node: Node) -> set[str]:
    return {text(each) for each in _all(node) if each.type in _NAMES or text(each) in DEVICE_WORDS}


def _all(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.children
