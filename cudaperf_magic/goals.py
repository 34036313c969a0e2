"""Goals that a checked kernel has to reach, `coalescing>=0.9`: from words, and held against a Structure.

Pure. A goal speaks of a property's score in [0, 1]; where the property does not apply nothing is lost: it is reached.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from .errors import UsageError
from .records import PROPERTIES, Property, Structure


@dataclass(frozen=True)
class Goal:
    """The least score of one of the seven properties."""

    name: str
    least: float

    def __str__(self) -> str:
        return f"{self.name}>={self.least:g}"


@dataclass(frozen=True)
class Result:
    """A goal beside what was found: the property, or None where it does not apply or was not measured."""

    goal: Goal
    found: Property | None
    is_measured: bool = True

    @property
    def ok(self) -> bool:
        return self.is_measured and (self.found is None or self.found.score >= self.goal.least)

    @property
    def sentence(self) -> str:
        """The goal, the score reached, and where and why it is not more."""
        name, least = self.goal.name, f"{self.goal.least:g}"
        if not self.is_measured:
            return f"{name} was not measured, so the goal of {least} is not reached"
        if self.found is None:
            return f"{name} does not apply here, so nothing is lost: the goal of {least} is reached"
        if self.ok:
            return f"{name} is {_score(self.found.score)}: the goal of {least} is reached"
        line = self.found.line
        place = f"line {line}: " if line and f"line {line} " not in self.found.reason else ""
        return f"{name} is {_score(self.found.score, self.goal.least)}, the goal is {least}; {place}{self.found.reason}"


def read_goal(text: str) -> Goal:
    """`coalescing>=0.9`, or the same with `=` alone: a shell takes `>` for itself.

    Raises:
        UsageError: not a property, or not a score.
    """
    name, equals, value = text.partition("=")
    name = name.strip().removesuffix(">").strip()
    if not equals or not name:
        raise UsageError(f"--goal {text}: write NAME=SCORE, for example --goal coalescing=0.9")
    if name not in PROPERTIES:
        close = difflib.get_close_matches(name, PROPERTIES, n=1, cutoff=0.5)
        advice = f"did you mean {close[0]}?" if close else f"there are {', '.join(PROPERTIES)}"
        raise UsageError(f"--goal {text}: {name} is no property; {advice}")
    try:
        least = float(value)
    except ValueError:
        raise UsageError(f"--goal {text}: {value.strip()!r} is not a number; a score lies between 0 and 1") from None
    if not 0.0 <= least <= 1.0:
        raise UsageError(f"--goal {text}: a score lies between 0 and 1")
    return Goal(name, least)


def hold(goals: Iterable[Goal], structure: Structure | None) -> tuple[Result, ...]:
    """Each goal beside what was found; nothing counts as reached when nothing was measured."""
    if structure is None:
        return tuple(Result(goal, None, is_measured=False) for goal in goals)
    return tuple(Result(goal, structure.get(goal.name)) for goal in goals)


def _score(score: float, beside: float | None = None) -> str:
    """Three digits, more where they would hide that the score is below the one beside it."""
    short = f"{score:.3g}"
    return f"{score:.6g}" if beside is not None and short == f"{beside:.3g}" else short
