"""Which names a program uses as sizes (in bounds, products, grids), as a launch's shape, or to count host loops."""

from __future__ import annotations

from tree_sitter import Node

from cudaperf_magic.bench.host.source import Program, text
from cudaperf_magic.bench.inspecting.kernel_shape import KernelShape, constants_of
from cudaperf_magic.bench.inspecting.program import kernels_of, launches_in, walk

BLOCKS, THREADS = 8, 256  # of a launch whose shape is a parameter
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


def shapes_of(program: Program) -> dict[str, int]:
    """Names that alone are a launch's grid or block, `k<<<blocks, threads>>>`, each with a value that fits."""
    found: dict[str, int] = {}
    for each in program.functions.values():
        for launch in (node for function in each for node in launches_in(function.body)):
            syntax = next((c for c in launch.children if c.type == "kernel_call_syntax"), None)
            shape = syntax.named_children[:2] if syntax is not None else []
            for node, value in zip(shape, (BLOCKS, THREADS), strict=False):
                if node.type == "identifier":
                    found.setdefault(text(node), value)
    return found


def whole_of(program: Program) -> set[str]:
    """Names that are divided as they are, `n / 16`, and against which no kernel guards: they are meant to divide."""
    bodies = [f.body for each in program.functions.values() for f in each]
    divided = {
        text(left)
        for body in bodies
        for node in walk(body)
        if node.type == "binary_expression" and (operator := node.child_by_field_name("operator")) is not None
        if text(operator) == "/" and (left := node.child_by_field_name("left")) is not None
        if left.type == "identifier"
    }
    constants = constants_of(program)
    shapes = [KernelShape(kernel, constants) for kernel in kernels_of(program)]
    guards = [bound for shape in shapes for places, bound in shape.bounds.items() if any(p[0] == "b" for p in places)]
    return {name for name in divided if not any(name in bound.split() for bound in guards)}


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
