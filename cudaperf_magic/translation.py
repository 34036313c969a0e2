"""What a translation and a check give back: objects that show themselves and that can be called.

They hold an episode or one judged kernel; the report is drawn in notebook/report.py and calls run in bench/.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from .errors import NotVerified
from .goals import Result
from .notebook.report import Report, check_report, episode_report
from .notebook.words import headline, verdict_sentence
from .records import Episode, Outcome, Task, Turn


@dataclass(frozen=True)
class Translation:
    """The result of an episode: call it as the C function, read `.source`, show `.report`.

    Attributes:
        device: where calls run: "simulator" or "cuda:0".
        name: what the person bound it to, for the report's hints.
    """

    episode: Episode
    device: str = "simulator"
    name: str = ""

    @property
    def task(self) -> Task:
        return self.episode.task

    @property
    def source(self) -> str:
        """The best verified CUDA program; "" when there is none."""
        best = self.episode.best
        return best.candidate.source if best else ""

    @property
    def decision(self) -> str:
        return self.episode.decision

    @cached_property
    def report(self) -> Report:
        return episode_report(self.episode, self.name)

    @property
    def is_answer(self) -> bool:
        """A verified kernel or a reasoned KEEP."""
        return self.episode.decision != "none"

    def save(self, path: str | Path) -> None:
        """Write the best program as a .cu file."""
        self._best()
        Path(path).write_text(self.source)

    def __call__(self, *positional: Any, **named: Any) -> Any:
        """Run the best kernel on NumPy arrays: outputs are written in place, a returned scalar is returned.

        Raises:
            UsageError: an argument does not fit; one sentence says which and how.
            NotVerified: there is no verified kernel, or it failed on these arguments.
        """
        best = self._best()
        from .bench.calls import run_once
        from .calling import bind

        bound = bind(self.task, positional, named)
        return run_once(self.task, best.candidate, bound.scalars, bound.arrays, self.device)

    def _best(self) -> Turn:
        best = self.episode.best
        if best is None:
            raise NotVerified(f"{headline(self.episode)} There is nothing to run.")
        return best

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        return self.report._repr_mimebundle_(**options)

    def __repr__(self) -> str:
        return f"<Translation: {headline(self.episode)}>"


@dataclass(frozen=True)
class Checked:
    """A person's kernel held against a task: `.outcome`, `.turn` (with reward and reflection), `.report`.

    Attributes:
        goals: each goal with what was reached; none when the kernel is not right.
    """

    task: Task
    turn: Turn
    goals: tuple[Result, ...] = ()

    @property
    def outcome(self) -> Outcome:
        return self.turn.outcome

    @property
    def ok(self) -> bool:
        """Right, and every goal reached."""
        return self.outcome.ok and all(result.ok for result in self.goals)

    @property
    def shortfall(self) -> str:
        """Why it is not ok, in one sentence; "" when it is."""
        if not self.outcome.ok:
            return f"not {self.task.entry} yet: the report above says why and what to try next"
        return "; ".join(result.sentence for result in self.goals if not result.ok)

    @property
    def source(self) -> str:
        return self.turn.candidate.source

    @cached_property
    def report(self) -> Report:
        return check_report(self.task, self.turn, self.goals)

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        return self.report._repr_mimebundle_(**options)

    def __repr__(self) -> str:
        return f"<Checked against {self.task.entry}: {verdict_sentence(self.outcome)}>"
