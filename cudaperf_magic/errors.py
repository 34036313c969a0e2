"""The exceptions a person can meet, drawn as one tree. A bad candidate is never one of these: it is a value.

CudaperfError
├── InputError          what the person typed or wrote cannot be taken; one sentence, no traceback
│   ├── UsageError      an option, a name or a path is wrong
│   └── TaskError       the cell's program cannot become a task; carries the cell's own line
├── ToolchainError      the machine lacks something; the sentence ends with the command that mends it
├── StoreError          the episode store cannot be read or written
├── NotVerified         the work ended without a verified kernel; the report has been shown
├── NotBuilt            a kernel to be inspected does not compile; the report has been shown
└── Unsupported         the simulator lacks an instruction that a kernel uses
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class CudaperfError(Exception):
    """Anything this package raises on purpose: one sentence, shown without a traceback."""

    def _render_traceback_(self) -> list[str]:
        # IPython calls this instead of printing a traceback.
        return [str(self)]


class InputError(CudaperfError):
    """What the person typed or wrote cannot be taken."""


class UsageError(InputError):
    """An option, a name or a path that is not understood."""


class TaskError(InputError):
    """A program that cannot become a task.

    Args:
        message: what is wrong and what to do, without the line.
        line: 1-based line in the person's own cell or file, or None when no one line is to blame.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        self.line = line
        super().__init__(message if line is None else f"line {line}: {message}")


class ToolchainError(CudaperfError):
    """The machine lacks a tool. Never becomes a reward."""


class StoreError(CudaperfError):
    """The store of episodes cannot be read or written."""


class NotVerified(CudaperfError):
    """No verified kernel came out. In a notebook the cell fails with this, so that "Run All" stops there."""


class NotBuilt(CudaperfError):
    """A kernel that was to be inspected does not compile. In a notebook the cell fails with this."""


class Unsupported(CudaperfError):
    """A kernel uses something that the simulator does not run. Never becomes a reward: the kernel may be right.

    Args:
        what: the instruction or feature, by name.
        line: 1-based line of the candidate, 0 when it is not known.
    """

    def __init__(self, what: str, line: int = 0) -> None:
        self.what = what
        self.line = line
        super().__init__(
            f"{f'line {line}: ' if line else ''}the simulator does not run {what}; use a CUDA device for this kernel"
        )


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """ "; did you mean x?", or nothing when no name is near."""
    by_lower = {known.lower(): known for known in names}
    close = difflib.get_close_matches(name.lower(), list(by_lower), n=1, cutoff=0.5)
    return f"; did you mean {by_lower[close[0]]}?" if close else ""
