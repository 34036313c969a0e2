"""A policy and a bench that say what they are at: for a view, and for whoever may hold the work.

A `Watch` is called in the thread that works. It changes no proposal and no outcome.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from .proposals import Proposal
from .records import Candidate, Episode, Outcome, Task

if TYPE_CHECKING:
    from .episode import Bench, Policy

GLANCE_S = 0.1  # how long a thread waits without looking whether it is interrupted
_ANALYSIS = threading.RLock()

# A bench's names for the stages of an evaluation, as one says them.
STAGES = {
    "build": "building",
    "oracle": "running the C",
    "verify": "verifying",
    "examine": "counting",
    "watch": "watching it on the simulator",
    "count": "counting",
    "fill": "filling the device",
    "reference": "running the reference",
    "time": "timing",
}


@contextmanager
def analysis() -> Iterator[None]:
    """One analysis at a time, whichever thread asks: the polyhedral library bounds the effort of the whole process."""
    while not _ANALYSIS.acquire(timeout=GLANCE_S):
        pass
    try:
        yield
    finally:
        _ANALYSIS.release()


class Watch(Protocol):
    def before(self, stage: str) -> None:
        """Called before a proposal and before each evaluation, which begins when this returns."""
        ...

    def note(self, stage: str) -> None:
        """Told of a stage within an evaluation, by the bench's name for it; must return at once."""
        ...


@dataclass(frozen=True)
class WatchedPolicy:
    """A policy that says when it proposes."""

    policy: Policy
    watch: Watch

    @property
    def name(self) -> str:
        return self.policy.name

    def propose(self, episode: Episode) -> Proposal:
        self.watch.before("proposing")
        with analysis():
            return self.policy.propose(episode)


@dataclass(frozen=True)
class WatchedBench:
    """A bench that says when it evaluates."""

    bench: Bench
    watch: Watch

    def evaluate(self, task: Task, candidate: Candidate) -> Outcome:
        self.watch.before("evaluating")
        return self.bench.evaluate(task, candidate)

    def accept(self, task: Task, candidate: Candidate, outcome: Outcome) -> Outcome:
        self.watch.before("looking at the best once more")
        return self.bench.accept(task, candidate, outcome)
