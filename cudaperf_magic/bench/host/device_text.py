"""A CUDA text -> the text that the device compiler should see, without what only the host needs.

Nothing is evaluated: what a function is marked with decides, and of a class what it mentions and who mentions it.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from cudaperf_magic.bench.host.host_types import host_types
from cudaperf_magic.bench.host.source import DEVICE_WORDS, TRANSPARENT, function_of, parse, text

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


def device_source(source: str) -> str:
    """The same text without what only the host needs, every remaining character at its own line and column.

    Kept: kernels, device functions, constants, types, templates, macros, constexpr functions, device headers.
    """
    root = parse(source)
    kept = bytearray(source.encode(errors="replace"))
    macros = _device_macros(root)
    dropped = list(_host_only(root, macros))
    for node in (*dropped, *host_types(root, dropped, macros)):
        _blank(kept, node)
    return kept.decode()


def _device_macros(root: Node) -> frozenset[str]:
    """Names like DEV of `#define DEV __device__ inline`, which make a device function of what they stand before."""
    found: set[str] = set()
    for node in _directives(root):
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        words = set(text(value).replace("(", " ").split()) if value is not None else set()
        if name is not None and words & (DEVICE_WORDS | {"constexpr"} | found):
            found.add(text(name))
    return frozenset(found)


def _host_only(node: Node, macros: frozenset[str]) -> Iterator[Node]:
    for child in node.named_children:
        if child.type in TRANSPARENT:
            dropped = list(_host_only(child, macros))
            # Without its one function `extern "C"` would be left with nothing to stand before.
            yield from [child] if child.child_by_field_name("body") in dropped else dropped
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
    function = function_of(node, None)
    if function is not None:
        return not function.words & {"__global__", "__device__", "constexpr"}
    if node.type == "declaration":
        words = {text(child) for child in node.children}
        return not words & (DEVICE_WORDS | {"const", "constexpr"})
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


def _directives(node: Node) -> Iterator[Node]:
    """The preprocessor's lines below a node, in the text's order, however deep they stand."""
    waiting = list(reversed(node.children))
    while waiting:
        node = waiting.pop()
        if node.type in _DIRECTIVES:
            yield node
        else:
            waiting += reversed(node.children)
