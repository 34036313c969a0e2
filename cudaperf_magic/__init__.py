"""cudaperf-magic: `%%cudaperf translate` turns a cell of C into a verified CUDA kernel, turn by turn.

The public names are loaded when they are first used: importing this package loads nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .commands import check, inspect, resume, translate
    from .inspected import Inspected
    from .records import Candidate, Episode, Outcome, Task, Turn
    from .tasks.c import read_task
    from .translation import Checked, Translation

__version__ = "0.1.0"

_HOMES = {
    "translate": "commands",
    "check": "commands",
    "inspect": "commands",
    "resume": "commands",
    "Translation": "translation",
    "Checked": "translation",
    "Inspected": "inspected",
    "read_task": "tasks.c",
    "Task": "records",
    "Candidate": "records",
    "Outcome": "records",
    "Turn": "records",
    "Episode": "records",
}

__all__ = [
    "Candidate",
    "Checked",
    "Episode",
    "Inspected",
    "Outcome",
    "Task",
    "Translation",
    "Turn",
    "check",
    "inspect",
    "read_task",
    "resume",
    "translate",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


def load_ipython_extension(shell: Any) -> None:
    """Called by `%load_ext cudaperf_magic`: registers `%cudaperf`, `%%cudaperf` and their completion."""
    from .notebook.magics import register

    register(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Called by `%unload_ext cudaperf_magic`."""
    from .notebook.magics import unregister

    unregister(shell)
