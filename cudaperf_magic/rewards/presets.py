"""Reward presets: the numbers of a reward, read from TOML files by name or by path.

It checks that the numbers make a sound reward (see `Preset`); it does not score anything.
"""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cudaperf_magic.errors import UsageError
from cudaperf_magic.records import PROPERTIES

FOLDER = Path(__file__).parent / "presets"
PROPERTY_KEYS = {"weight", "enough", "root"}
SHAPE: dict[str, set[str]] = {
    "verdict": {"build", "cheat", "verify", "partial", "correct"},
    "structure": {"total", *PROPERTIES},
    "speed": {"weight", "cap"},
    "memory": {"weight"},
}


@dataclass(frozen=True)
class PropertyWeight:
    """How one structural property counts: its share, and how its score is bent before it is weighed."""

    weight: float
    enough: float = 1.0  # the score from which more gains nothing
    root: float = 1.0

    def bend(self, score: float) -> float:
        """A score in [0, 1] as the reward sees it: in [0, 1] too, and never falling as the score rises."""
        return float(min(1.0, score / self.enough) ** (1.0 / self.root))


@dataclass(frozen=True)
class Preset:
    """All numbers of one reward. Built only when they rise with merit: build <= ... < correct, and weights >= 0."""

    name: str
    about: str
    build: float
    cheat: float
    verify: float
    partial: float
    correct: float
    structure: float
    properties: tuple[tuple[str, PropertyWeight], ...]
    speed: float
    speed_cap: float
    memory: float

    def __post_init__(self) -> None:
        if not self.build <= self.cheat <= self.verify <= self.verify + self.partial < self.correct:
            raise ValueError("verdict must rise: build <= cheat <= verify <= verify + partial < correct")
        if min(self.structure, self.speed, self.memory, *(w.weight for _, w in self.properties)) < 0:
            raise ValueError("weights must not be negative: more speed or structure may never cost reward")
        if self.speed_cap <= 1:
            raise ValueError("speed.cap must be above 1")
        if any(not (0 < w.enough <= 1 and w.root >= 1) for _, w in self.properties):
            raise ValueError("structure: enough lies in (0, 1] and root is at least 1")

    def weight_of(self, name: str) -> PropertyWeight | None:
        return dict(self.properties).get(name)


def preset_names() -> tuple[str, ...]:
    """The presets that come with the package."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def load_preset(name: str) -> Preset:
    """The preset of this name, or in the TOML file at this path.

    Raises:
        UsageError: no such preset or file, or numbers that make no sound reward; the sentence says which.
    """
    path = Path(name).expanduser() if _is_path(name) else FOLDER / f"{name}.toml"
    if not path.is_file():
        raise UsageError(_unknown(name))
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        return _read(path.stem, table)
    except (ValueError, OSError) as error:  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        raise UsageError(f"reward preset {name}: {error}") from error


def _is_path(name: str) -> bool:
    return name.endswith(".toml") or Path(name).name != name


def _unknown(name: str) -> str:
    if _is_path(name):
        return f"there is no reward preset file {name}; presets by name: {', '.join(preset_names())}"
    near = difflib.get_close_matches(name, preset_names(), n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"choose from {', '.join(preset_names())}, or give a .toml file"
    return f"there is no reward preset named {name!r}; {hint}"


def _read(name: str, table: Mapping[str, Any]) -> Preset:
    _refuse_unknown(table, {"about", *SHAPE}, "")
    sections = {section: _section(table, section) for section in SHAPE}
    verdict, structure, speed = sections["verdict"], sections["structure"], sections["speed"]
    return Preset(
        name=name,
        about=str(table.get("about", "")),
        **{key: _number(verdict, key, f"verdict.{key}") for key in ("build", "cheat", "verify", "partial", "correct")},
        structure=_number(structure, "total", "structure.total"),
        properties=tuple((p, _property(structure[p], f"structure.{p}")) for p in PROPERTIES if p in structure),
        speed=_number(speed, "weight", "speed.weight"),
        speed_cap=_number(speed, "cap", "speed.cap"),
        memory=_number(sections["memory"], "weight", "memory.weight"),
    )


def _section(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    section = table.get(name)
    if not isinstance(section, dict):
        raise ValueError(f"has no section [{name}]")
    _refuse_unknown(section, SHAPE[name], f"{name}.")
    return section


def _property(table: Any, place: str) -> PropertyWeight:
    if not isinstance(table, dict):
        raise ValueError(f"{place} needs a section of its own, with a weight")
    _refuse_unknown(table, PROPERTY_KEYS, f"{place}.")
    given = {key: _number(table, key, f"{place}.{key}") for key in ("enough", "root") if key in table}
    return PropertyWeight(weight=_number(table, "weight", f"{place}.weight"), **given)


def _number(table: Mapping[str, Any], key: str, place: str) -> float:
    value = table.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"{place} must be a finite number, not {value!r}")
    return float(value)


def _refuse_unknown(table: Mapping[str, Any], known: set[str], prefix: str) -> None:
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, sorted(known), n=1)
            raise ValueError(f"{prefix}{key} is not known" + (f"; did you mean {prefix}{near[0]}?" if near else ""))
