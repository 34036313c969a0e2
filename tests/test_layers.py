"""Imports go only downwards, in the rows drawn here; a row does not import across its own folders; no cycles.

Read from the syntax trees, so that an import inside a function counts as well.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = "cudaperf_magic"

# Top row first. A module belongs to the row with its longest matching prefix.
ROWS: tuple[tuple[str, ...], ...] = (
    ("__init__", "__main__"),
    ("cli", "notebook"),
    (
        "commands",
        "arguments",
        "translation",
        "inspected",
        "calling",
        "doctor",
        "options",
        "named",
        "tuned",
        "compared",
        "saved",
        "shown",
        "reading",
        "module_tasks",
        "background",
        "watching",
    ),
    ("notebook.tuning_words", "notebook.comparison_words"),
    ("tuning", "comparison"),
    ("training",),
    # An episode as HTML and as text; no Jupyter in them.
    (
        "notebook.report",
        "notebook.outcome_report",
        "notebook.tables",
        "notebook.terminal",
        "notebook.markup",
        "notebook.words",
        "notebook.timing_words",
        "notebook.module_words",
        "notebook.place_words",
        "notebook.reward_view",
        "notebook.plots",
        "notebook.progress",
        "notebook.inspection_report",
        "notebook.inspection_text",
        "notebook.inspection_words",
        "notebook.source_view",
        "notebook.access_map",
        "notebook.access_words",
        "notebook.access_picture",
    ),
    ("episode", "store"),
    ("policies", "bench", "fakes"),
    ("tasks", "rewards", "reflection", "goals"),
    ("compiler",),
    (
        "records",
        "records_inspection",
        "records_json",
        "records_schema",
        "records_versions",
        "proposals",
        "errors",
        "whole_files",
    ),
)

PROCESS_MODULES = {"subprocess", "multiprocessing", "concurrent.futures", "pty", "asyncio"}
PROCESS_CALLS = {"fork", "forkpty", "posix_spawn", "system", "popen", "execv", "execve", "execvp", "spawnv"}
# Outside bench/, one module may start a process.
STARTS_PROCESSES = {"compiler.c.preprocess": "runs the C preprocessor, so that #include and #define lines are real"}

FRONT_ENDS = {"IPython", "ipywidgets", "ipykernel", "traitlets", "comm", "nbformat", "nbclient"}
HEAVY = ("IPython", "ipywidgets", "torch", "cupy", "transformers", "matplotlib", "islpy", "pycparser", "rich", "numpy")


def modules() -> dict[str, Path]:
    """Dotted name below the package -> file; a package's __init__ has the package's name."""
    found = {}
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        parts = path.relative_to(ROOT / PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)] = path
    return found


MODULES = modules()


def imports(name: str) -> set[str]:
    """Every module that a module imports, absolute; inside the package relative to it, after a leading dot."""
    path = MODULES[name]
    here = path.relative_to(ROOT / PACKAGE).parts[:-1]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {_inside(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                base = ".".join((*here[: len(here) - node.level + 1], *([node.module] if node.module else [])))
                source = f".{base}" if base else "."
            else:
                source = _inside(node.module or "")
            for alias in node.names:
                longer = f"{source}.{alias.name}" if source != "." else f".{alias.name}"
                found.add(longer if longer.startswith(".") and longer[1:] in MODULES else source)
    return found


def _inside(name: str) -> str:
    if name == PACKAGE:
        return "."
    return f".{name.removeprefix(PACKAGE + '.')}" if name.startswith(PACKAGE + ".") else name


def inner(name: str) -> set[str]:
    return {found[1:] or "__init__" for found in imports(name) if found.startswith(".")}


def row(name: str) -> int:
    fits = [
        (len(prefix), number)
        for number, prefixes in enumerate(ROWS)
        for prefix in prefixes
        if name == prefix or name.startswith(prefix + ".")
    ]
    assert fits, f"{name} stands in no row; add it to ROWS where it belongs"
    return max(fits)[1]


def folder(name: str) -> str:
    """What may import itself: a folder, or the modules at the top together."""
    return name.split(".")[0] if "." in name or (ROOT / PACKAGE / name).is_dir() else ""


@pytest.mark.parametrize("name", MODULES)
def test_imports_go_downwards(name: str) -> None:
    for other in inner(name):
        assert row(other) >= row(name), f"{name} imports {other}, which stands above it"
        if row(other) == row(name):
            assert folder(other) == folder(name), f"{name} imports {other}, its neighbour in the same row"


def test_no_module_imports_itself_in_a_circle() -> None:
    graph = {name: {other for other in inner(name) if other != name} for name in MODULES}
    done: set[str] = set()

    def walk(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail, name))
        if name in done:
            return
        for other in graph.get(name, ()):
            walk(other, (*trail, name))
        done.add(name)

    for name in graph:
        walk(name, ())


@pytest.mark.parametrize("name", MODULES)
def test_only_the_bench_starts_processes(name: str) -> None:
    if name.split(".")[0] == "bench" or name in STARTS_PROCESSES:
        return
    assert not imports(name) & PROCESS_MODULES
    calls = {
        node.func.attr
        for node in ast.walk(ast.parse(MODULES[name].read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "os"
    }
    assert not calls & PROCESS_CALLS


@pytest.mark.parametrize("name", MODULES)
def test_only_the_notebook_knows_jupyter(name: str) -> None:
    if name.split(".")[0] == "notebook" and row(name) == row("notebook"):
        return
    assert not {found.split(".")[0] for found in imports(name)} & FRONT_ENDS


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = f"import sys, {PACKAGE}; print(*sorted(m for m in {HEAVY!r} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == []


def test_every_module_says_its_job() -> None:
    silent = [name for name, path in MODULES.items() if not ast.get_docstring(ast.parse(path.read_text()))]
    assert silent == []


def test_the_map_of_the_simulator_names_every_file_of_it_and_no_other() -> None:
    folder = ROOT / PACKAGE / "bench" / "simulator"
    words = (ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or "").replace("\n", " ").split()
    told = {word.strip(".,:;()") for word in words}
    there = {p.name for p in folder.iterdir() if p.suffix in (".py", ".c", ".h", ".md")} - {"__init__.py"}
    assert there <= told, there - told
    assert {word for word in told if word.endswith((".py", ".c", ".h", ".md"))} <= there
