"""Kernels kept as files, and the C functions in tests/honest that they are written for: header lines, tasks, outcomes.

A header is the lines `// key: value` at the top of a file. Test support: it asserts nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path

from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.bench.settle import settled
from cudaperf_magic.records import Candidate, Outcome, Task
from cudaperf_magic.tasks.c import read_task

TESTS = Path(__file__).parent
FUNCTIONS = TESTS / "honest"  # NAME.c is a task, NAME/*.cu are honest kernels for it
MARKS = {".py": "# ", ".cu": "// ", ".c": "// "}


@dataclass(frozen=True)
class KernelFile:
    """One candidate in a file; `header` holds its `key: value` lines."""

    path: Path
    header: dict[str, str]

    @property
    def source(self) -> str:
        return self.path.read_text()

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}"


def read_header(path: Path) -> dict[str, str]:
    """The lines `// key: value` before the first other line."""
    mark = MARKS[path.suffix]
    lines = takewhile(lambda line: line.startswith(mark), path.read_text().splitlines())
    pairs = (line.removeprefix(mark).partition(": ") for line in lines)
    return {key: value for key, _, value in pairs if value and " " not in key}


def kernel_files(folder: Path, pattern: str = "*.cu") -> list[KernelFile]:
    """The candidates of a folder by name."""
    return [KernelFile(path, read_header(path)) for path in sorted(folder.glob(pattern))]


def honest_kernels() -> list[KernelFile]:
    """Every honest kernel, those for one function next to each other, so that they share its reference."""
    return kernel_files(FUNCTIONS, "*/*.cu")


@cache
def task_of(function: str) -> Task:
    """The task of tests/honest/FUNCTION.c."""
    path = FUNCTIONS / f"{function}.c"
    header = read_header(path)
    sizes, ranges = (_pairs(header.get(key, "")) for key in ("sizes", "ranges"))
    return settled(*read_task(path.read_text(), sizes=sizes, ranges=ranges))


def _pairs(text: str) -> dict[str, str]:
    return dict(part.strip().split("=") for part in text.split(",") if part)


def outcome_of(bench: Bench, function: str, file: KernelFile) -> Outcome:
    """What the bench says of a kernel that stands in for the function."""
    return bench.evaluate(task_of(function), Candidate(file.source))
