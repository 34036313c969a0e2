"""What `compare` gives back: two or more kernels side by side, as an object that shows itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from .comparison import Entry, Versus, answer, order, versus
from .notebook import comparison_words
from .notebook.report import Report
from .records import RewardBreakdown, Timing
from .rewards import Preset, score

if TYPE_CHECKING:
    from .bench.bench import Bench


@dataclass(frozen=True)
class Compared:
    """Kernels side by side: `.answer`, `.order` (groups of places, the best first), `.versus(i, j)`.

    Attributes:
        rewards: of each under one preset; None where there is no kernel.
        notes: which episode a name was taken for, and what could not be done; a sentence each.
    """

    entries: tuple[Entry, ...]
    rewards: tuple[RewardBreakdown | None, ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def under(cls, preset: Preset, entries: tuple[Entry, ...], notes: tuple[str, ...] = ()) -> Self:
        """All rewarded by the same preset, whatever they were rewarded by when they were played."""
        return cls(entries, tuple(score(e.outcome, preset) if e.outcome else None for e in entries), notes)

    @property
    def answer(self) -> str:
        return answer(self.entries)

    @property
    def order(self) -> tuple[tuple[int, ...], ...]:
        return order(self.entries)

    def versus(self, one: int, other: int) -> Versus:
        """What may be said of two of them, by their places from 0."""
        return versus(self.entries[one], self.entries[other])

    @cached_property
    def report(self) -> Report:
        return comparison_words.comparison_report(self.entries, self.rewards, self.notes)

    @property
    def text(self) -> str:
        return self.report.text

    @property
    def data(self) -> dict[str, Any]:
        return self.report.data

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        return self.report._repr_mimebundle_(**options)

    def __repr__(self) -> str:
        return self.text


def timed_anew(entries: tuple[Entry, ...], bench: Bench) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    """Each right kernel timed now, in pairs with the first right one; and a sentence for each that was not.

    Raises:
        TaskError, ToolchainError: as `Bench.evaluate`.
    """
    if bench.device == "simulator":
        return entries, ("Nothing can be timed here: there is no CUDA device.",)
    first = next((i for i, entry in enumerate(entries) if entry.is_right), None)
    if first is None:
        return entries, ("None of them is verified, so none was timed.",)
    reference = entries[first]
    found, notes = list(entries), []
    for place, entry in enumerate(entries):
        if place == first:
            continue
        timing = _beside(reference, entry, bench)
        if isinstance(timing, str):
            notes.append(f"{entry.label} was not timed anew: {timing}.")
        else:
            found[place] = replace(entry, anew=timing)
    found[first] = replace(reference, is_reference=True)
    return tuple(found), tuple(notes)


def _beside(reference: Entry, entry: Entry, bench: Bench) -> Timing | str:
    """The timing, or why there is none."""
    if reference.turn is None or entry.turn is None or not entry.is_right:
        return "it is not verified"
    if entry.task.key != reference.task.key:
        return f"it does another thing than {reference.label}"
    timing = bench.pair(entry.task, entry.turn.candidate, reference.turn.candidate)
    if isinstance(timing, str):
        return timing
    return replace(timing, baseline=reference.label)
