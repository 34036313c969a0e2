"""What stands before the person: whether somebody sits there who can press a button while work goes on.

When it cannot be told, the answer is no: then a cell waits for its result, which is right everywhere.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


def has_display(shell: Any) -> bool:
    """Whether an output can be redrawn: in a kernel, not in a terminal."""
    return hasattr(shell, "kernel")


def is_interactive(shell: Any) -> bool:
    """Whether the cell being run was sent by a notebook that a person sits before.

    Two signs have to come together: the request allows questions to the person (nbclient, and with it nbconvert,
    papermill and nbmake, never does), and it names the cell that it came from (JupyterLab 4 and Notebook 7 do;
    consoles do not). Other front ends wait, unless --background is given.
    """
    if not has_display(shell):
        return False
    try:
        request = shell.kernel.get_parent("shell")
        return bool(request["content"]["allow_stdin"]) and bool(request["metadata"].get("cellId"))
    except (AttributeError, KeyError, TypeError):
        return False


def has_widgets(shell: Any) -> bool:
    """Whether buttons can be shown, as far as the kernel knows."""
    if not has_display(shell):
        return False
    try:
        import ipywidgets  # noqa: F401
    except ImportError:
        return False
    return True


def on_idle_interrupt(shell: Any, act: Callable[[], None]) -> None:
    """Have an interrupt of the kernel call `act` while no cell runs.

    ipykernel ignores interrupts between messages: it puts back, after each message, the handler that it found before
    it. Where that name is not there, nothing is changed.
    """
    kernel: Any = getattr(shell, "kernel", None)
    if hasattr(kernel, "saved_sigint_handler") and threading.current_thread() is threading.main_thread():
        kernel.saved_sigint_handler = lambda number, frame: act()
