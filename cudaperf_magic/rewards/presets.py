"""Reward presets: which terms make a reward, with their weights, clips and gates. Data, that a person may change.

It checks that the numbers are numbers and the words known; whether they make a sound reward says `soundness.py`, and
`preset_files.py` reads and writes them as TOML. It scores nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

from cudaperf_magic.errors import did_you_mean
from cudaperf_magic.records import PROPERTIES
from cudaperf_magic.rewards.terms import GATES, HALF_OF_GROUP, TERMS, Range, Term

LARGEST = 1e9  # of any number of a preset: sums and products stay finite, and 0.01 beside it is not lost


@dataclass(frozen=True)
class TermWeight:
    """How one term counts: value = weight * clip(raw, low, high) while all its gates are open.

    With `above`, the raw value is only held against that number: 1 when it lies above, else 0.
    """

    name: str
    weight: float
    low: float | None = None
    high: float | None = None
    above: float | None = None
    gates: tuple[str, ...] = ()  # none: the term's own
    is_on: bool = True

    def __post_init__(self) -> None:
        if self.name not in TERMS:
            raise ValueError(f"there is no reward term {self.name}{did_you_mean(self.name, TERMS)}")
        _finite(f"{self.name}.weight", self.weight)
        for key in ("low", "high", "above"):
            if getattr(self, key) is not None:
                _finite(f"{self.name}.{key}", getattr(self, key))
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"{self.name}: low is {self.low:g}, above high, which is {self.high:g}")
        if self.high is not None and self.high <= 0 and self.term.shape:
            raise ValueError(f"{self.name}.high must be above 0")
        _known_gates(self.name, self.gates)

    @property
    def term(self) -> Term:
        return TERMS[self.name]

    @property
    def all_gates(self) -> tuple[str, ...]:
        return self.gates or (self.term.gate,)

    @property
    def range(self) -> Range:
        """What the score can be."""
        return (0.0, 1.0) if self.above is not None else self.term.bounds(self.low, self.high)

    def score(self, raw: float) -> float:
        if self.above is not None:
            return 1.0 if raw > self.above else 0.0
        return self.term.score(raw, self.low, self.high)


@dataclass(frozen=True)
class PropertyWeight:
    """How one structural property counts: its share, and how its score is bent before it is weighed."""

    weight: float
    enough: float = 1.0  # the score from which more gains nothing
    root: float = 1.0
    is_on: bool = True

    def __post_init__(self) -> None:
        for key in ("weight", "enough", "root"):
            _finite(key, getattr(self, key))
        if self.weight < 0:
            raise ValueError("the weight of a property is its share of all and cannot be negative")
        if not (0 < self.enough <= 1 and self.root >= 1):
            raise ValueError("enough lies in (0, 1] and root is at least 1")

    def bend(self, score: float) -> float:
        """A score in [0, 1] as the reward sees it: in [0, 1] too, and never falling as the score rises."""
        return float(min(1.0, score / self.enough) ** (1.0 / self.root))


@dataclass(frozen=True)
class EpisodeRule:
    """How the rewards of an episode's turns become one number: first * r_1 + best * max r + early * turns saved.

    Turns saved: the share of the turns allowed that the first correct turn left unused; 0 when none is correct.
    """

    first: float = 0.0
    best: float = 1.0
    early: float = 0.0

    def __post_init__(self) -> None:
        for key in ("first", "best", "early"):
            _finite(f"episode.{key}", getattr(self, key))


@dataclass(frozen=True)
class Preset:
    """All numbers of one reward.

    Attributes:
        structure: what the structural properties that apply share, in proportion to their weights.
        gamma: of a turn's return, the sum of gamma^(k - t) r_k over this and later turns.
    """

    name: str
    about: str
    source: str = ""
    terms: tuple[TermWeight, ...] = ()
    structure: float = 0.0
    structure_gates: tuple[str, ...] = ("correct",)
    properties: tuple[tuple[str, PropertyWeight], ...] = ()
    gamma: float = 1.0
    episode: EpisodeRule = field(default_factory=EpisodeRule)

    def __post_init__(self) -> None:
        names = [term.name for term in self.terms]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"the term {twice} stands twice")
        properties = [name for name, _ in self.properties]
        for name in properties:
            if properties.count(name) > 1:
                raise ValueError(f"the property {name} stands twice")
            if name not in PROPERTIES:
                raise ValueError(f"there is no property {name}{did_you_mean(name, PROPERTIES)}")
        _finite("structure.total", self.structure)
        _finite("return.gamma", self.gamma)
        if not 0.0 <= self.gamma <= 1.0:
            raise ValueError("return.gamma lies in [0, 1]")
        if not self.structure_gates:
            raise ValueError("structure needs a gate; always is one")
        _known_gates("structure", self.structure_gates)

    @cached_property
    def counted(self) -> tuple[TermWeight, ...]:
        """The terms that weigh anything, of a program."""
        return tuple(term for term in self.terms if term.is_on and term.weight and term.name != "kept")

    @cached_property
    def counted_properties(self) -> dict[str, PropertyWeight]:
        if not self.structure:
            return {}
        return {name: weight for name, weight in self.properties if weight.is_on and weight.weight > 0}

    @cached_property
    def asks_group(self) -> bool:
        """Whether the reward of a turn depends on how the other rollouts of its task did."""
        gates = {gate for term in self.counted for gate in term.all_gates}
        return HALF_OF_GROUP in gates or (bool(self.counted_properties) and HALF_OF_GROUP in self.structure_gates)

    def term(self, name: str) -> TermWeight | None:
        return next((term for term in self.terms if term.name == name), None)

    def with_term(self, changed: TermWeight) -> Preset:
        """The same with one term in place of the one of its name, or added."""
        if self.term(changed.name) is None:
            return replace(self, terms=(*self.terms, changed))
        return replace(self, terms=tuple(changed if t.name == changed.name else t for t in self.terms))

    def with_property(self, name: str, changed: PropertyWeight) -> Preset:
        """The same with one property weighed otherwise, or added."""
        weights = dict(self.properties) | {name: changed}
        return replace(self, properties=tuple((p, weights[p]) for p in PROPERTIES if p in weights))


def _finite(place: str, value: float) -> None:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LARGEST:
        raise ValueError(f"{place} must lie within {-LARGEST:g} and {LARGEST:g}")  # it may be too long to print
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"{place} must be a finite number, not {value!r}")
    if abs(value) > LARGEST:
        raise ValueError(f"{place} must lie within {-LARGEST:g} and {LARGEST:g}, not {value:g}")


def _known_gates(place: str, gates: tuple[str, ...]) -> None:
    for gate in gates:
        if gate not in GATES:
            raise ValueError(
                f"{place}: there is no gate {gate}{did_you_mean(gate, GATES)}; there are {', '.join(GATES)}"
            )
