"""C text and C files to tasks that are settled, and a file's text. It asks nothing of a device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .errors import UsageError
from .records import Task


def read(source: str, **settings: Any) -> Task:
    """C text to a Task whose own C was run, and does nothing undefined, on every input made for it.

    Raises:
        TaskError: it cannot be taken, or it reads out of bounds, or what it has not written; with its line.
    """
    from .bench.settle import settled
    from .tasks.c import read_task
    from .watching import analysis

    with analysis():
        return settled(*read_task(source, **settings))


def read_file(path: str | Path, *, folders: tuple[str, ...] = (), **settings: Any) -> Task:
    """`read` on a file; its own folder is where its #include lines look first."""
    return read(file_text(path), folders=(folder_of(path), *folders), **settings)


def folder_of(path: str | Path) -> str:
    return str(Path(path).resolve().parent)


def file_text(path: str | Path) -> str:
    """A file's text.

    Raises:
        UsageError: it is not there, is a folder, or is not text.
    """
    try:
        return Path(path).read_text(encoding="utf-8-sig")  # some editors begin a file with a mark
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text") from None
    except OSError as problem:
        raise UsageError(f"{path} cannot be read: {(problem.strerror or str(problem)).lower()}") from None
