"""What `compare` gives back: two or more kernels side by side, as an object that shows itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .comparison import Entry, Versus, answer, order, versus
from .named import Found
from .notebook import comparison_words
from .notebook.report import MIME
from .records import RewardBreakdown
from .rewards import Preset, score


@dataclass(frozen=True)
class Compared:
    """Kernels side by side: `.answer`, `.order` (groups of places, the best first), `.versus(i, j)`."""

    entries: tuple[Entry, ...]
    preset: Preset

    @cached_property
    def rewards(self) -> tuple[RewardBreakdown | None, ...]:
        return tuple(score(entry.outcome, self.preset) if entry.outcome else None for entry in self.entries)

    @property
    def answer(self) -> str:
        return answer(self.entries)

    @property
    def order(self) -> tuple[tuple[int, ...], ...]:
        return order(self.entries)

    def versus(self, one: int, other: int) -> Versus:
        """What may be said of two of them, by their places from 0."""
        return versus(self.entries[one], self.entries[other])

    @property
    def text(self) -> str:
        return comparison_words.text(self.entries, self.rewards)

    @property
    def data(self) -> dict[str, Any]:
        return comparison_words.data(self.entries, self.rewards)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        html = comparison_words.html(self.entries, self.rewards)
        return {"text/plain": self.text, "text/html": html, MIME: self.data}

    def __repr__(self) -> str:
        return self.text


def entries_of(found: Sequence[Found]) -> tuple[Entry, ...]:
    """What each word names, as it is compared: the turn that was named, or the best."""
    return tuple(Entry(one.label, one.task, one.turn, one.episode.kept) for one in found)
