"""A translation that is played beside the cells: the cell ends at once, its output keeps following, buttons act.

It joins a view, buttons and background.py's work; magics.py decides when.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from .. import arguments, background
from ..background import Running, Work
from ..commands import Play
from ..options import Request
from ..watching import Watch
from . import front_end
from .controls import Controls
from .live import NotebookView

Begin = Callable[[Watch], Play]


def play(shell: Any, request: Request, begin: Begin) -> Running:
    """Read the C here, where its faults fail the cell, and play in a thread; the result waits when it is used.

    Raises:
        CudaperfError: the C or an option cannot be taken, or the machine lacks something.
    """
    work = Work(finish=lambda ended: _write(request, ended))
    result = Running(work, request.out or "")
    view = NotebookView(request.turns) if front_end.has_display(shell) else None
    front_end.on_idle_interrupt(shell, background.stop_all)
    with view or nullcontext():
        playing = begin(work)
        settings = {"proposals": request.proposals, "device": request.device}
        if view is None:
            work.start(playing, **settings)
            return result
        view.begin(playing.episode)
        view.follow(work, request.out or "")
        work.observer = view.heard
        work.start(playing, **settings)
        if front_end.has_widgets(shell):
            _add_buttons(work, view)
    return result


def _add_buttons(work: Work, view: NotebookView) -> None:
    from IPython.display import display

    controls = Controls(work)

    def heard(changed: Work) -> None:
        view.heard(changed)
        controls.heard(changed)

    work.observer = heard
    bundle = controls.box._repr_mimebundle_()
    # What stands here where the buttons are not: in a front end without widgets, and in a saved notebook.
    bundle["text/plain"] = "%cudaperf stop, pause and resume do what the buttons here do."
    display(bundle, raw=True)  # type: ignore[no-untyped-call]
    controls.heard(work)


def _write(request: Request, work: Work) -> None:
    if work.episode is not None:
        arguments.write_json(request.json, work.episode)
