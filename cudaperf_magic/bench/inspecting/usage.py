"""Which names a program uses as sizes (in bounds, products, grids) and which only count a loop of host code."""

from __future__ import annotations

from tree_sitter import Node

from cudaperf_magic.bench.host.source import Program, text
from cudaperf_magic.bench.inspecting.program import launches_in, walk

OPERATORS = {"<", "<=", ">", ">=", "!=", "*", "/", "%", "+", "-"}


def sizes_of(program: Program) -> set[str]:
    """Names that are compared or computed with, but for those that only say how often host code loops."""
    found: set[str] = set()
    for each in program.functions.values():
        for function in each:
            conditions = _loop_conditions(function.body) if function.is_host and not function.is_kernel else []
            for node in walk(function.body):
                operator = node.child_by_field_name("operator") if node.type == "binary_expression" else None
                if operator is not None and text(operator) in OPERATORS and node not in conditions:
                    found |= {text(leaf) for leaf in node.named_children if leaf.type == "identifier"}
            for launch in launches_in(function.body):
                syntax = next((c for c in launch.children if c.type == "kernel_call_syntax"), None)
                found |= {text(leaf) for leaf in walk(syntax) if leaf.type == "identifier"}
    return found


def counts_of(program: Program) -> set[str]:
    """Names in the conditions of host loops."""
    functions = [f for each in program.functions.values() for f in each if f.is_host and not f.is_kernel]
    conditions = [node for f in functions for node in _loop_conditions(f.body)]
    return {text(leaf) for node in conditions for leaf in walk(node) if leaf.type == "identifier"}


def _loop_conditions(body: Node | None) -> list[Node]:
    found = []
    for node in walk(body):
        if node.type in ("for_statement", "while_statement"):
            condition = node.child_by_field_name("condition")
            if condition is not None:
                found.append(condition)
    return found
