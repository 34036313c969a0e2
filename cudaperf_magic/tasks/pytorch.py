"""PyTorch text in KernelBench's convention -> Task: `Model`, `get_inputs()` and `get_init_inputs()`. Runs nothing.

It looks at the text only, so that a mistake is said with its line before any process starts. What the module does on
its inputs is found out by the referee of lane B (bench/modules/).
"""

from __future__ import annotations

import ast

from cudaperf_magic.errors import TaskError, UsageError
from cudaperf_magic.records import Case, Task

ENTRY = "Model"
FUNCTIONS = ("get_inputs", "get_init_inputs")
OWN_KERNELS_ONLY = "own kernels only"
CONTRACTS = (OWN_KERNELS_ONLY,)


def read_module_task(source: str, *, name: str = "model", contract: tuple[str, ...] = ()) -> Task:
    """The task of replacing `Model` by a faster `ModelNew`.

    Args:
        source: Python text that defines the class `Model` and the functions `get_inputs()` (a list of its inputs) and
            `get_init_inputs()` (a list of its constructor's arguments).
        contract: what a candidate promises beside the result, from CONTRACTS; "own kernels only": no library computes
            in its place.

    Raises:
        TaskError: the text is no Python, or lacks one of the three; with its line where there is one.
        UsageError: an unknown contract.
    """
    for wish in contract:
        if wish not in CONTRACTS:
            raise UsageError(f"{wish!r} is no contract; there is {', '.join(map(repr, CONTRACTS))}")
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise TaskError(f"this is not Python: {error.msg}", error.lineno) from None
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if ENTRY not in classes:
        raise TaskError(f"there is no class {ENTRY}; write `class {ENTRY}(nn.Module)` with a forward()")
    methods = {node.name for node in classes[ENTRY].body if isinstance(node, ast.FunctionDef)}
    if "forward" not in methods and not _inherits_from(classes[ENTRY], set(classes)):
        raise TaskError(f"{ENTRY} has no forward()", classes[ENTRY].lineno)
    for needed in FUNCTIONS:
        if needed not in functions:
            raise TaskError(f"there is no function {needed}(); it returns the list of {_purpose(needed)}")
        if _needs_arguments(functions[needed]):
            raise TaskError(f"{needed}() is called without arguments", functions[needed].lineno)
    return Task(name, "pytorch", source, ENTRY, (), (Case(()),), contract=contract)


def _purpose(function: str) -> str:
    return "forward()'s inputs" if function == "get_inputs" else "the constructor's arguments"


def _inherits_from(node: ast.ClassDef, names: set[str]) -> bool:
    return any(isinstance(base, ast.Name) and base.id in names for base in node.bases)


def _needs_arguments(node: ast.FunctionDef) -> bool:
    return len(node.args.posonlyargs) + len(node.args.args) > len(node.args.defaults)
