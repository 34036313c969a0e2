"""What a CUDA text is seen to have: kernels, host functions that launch them, launches; and what is run of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from cudaperf_magic.bench.host.source import Function, Program, text
from cudaperf_magic.bench.inspecting.parameters import Parameter


@dataclass(frozen=True)
class Entry:
    """What the reader of host code is given.

    Args:
        text: the program after preprocessing, perhaps with a function appended after its last line.
        function: the name of the host function to be read.
        called: what a person calls it, for messages: the kernel's or the host function's name.
        notes: what was assumed, in sentences.
        filled: workspaces that host code would fill; they are given made-up values.
    """

    text: str
    function: str
    parameters: tuple[Parameter, ...]
    called: str
    notes: tuple[str, ...] = ()
    filled: tuple[Parameter, ...] = ()


def kernels_of(program: Program) -> list[Function]:
    return [f for each in program.functions.values() for f in each if f.is_kernel and f.body is not None]


def launching_functions(program: Program) -> dict[str, Function]:
    """The host functions that launch kernels, themselves or through others."""
    hosts = {
        name: f for name, each in program.functions.items() for f in each if f.body and f.is_host and not f.is_kernel
    }
    found = {name for name, f in hosts.items() if any(True for _ in launches_in(f.body))}
    grows = True
    while grows:
        more = {name for name, f in hosts.items() if name not in found and not found.isdisjoint(called_in(f.body))}
        grows, found = bool(more), found | more
    return {name: f for name, f in hosts.items() if name in found}


def launches_in(node: Node | None) -> Iterator[Node]:
    """Every `k<<<...>>>(...)` below a node, and the runtime's launch functions."""
    for each in walk(node):
        if each.type == "call_expression":
            name = each.child_by_field_name("function")
            is_runtime = name is not None and text(name).startswith(("cudaLaunchKernel", "cudaLaunchCooperativeKernel"))
            if is_runtime or any(child.type == "kernel_call_syntax" for child in each.children):
                yield each


def called_in(node: Node | None) -> set[str]:
    """Names of the functions that are called below a node."""
    calls = (each.child_by_field_name("function") for each in walk(node) if each.type == "call_expression")
    return {text(name).split("<")[0].rsplit("::", 1)[-1] for name in calls if name is not None}


def walk(node: Node | None) -> Iterator[Node]:
    """A node and all named ones below it, in the text's order, however deep they nest."""
    waiting = [node] if node is not None else []
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.named_children)


def listed(names: Iterable[str]) -> str:
    """ "a, b and c"."""
    *most, last = dict.fromkeys(names)
    return f"{', '.join(most)} and {last}" if most else last


def parameter_name(node: Node) -> str:
    found = [each for each in walk(node.child_by_field_name("declarator")) if each.type == "identifier"]
    return text(found[-1]) if found else "x"
