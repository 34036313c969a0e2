"""How a call in a sandboxed child can end, and the words for it. It runs nothing."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from ..errors import CudaperfError, ToolchainError


@dataclass(frozen=True)
class Ended:
    """`output` is what the child printed, its end cut off at the limit; `levels` are the protections that held."""

    output: str = ""
    seconds: float = 0.0
    levels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finished(Ended):
    value: Any = None

    __match_args__ = ("value",)


@dataclass(frozen=True)
class Crashed(Ended):
    why: str = ""
    signal: int | None = None

    __match_args__ = ("why", "signal")


@dataclass(frozen=True)
class TimedOut(Ended):
    timeout_s: float = 0.0

    __match_args__ = ("timeout_s",)


class ServerDied(ToolchainError):
    """The server of a kind ended, and its children with it: nothing is known of what they did. Trying again is safe."""


def raised_words(module: str, name: str, message: str) -> str:
    """The words for an exception of the child; one of this package's own tree is raised again instead."""
    if module == CudaperfError.__module__:
        found = getattr(importlib.import_module(module), name, None)
        if isinstance(found, type) and issubclass(found, CudaperfError):
            error = found.__new__(found, message)  # the message is whole: it has its line already
            Exception.__init__(error, message)
            raise error
    if name in ("MemoryError", "_ArrayMemoryError"):
        return "not enough memory within its limit"
    return f"{name}: {message}" if message else name


def exit_words(code: int, number: int) -> str:
    """The words for a worker that ended without an answer: its exit status, or the signal that ended it."""
    if number:
        return _SIGNAL_WORDS.get(number, f"signal {number}")
    if code == 0:
        return "a broken answer (no value was left)"
    return f"exit status {code}" if code > 0 else "no word of how"


_SIGNAL_WORDS = {
    6: "abort (signal 6)", 7: "bus error (signal 7)",
    8: "arithmetic exception (signal 8)", 9: "being killed (signal 9)",
    11: "segmentation fault (signal 11)",
    24: "its CPU time used up (signal 24)", 25: "too large a file (signal 25)",
    31: "a forbidden system call (signal 31)",
}  # fmt: skip
