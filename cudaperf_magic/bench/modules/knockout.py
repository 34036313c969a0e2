"""CUDA text whose kernels do nothing: what still gives the right answer then never needed them.

Text in, text out; it knows CUDA's syntax by tree-sitter and runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

KERNEL = b"__global__"


def without_bodies(source: str) -> str:
    """The same text with the body of every `__global__` function emptied; lines keep their numbers."""
    import tree_sitter
    import tree_sitter_cuda

    data = source.encode()
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))
    pieces, end = [], 0
    for start, stop in sorted(_bodies(parser.parse(data).root_node, data)):
        inside = data[start:stop]
        pieces += [data[end:start], b"{" + b"\n" * inside.count(b"\n") + b"}"]
        end = stop
    return b"".join([*pieces, data[end:]]).decode()


def _bodies(node: Any, data: bytes) -> Iterator[tuple[int, int]]:
    if node.type == "function_definition":
        body = node.child_by_field_name("body")
        if body is not None and KERNEL in data[node.start_byte : body.start_byte]:
            yield body.start_byte, body.end_byte
        return
    for child in node.children:
        yield from _bodies(child, data)
