"""Which of two or more kernels is better, and how surely: from what was measured of each, and only where it may be
compared.

    of kernels of different tasks nothing is said
    a right kernel is better than a wrong one, surely
    of two right ones that were timed on the same case and card: the faster one, when the 95 % interval of their
    ratio lies beyond 1 and the noise of the timings; else it cannot be said
    of two that were not timed: nothing is said of speed; their structure is compared, and said as such

It measures nothing and draws nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .bench.measuring.statistics import LEAST_PAIRS, Ratio, apart, ratio
from .records import PROPERTIES, Outcome, Task, Timing, Turn

Ground = Literal["correctness", "time", "structure", "nothing"]
LEAST_NOISE = 0.01  # between two timings whose noise is not known
NOTABLE = 0.02  # of a property's score or a mean of them


@dataclass(frozen=True)
class Entry:
    """One kernel of a comparison. `turn` is None where an episode has no verified kernel."""

    label: str
    task: Task
    turn: Turn | None
    kept: str = ""  # the reason, where the episode was answered with KEEP
    anew: Timing | None = None  # timed for this comparison, in pairs with the one that `is_reference`
    is_reference: bool = False

    @property
    def outcome(self) -> Outcome | None:
        return self.turn.outcome if self.turn else None

    @property
    def is_right(self) -> bool:
        return self.outcome is not None and self.outcome.ok

    @property
    def timing(self) -> Timing | None:
        return self.outcome.timing if self.outcome else None


@dataclass(frozen=True)
class Versus:
    """What may be said of two kernels. `better` is the place of the better one, 0 or 1; None: it cannot be said."""

    ground: Ground
    better: int | None
    sentence: str
    ratio: Ratio | None = None  # how many times as fast the first is as the second


def versus(one: Entry, other: Entry) -> Versus:
    """Which of two is better, by the strongest ground that there is; of different tasks nothing is said."""
    if one.task.key != other.task.key:
        said = f"{one.task.entry} and {other.task.entry}, of different sources"
        return Versus("nothing", None, f"It cannot be said which is better: they do different things ({said}).")
    if one.is_right != other.is_right:
        better, worse = (one, other) if one.is_right else (other, one)
        why = (worse.kept and f"{worse.label} was left sequential") or f"{worse.label} has no verified kernel"
        if worse.turn is not None:
            why = f"{worse.label} is not correct"
        return Versus("correctness", 0 if one.is_right else 1, f"{better.label} is better, surely: {why}.")
    if not one.is_right:
        return Versus("nothing", None, f"Neither {one.label} nor {other.label} is verified, so neither is better.")
    if (beside := _beside(one, other)) is not None:
        return beside
    if one.timing is None or other.timing is None:
        return _by_structure(one, other)
    return _by_time(one, other, one.timing, other.timing)


def _beside(one: Entry, other: Entry) -> Versus | None:
    """From what was timed for this comparison; None where it was not of both."""
    if one.anew is not None and other.anew is not None:
        return _by_time(one, other, one.anew, other.anew)
    timing = other.anew if one.is_reference else one.anew if other.is_reference else None
    if timing is None or timing.interval is None:
        return None
    found = ratio(timing.samples_us, timing.baseline_samples_us)  # above 1: the one that is not the reference is faster
    noise = timing.noise if timing.noise is not None else LEAST_NOISE
    return _said(one, other, found.inverse if one.is_reference else found, noise, "timed in pairs")


def _by_time(one: Entry, other: Entry, ours: Timing, theirs: Timing) -> Versus:
    if differs := _conditions(ours, theirs):
        return Versus("nothing", None, f"Their times cannot be compared: {differs}.")
    if min(len(ours.samples_us), len(theirs.samples_us)) < LEAST_PAIRS:
        return Versus("nothing", None, f"Their times cannot be compared: fewer than {LEAST_PAIRS} samples were taken.")
    found, how = _ratio(ours, theirs)
    noise = max(ours.noise or LEAST_NOISE, theirs.noise or LEAST_NOISE)
    return _said(one, other, found, noise, how)


def _said(one: Entry, other: Entry, found: Ratio, noise: float, how: str) -> Versus:
    """`found`: how many times as fast the first is as the second."""
    sure = f"95 % interval {span(found.low, found.high)}, {how}"
    if found.is_faster(noise):
        return Versus("time", 0, _faster(one, other, found, how), found)
    if found.is_slower(noise):
        return Versus("time", 1, _faster(other, one, found.inverse, how), found)
    said = (
        f"It cannot be said which of {one.label} and {other.label} is faster: the ratio is {found.value:.3g} ({sure})."
    )
    return Versus("time", None, said, found)


def _faster(one: Entry, other: Entry, found: Ratio, how: str) -> str:
    times = f"{found.value:.3g} times as fast as {other.label}"
    return f"{one.label} is {times} (95 % interval {span(found.low, found.high)}, {how})."


def span(low: float, high: float) -> str:
    """`1.59 to 1.61`, with as many digits as tell the two apart."""
    digits = next((d for d in range(3, 6) if f"{low:.{d}g}" != f"{high:.{d}g}"), 3)
    return f"{low:.{digits}g} to {high:.{digits}g}"


def _conditions(ours: Timing, theirs: Timing) -> str:
    """What makes two times incomparable; "" when nothing does."""
    if ours.gpu != theirs.gpu:
        return f"they ran on different cards ({ours.gpu or 'unnamed'} and {theirs.gpu or 'unnamed'})"
    if ours.case != theirs.case:
        return f"they were timed on different sizes ({ours.case} and {theirs.case})"
    if ours.is_graph != theirs.is_graph:
        return "one was launched as a CUDA graph, the other was not"
    return ""


def _ratio(ours: Timing, theirs: Timing) -> tuple[Ratio, str]:
    """Through the baseline that both were paired with, where they were: what drifts between two evaluations cancels."""
    is_paired = ours.interval is not None and theirs.interval is not None and ours.baseline == theirs.baseline
    if not is_paired:
        return apart(ours.samples_us, theirs.samples_us), "timed apart from each other"
    return apart(_of_baseline(ours), _of_baseline(theirs)), f"each paired with {ours.baseline}"


def _of_baseline(timing: Timing) -> list[float]:
    """Each sample as a share of the baseline's that was taken beside it."""
    return [own / baseline for own, baseline in zip(timing.samples_us, timing.baseline_samples_us, strict=True)]


def _by_structure(one: Entry, other: Entry) -> Versus:
    why = "no time was measured of both"
    ours, theirs = _scores(one), _scores(other)
    both = [name for name in PROPERTIES if name in ours and name in theirs]
    if not both:
        return Versus("nothing", None, f"It cannot be said which is better: {why}, and no property of both.")
    up = [name for name in both if ours[name] - theirs[name] > NOTABLE]
    down = [name for name in both if theirs[name] - ours[name] > NOTABLE]
    if not up and not down:
        return Versus("structure", None, f"{one.label} and {other.label} use the machine alike; {why}.")
    if up and down:
        said = f"{one.label} has the better {_and(up)}, {other.label} the better {_and(down)}"
        return Versus("structure", None, f"{said}; which is faster cannot be said: {why}.")
    better, names, place = (one, up, 0) if up else (other, down, 1)
    return Versus("structure", place, f"{better.label} has the better {_and(names)}; no speed is claimed: {why}.")


def _scores(entry: Entry) -> dict[str, float]:
    structure = entry.outcome.structure if entry.outcome else None
    return {p.name: p.score for p in structure.properties} if structure else {}


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def is_one_task(entries: Sequence[Entry]) -> bool:
    return len({entry.task.key for entry in entries}) <= 1


def order(entries: Sequence[Entry]) -> tuple[tuple[int, ...], ...]:
    """Places of the entries in groups, the best group first; of those within a group it cannot be said which is better.

    Two entries are put in order where `versus` says so; a group ends where its last is worse than all of the next.
    """
    wins = [[versus(a, b).better == 0 for b in entries] for a in entries]
    left = list(range(len(entries)))
    groups: list[tuple[int, ...]] = []
    while left:
        unbeaten = tuple(i for i in left if not any(wins[j][i] for j in left))
        group = unbeaten or tuple(left)  # a circle of wins is one group
        groups.append(group)
        left = [i for i in left if i not in group]
    return tuple(groups)


def answer(entries: Sequence[Entry]) -> str:
    """Which is better and how surely, in one sentence or two."""
    if len(entries) == 2:
        return versus(entries[0], entries[1]).sentence
    first, *rest = order(entries)
    if not is_one_task(entries):
        first = tuple(range(len(entries)))  # what is best of one task is not best of all
    named = _and([entries[i].label for i in first])
    if not rest or not is_one_task(entries):
        return f"It cannot be said which of {named} is the best: {_ground(entries)}."
    among = "" if len(first) == 1 else " (which of them cannot be said)"
    runner = entries[rest[0][0]]
    return f"{named} {'is' if len(first) == 1 else 'are'} the best{among}. {versus(entries[first[0]], runner).sentence}"


def _ground(entries: Sequence[Entry]) -> str:
    if not is_one_task(entries):
        return "they are different tasks"
    if not any(entry.is_right for entry in entries):
        return "none of them is verified"
    if all(entry.timing is None for entry in entries):
        return "no time was measured, and each has something better"
    return "their intervals overlap, or their conditions differ"
