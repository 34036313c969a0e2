"""Sizes that are tests: a module stays under 400 lines, a function under 50, unless named here with its reason."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted([*ROOT.glob("cudaperf_magic/**/*.py"), *ROOT.glob("benchmarks/*.py")])

MODULE_LINES = 400
FUNCTION_LINES = 50

# Longer on purpose. A name that no longer needs to stand here fails the test, so the lists only shrink.
LONG_MODULES: dict[str, str] = {
    "cudaperf_magic/records.py": "every noun of the system, which is read as one page",
    "cudaperf_magic/compiler/loops.py": "the whole vocabulary of the loop-nest IR, which is read as one page",
}
LONG_FUNCTIONS: dict[str, str] = {}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(path: Path) -> list[tuple[str, int]]:
    """Every function of a file with its length in lines, decorators and docstring not counted."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) is not None and len(node.body) > 1 else node.body
            signature = node.body[0].lineno - node.lineno
            found.append((f"{name_of(path)}:{node.name}", signature + node.end_lineno - body[0].lineno + 1))  # type: ignore[operator]
    return found


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_is_under_400_lines(path: Path) -> None:
    lines = len(path.read_text().splitlines())
    if name_of(path) in LONG_MODULES:
        assert lines >= MODULE_LINES, f"{name_of(path)} is short enough now; take it off the list"
    else:
        assert lines < MODULE_LINES, f"{name_of(path)} has {lines} lines; split it by its jobs"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_function_is_under_50_lines(path: Path) -> None:
    long = {name: lines for name, lines in functions(path) if lines >= FUNCTION_LINES}
    assert not {name: lines for name, lines in long.items() if name not in LONG_FUNCTIONS}


def test_the_list_of_long_functions_holds_only_long_ones() -> None:
    lengths = {name: lines for path in MODULES for name, lines in functions(path)}
    assert {name for name in LONG_FUNCTIONS if lengths.get(name, 0) < FUNCTION_LINES} == set()
