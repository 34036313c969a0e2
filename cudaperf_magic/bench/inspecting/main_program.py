"""A whole program's main() -> what of it the device sees: allocations, sizes, launches. The rest of main is not run.

Statements that neither launch anything nor compute what a launch needs are blanked out, every other character stays in
its place; host arrays become null pointers. Device arrays that host code fills (by cudaMemcpy, or through managed
memory) keep their size and get made-up values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tree_sitter import Node

from cudaperf_magic.bench.host.macros import expand
from cudaperf_magic.bench.host.runtime import PlanError
from cudaperf_magic.bench.host.source import read_program, text
from cudaperf_magic.bench.inspecting.containers import sized, write
from cudaperf_magic.bench.inspecting.parameters import Parameter
from cudaperf_magic.bench.inspecting.program import Entry, launches_in, launching_functions, listed
from cudaperf_magic.bench.inspecting.slicing import Slice


def main_entry(source: str, defines: tuple[str, ...]) -> Entry:
    """main(), and the functions through which it launches, cut down to what the device sees.

    Raises:
        PlanError: the text cannot be read.
    """
    expanded = sized(expand(source, defines))
    program = read_program(expanded)
    launching = launching_functions(program)
    kept = bytearray(expanded.encode(errors="replace"))
    filled: dict[str, Parameter] = {}
    symbols: dict[str, None] = {}
    strangers: dict[str, None] = {}
    for function in launching.values():
        part = Slice(function, program, set(launching))
        for node in part.dropped():
            write(kept, node, ";")  # a loop or branch keeps a body
        for node, words in [*part.host_arrays(), *part.choices()]:
            write(kept, node, words)
        filled |= {p.name: p for p in part.parameters()}
        symbols |= dict.fromkeys(part.symbols)
        strangers |= dict.fromkeys(part.strangers)
        if function.name == "main":
            taken = function.declarator.child_by_field_name("parameters")
            if taken is not None:
                write(kept, taken, "()")
    return Entry(kept.decode(), "main", (), "main()", tuple(_notes(filled, symbols, strangers)), tuple(filled.values()))


def _notes(filled: Iterable[str], symbols: Iterable[str], strangers: Iterable[str]) -> Iterator[str]:
    if filled:
        yield f"host code fills {listed(filled)}, and is not run here: the values are made up"
    if symbols:
        yield f"host code copies to {listed(symbols)}, and is not run here: zeros are there instead"
    if strangers:
        yield (
            f"a kernel is given {listed(strangers)} in the host's memory, which it cannot reach: cudaMalloc an array "
            "and cudaMemcpy to it, or use cudaMallocManaged"
        )


def first_launch(source: str, defines: tuple[str, ...]) -> str:
    """The first launch that a program writes, for a sentence that asks for --launch."""
    node = _first_launch(source, defines)
    return " ".join(text(node).split()) if node is not None else ""


def launched_first(source: str, defines: tuple[str, ...]) -> str:
    """The kernel of the first launch, with its template arguments; "" when there is none."""
    node = _first_launch(source, defines)
    name = node.child_by_field_name("function") if node is not None else None
    is_plain = node is not None and any(child.type == "kernel_call_syntax" for child in node.children)
    return text(name) if name is not None and is_plain else ""


def _first_launch(source: str, defines: tuple[str, ...]) -> Node | None:
    try:
        program = read_program(expand(source, defines))
    except PlanError:
        return None
    found = [node for f in launching_functions(program).values() for node in launches_in(f.body)]
    return min(found, key=lambda node: node.start_byte, default=None)
