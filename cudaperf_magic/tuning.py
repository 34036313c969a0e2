"""Tuning a reward: what a preset makes of episodes that were played, and the steps of trying others, with undo.

Pure. Outcomes are measured once; a change of a weight weighs them anew (`judge`), which takes milliseconds for a
thousand turns. It draws nothing (notebook/tuning_words.py, notebook/tuner.py) and evaluates nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from .errors import UsageError, did_you_mean
from .records import PROPERTIES, Episode, Turn
from .rewards import Group, Measured, Preset, PropertyWeight, TermWeight, measure, turn_groups, values, violations
from .rewards.hacking import Judged, Suspicion, Timed, hacked_terms, rank_correlation, suspicions, timed
from .rewards.soundness import Violation
from .rewards.terms import TERMS
from .training.credit import grpo_by_turn, returns, trloo


@dataclass(frozen=True)
class Rated:
    """One turn under a preset. `grpo` and `trloo` are its advantages among the rollouts of its task."""

    episode: int  # its place among the episodes
    number: int  # counted from 1
    label: str
    turn: Turn
    speedup: float | None
    total: float
    grpo: float
    trloo: float


@dataclass(frozen=True)
class Choice:
    """Which turn of an episode a preset takes for the best, and which one stands as the best in the episode."""

    label: str
    stored: Rated | None
    chosen: Rated | None

    @property
    def is_other(self) -> bool:
        return self.stored is not self.chosen

    @property
    def gain(self) -> float | None:
        """How many times as fast the chosen one is; None where they were not timed under the same conditions."""
        if self.stored is None or self.chosen is None:
            return None
        stored, chosen = timed(self.stored.turn.outcome), timed(self.chosen.turn.outcome)
        if stored is None or chosen is None or stored.conditions != chosen.conditions:
            return None
        return stored.median_us / chosen.median_us


@dataclass(frozen=True)
class Standing:
    """What a preset makes of the episodes."""

    preset: Preset
    ranking: tuple[Rated, ...]  # the highest reward first
    choices: tuple[Choice, ...]
    correlation: float | None  # of reward and measured speedup, in rank
    suspicions: tuple[Suspicion, ...]

    @cached_property
    def timed(self) -> tuple[Rated, ...]:
        return tuple(rated for rated in self.ranking if rated.speedup is not None)

    @cached_property
    def hacked(self) -> dict[str, float]:
        """Term -> reward that it gave to turns that were not faster."""
        return hacked_terms(self.suspicions)

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        return violations(self.preset)


@dataclass(frozen=True)
class Record:
    """Episodes with what the terms need of each of their turns: measured once, weighed often."""

    episodes: tuple[Episode, ...]
    measured: tuple[tuple[Measured, ...], ...]
    labels: tuple[str, ...]

    @property
    def turns(self) -> int:
        return sum(len(found) for found in self.measured)

    @cached_property
    def speedups(self) -> tuple[tuple[float | None, ...], ...]:
        """Of each turn, in the shape of the turns; a median of samples each, so they are taken once."""
        return tuple(tuple(turn.outcome.speedup for turn in episode.turns) for episode in self.episodes)

    @cached_property
    def times(self) -> tuple[tuple[Timed | None, ...], ...]:
        return tuple(tuple(timed(turn.outcome) for turn in episode.turns) for episode in self.episodes)

    @cached_property
    def best(self) -> tuple[int | None, ...]:
        """The place of each episode's stored best turn."""
        found = [(episode.turns, episode.best) for episode in self.episodes]
        return tuple(next((i for i, turn in enumerate(turns) if turn is best), None) for turns, best in found)

    @cached_property
    def rollouts(self) -> tuple[tuple[int, ...], ...]:
        """Which episodes are of one task, by their places; they are the rollouts of one group."""
        members: dict[str, list[int]] = {}
        for number, episode in enumerate(self.episodes):
            members.setdefault(episode.task.key, []).append(number)
        return tuple(tuple(numbers) for numbers in members.values())

    @cached_property
    def groups(self) -> list[list[Group]]:
        """The group of each turn, in the shape of the turns."""
        found: list[list[Group]] = [[] for _ in self.episodes]
        for members in self.rollouts:
            for number, groups in zip(members, turn_groups([self.measured[m] for m in members]), strict=True):
                found[number] = groups
        return found


def record(episodes: Sequence[Episode]) -> Record:
    """Measure every turn of these episodes."""
    labels = tuple(episode.identity or f"{episode.task.entry} #{i}" for i, episode in enumerate(episodes, 1))
    measured = tuple(tuple(measure(turn.outcome) for turn in episode.turns) for episode in episodes)
    return Record(tuple(episodes), measured, labels)


def judge(found: Record, preset: Preset) -> Standing:
    """All that a preset says of the episodes."""
    given = [
        [values(one, preset, group) for one, group in zip(measured, groups, strict=True)]
        for measured, groups in zip(found.measured, found.groups, strict=True)
    ]
    sums = [[sum(one.values()) for one in turns] for turns in given]
    by_grpo, by_trloo = _advantages(found, sums, preset.gamma)
    rated = [
        [
            Rated(e, t + 1, f"{label}:{t + 1}", turn, found.speedups[e][t], sums[e][t], by_grpo[e][t], by_trloo[e][t])
            for t, turn in enumerate(episode.turns)
        ]
        for e, (episode, label) in enumerate(zip(found.episodes, found.labels, strict=True))
    ]
    flat = [one for turns in rated for one in turns]
    pairs = [(one.total, one.speedup) for one in flat if one.speedup is not None]
    return Standing(
        preset,
        tuple(sorted(flat, key=lambda one: -one.total)),  # stable: of equals the earlier one
        tuple(_choice(found, e, turns) for e, turns in enumerate(rated)),
        rank_correlation([total for total, _ in pairs], [speedup for _, speedup in pairs]),
        tuple(s for e, turns in enumerate(rated) for s in _suspicions(found.times[e], turns, given[e])),
    )


def _choice(found: Record, number: int, turns: list[Rated]) -> Choice:
    best = found.best[number]
    stored = None if best is None else turns[best]
    right = [one for one in turns if one.turn.outcome.ok]
    return Choice(found.labels[number], stored, max(right, key=lambda one: one.total, default=None))


def _suspicions(
    times: Sequence[Timed | None], turns: Sequence[Rated], given: Sequence[dict[str, float]]
) -> tuple[Suspicion, ...]:
    each = zip(turns, times, given, strict=True)
    return suspicions([Judged(one.label, time, one.total, by_term) for one, time, by_term in each])


def _advantages(found: Record, sums: list[list[float]], gamma: float) -> tuple[list[list[float]], list[list[float]]]:
    """GRPO and TRLOO in the shape of the turns."""
    by_grpo: list[list[float]] = [[] for _ in sums]
    by_trloo: list[list[float]] = [[] for _ in sums]
    for members in found.rollouts:
        rollouts = [returns(sums[number], gamma) for number in members]
        for number, one, other in zip(members, grpo_by_turn(rollouts), trloo(rollouts), strict=True):
            by_grpo[number], by_trloo[number] = one, other
    return by_grpo, by_trloo


# ---- trying other numbers ----


Step = tuple[Preset, Preset]  # a preset, and the one that it was changed from


@dataclass(frozen=True)
class Trial:
    """The preset as it stands, where it began, and the way back. Every change is a new Trial."""

    preset: Preset
    begun: Preset
    past: tuple[Step, ...] = ()
    future: tuple[Step, ...] = ()
    control: str = ""  # what was moved last

    def to(self, preset: Preset, control: str = "") -> Trial:
        """The same with another preset; one that says the same is no step.

        Args:
            control: what was moved. Moves of one control in a row, as one drags, are one step to undo.
        """
        preset = _named(preset, self.begun)
        if preset == self.preset:
            return self
        is_same_step = bool(control) and control == self.control
        past = self.past if is_same_step else (*self.past, self._step)
        return Trial(preset, self.begun, past, control=control)

    def anew(self, preset: Preset) -> Trial:
        """Begin from another preset: `reset` comes back to it, `undo` still to what was before."""
        return Trial(preset, preset, (*self.past, self._step))

    def undo(self) -> Trial:
        if not self.past:
            return self
        return Trial(*self.past[-1], self.past[:-1], (self._step, *self.future))

    def redo(self) -> Trial:
        if not self.future:
            return self
        return Trial(*self.future[0], (*self.past, self._step), self.future[1:])

    def reset(self) -> Trial:
        return self.to(self.begun)

    @property
    def _step(self) -> Step:
        return self.preset, self.begun


def _named(preset: Preset, begun: Preset) -> Preset:
    """Other numbers go by another name: they are no longer what the source defines."""
    own = replace(preset, name=begun.name, source=begun.source)
    return own if own == begun else replace(preset, name=f"{begun.name}, changed", source=f"changed from {begun.name}")


def changed(preset: Preset, assignments: Sequence[str]) -> Preset:
    """The preset after each `NAME=VALUE` of `_changed`, under a name that says that it was changed.

    Raises:
        UsageError: a word or number that is not understood.
    """
    made = preset
    for assignment in assignments:
        made = _changed(made, assignment)
    return _named(made, preset)


def _changed(preset: Preset, assignment: str) -> Preset:
    """The preset after `NAME=VALUE`: `speed=3`, `speed.high=16`, `coalescing=2`, `occupancy.enough=0.75`,
    `speed.on=no`, `structure=0.5`, `gamma=0.4`."""
    name, equals, text = (part.strip() for part in assignment.partition("="))
    owner, _, key = name.partition(".")
    if not equals or not text:
        raise UsageError(f"--set {assignment}: write NAME=NUMBER, for example --set speed=3 or --set speed.high=16")
    try:
        return _assigned(preset, owner, key or "weight", text)
    except ValueError as problem:
        raise UsageError(f"--set {assignment}: {problem}") from None


def _assigned(preset: Preset, owner: str, key: str, text: str) -> Preset:
    if owner == "structure" and key == "weight":
        return replace(preset, structure=_number(text))
    if owner == "gamma" and key == "weight":
        return replace(preset, gamma=_number(text))
    if owner in PROPERTIES:
        weight = dict(preset.properties).get(owner, PropertyWeight(0.0))
        return preset.with_property(owner, replace(weight, **_field(key, text, ("weight", "enough", "root"))))
    if owner in TERMS:
        term = preset.term(owner) or TermWeight(owner, 0.0)
        return preset.with_term(replace(term, **_field(key, text, ("weight", "low", "high", "above"))))
    names = [*TERMS, *PROPERTIES, "structure", "gamma"]
    raise ValueError(f"there is no term {owner}{did_you_mean(owner, names)}; there are {', '.join(names)}")


def _field(key: str, text: str, numbers: tuple[str, ...]) -> dict[str, Any]:
    if key == "on":
        words = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
        if text.lower() not in words:
            raise ValueError("on is yes or no")
        return {"is_on": words[text.lower()]}
    if key not in numbers:
        raise ValueError(f"{key} is not known{did_you_mean(key, numbers)}; there are {', '.join((*numbers, 'on'))}")
    return {key: None if text == "none" and key in ("low", "high", "above") else _number(text)}


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{text!r} is no number") from None
