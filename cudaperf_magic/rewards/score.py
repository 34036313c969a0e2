"""The reward of an outcome: one number with every term that made it. Pure: the same outcome, the same reward.

What a term needs of an outcome is measured once (`measure`), and weighed as often as weights change (`weigh`, and
`totals` where only the numbers are wanted). A candidate that fails because of the machine never gets here: that is an
exception, not an outcome. What was not measured is absent, never 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cudaperf_magic.records import Outcome, Property, RewardBreakdown, RewardTerm
from cudaperf_magic.rewards.preset_files import load_preset
from cudaperf_magic.rewards.presets import EpisodeRule, Preset, TermWeight
from cudaperf_magic.rewards.terms import GATES, HALF_OF_GROUP, TERMS, Raw, open_gates


@dataclass(frozen=True)
class Group:
    """Rollouts of one task, of which the outcome is one: how many there are, and how many of them are correct."""

    correct: int
    total: int

    def __post_init__(self) -> None:
        if not 0 <= self.correct <= self.total or self.total < 1:
            raise ValueError(f"a group of {self.total} with {self.correct} correct does not exist")

    @property
    def is_half_correct(self) -> bool:
        return 2 * self.correct >= self.total


@dataclass(frozen=True)
class Measured:
    """All that the terms need of one outcome."""

    gates: frozenset[str]
    raw: Mapping[str, Raw]  # by term; one that was not measured or does not apply is absent
    properties: tuple[Property, ...]

    @property
    def is_correct(self) -> bool:
        return "correct" in self.gates


def score(outcome: Outcome, preset: str | Preset = "default", *, group: Group | None = None) -> RewardBreakdown:
    """The reward of `outcome` under a preset (a `Preset`, a name, or a path to a TOML file).

    Args:
        group: of the rollouts of the same task; an outcome alone is a group of one.

    Raises:
        UsageError: there is no such preset.
    """
    return weigh(measure(outcome), load_preset(preset) if isinstance(preset, str) else preset, group)


def measure(outcome: Outcome) -> Measured:
    """What every term of the catalogue says of the outcome, before any weight."""
    found = ((name, term.measure(outcome)) for name, term in TERMS.items())
    raw = {name: value for name, value in found if value is not None}
    return Measured(open_gates(outcome), raw, outcome.structure.properties if outcome.structure else ())


def weigh(measured: Measured, preset: Preset, group: Group | None = None) -> RewardBreakdown:
    """The terms that count under the preset, the structural properties last."""
    gates = _gates(measured, group)
    terms = [_reward_term(weight, weight.score(raw[0]), raw[1]) for weight, raw in _open(measured, preset, gates)]
    for prop, share, bent in _shares(measured, preset, gates):
        terms.append(RewardTerm(prop.name, bent, share, prop.reason, gate=_words(preset.structure_gates)))
    return RewardBreakdown(preset.name, tuple(terms))


def totals(measureds: Iterable[Measured], preset: Preset, groups: Sequence[Group | None] | None = None) -> list[float]:
    """The totals that `weigh` would give, without the words.

    Args:
        groups: one for each that was measured, where `half_of_group` is to mean more than the outcome itself.
    """
    return [
        sum(values(measured, preset, groups[number] if groups else None).values())
        for number, measured in enumerate(measureds)
    ]


def values(measured: Measured, preset: Preset, group: Group | None = None) -> dict[str, float]:
    """What each term gives under the preset, by name, without the words: their sum is the total of `weigh`."""
    gates = _gates(measured, group)
    found = {weight.name: weight.score(raw[0]) * weight.weight for weight, raw in _open(measured, preset, gates)}
    for prop, share, bent in _shares(measured, preset, gates):
        found[prop.name] = share * bent
    return found


def turn_groups(rollouts: Sequence[Sequence[Measured]]) -> list[list[Group]]:
    """The group of every turn: turn t of the rollouts of one task that reached it.

    Returns:
        In the shape of `rollouts`, which may have different numbers of turns.
    """
    groups = []
    for turn in range(max(map(len, rollouts), default=0)):
        reached = [rollout[turn].is_correct for rollout in rollouts if turn < len(rollout)]
        groups.append(Group(sum(reached), len(reached)))
    return [groups[: len(rollout)] for rollout in rollouts]


def score_keep(preset: Preset) -> RewardBreakdown | None:
    """What the decision KEEP earns: the program that is left as it is is right (q = 1). None where a preset has no
    such term."""
    weight = preset.term("kept")
    if weight is None or not weight.is_on or not weight.weight:
        return None
    return RewardBreakdown(preset.name, (_reward_term(weight, 1.0, "the program is left sequential, and is right"),))


def episode_reward(rewards: Sequence[float], is_correct: Sequence[bool], rule: EpisodeRule, most_turns: int) -> float:
    """One number of a whole episode by `rule`; 0 for an episode without turns.

    Args:
        rewards: of its turns, in order. is_correct: of the same turns. most_turns: how many it was allowed.
    """
    if not rewards:
        return 0.0
    used = next((number for number, right in enumerate(is_correct, 1) if right), most_turns)
    saved = max(0, most_turns - used) / most_turns
    return rule.first * rewards[0] + rule.best * max(rewards) + rule.early * saved


def _gates(measured: Measured, group: Group | None) -> frozenset[str]:
    is_open = group.is_half_correct if group else measured.is_correct
    return measured.gates | {HALF_OF_GROUP} if is_open else measured.gates


def _open(measured: Measured, preset: Preset, gates: frozenset[str]) -> Iterator[tuple[TermWeight, Raw]]:
    """The terms whose gates are open and that were measured."""
    for weight in preset.counted:
        raw = measured.raw.get(weight.name)
        if raw is not None and gates.issuperset(weight.all_gates):
            yield weight, raw


def _shares(measured: Measured, preset: Preset, gates: frozenset[str]) -> list[tuple[Property, float, float]]:
    """(property, its weight, its bent score) of those that apply; they share the preset's total, so that one that does
    not apply (shared memory in a kernel that needs none) neither costs nor earns."""
    weights = preset.counted_properties
    if not weights or not gates.issuperset(preset.structure_gates):
        return []
    counted = [(prop, weights[prop.name]) for prop in measured.properties if prop.name in weights]
    whole = sum(weight.weight for _, weight in counted)
    return [(p, preset.structure * w.weight / whole, w.bend(p.score)) for p, w in counted]


def _reward_term(weight: TermWeight, value: float, reason: str) -> RewardTerm:
    return RewardTerm(weight.name, value, weight.weight, reason, weight.range, _words(weight.all_gates))


def _words(gates: Iterable[str]) -> str:
    """The gates in words; none where it always counts."""
    return " and ".join(GATES[gate] for gate in gates if gate != "always")
