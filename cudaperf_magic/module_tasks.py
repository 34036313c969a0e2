"""From what `--against` names to a task for PyTorch modules: a file with `Model`, a notebook's text, or the cells that
defined it.

The text is read, never run: lane B runs it, in a process of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .errors import UsageError
from .reading import file_text
from .records import Task
from .tasks.pytorch import ENTRY, FUNCTIONS, read_module_task

HISTORY = "In"  # IPython's list of the cells that ran, as text
SUFFIX = ".py"


def module_task(name: str, namespace: Mapping[str, Any] | None = None, contract: tuple[str, ...] = ()) -> Task | None:
    """The task of replacing a `Model` by a faster `ModelNew`; None when the name means nothing of PyTorch.

    Args:
        name: a .py file; or a variable that holds a module's text; or `Model`, which cells of the notebook have defined
            together with get_inputs() and get_init_inputs().
        contract: as of `read_module_task`.

    Raises:
        UsageError: the file cannot be read, or no cell defines what is lacking. TaskError: the text is no such task.
    """
    known = namespace or {}
    value = known.get(name)
    if isinstance(value, str):
        return read_module_task(value, name=name, contract=contract)
    if isinstance(value, type):
        return read_module_task(_text_of_cells(name, known.get(HISTORY, ())), name=name, contract=contract)
    if value is None and Path(name).suffix == SUFFIX:
        return read_module_task(file_text(name), name=Path(name).stem, contract=contract)
    return None


def _text_of_cells(name: str, cells: Sequence[str]) -> str:
    """The latest cell that defines each of what a task needs, in their order, with the imports of all cells."""
    if name != ENTRY:
        raise UsageError(f"--against {name}: a task's class is called {ENTRY}; name it so, with {' and '.join(_CALLS)}")
    parsed = [(number, cell, tree) for number, cell in enumerate(cells) if (tree := _tree(cell)) is not None]
    chosen: dict[int, str] = {}
    for wanted in (ENTRY, *FUNCTIONS):
        having = [(number, cell) for number, cell, tree in parsed if wanted in _defined(tree)]
        if not having:
            raise UsageError(f"--against {name}: no cell defines {wanted}")
        chosen[having[-1][0]] = having[-1][1]
    imports = [
        ast.unparse(node)
        for number, _, tree in parsed
        if number not in chosen
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    return "\n".join([*dict.fromkeys(imports), *(chosen[number] for number in sorted(chosen))])


_CALLS = tuple(f"{function}()" for function in FUNCTIONS)


def _tree(cell: str) -> ast.Module | None:
    """None for a cell that is no plain Python: a magic's, or one that did not parse."""
    try:
        return ast.parse(cell)
    except (SyntaxError, ValueError):
        return None


def _defined(tree: ast.Module) -> set[str]:
    return {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
