"""Text files that are written whole or not at all. It knows nothing of what is in them."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from .errors import UsageError


def write_whole(path: str | Path, text: str) -> None:
    """Write a whole file or leave the old one: never half of it.

    Raises:
        UsageError: it cannot be written; what was written of it is gone.
    """
    half = half_of(path)
    try:
        half.write_text(text, encoding="utf-8")
        half.replace(path)
    except OSError as problem:
        with contextlib.suppress(OSError):
            half.unlink(missing_ok=True)
        raise unwritable(path, problem) from None


def half_of(path: str | Path) -> Path:
    """Where a file is written before it takes its place; each process has its own."""
    return Path(f"{path}.{os.getpid()}.part")


def unwritable(path: str | Path, problem: OSError) -> UsageError:
    return UsageError(f"{path} cannot be written: {(problem.strerror or str(problem)).lower()}")
