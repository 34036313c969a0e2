"""Presets as TOML files: read by name or path, written so that a person can go on editing them.

    about, source          what the reward is for, and where it comes from
    [terms.NAME]           weight; perhaps low, high (the clip), above (a threshold), gate, on
    [structure]            total; perhaps gate. Below it [structure.PROPERTY]: weight; perhaps enough, root, on
    [return]               gamma
    [episode]              first, best, early

It knows the words, not what a good reward is: `soundness.py` does.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from cudaperf_magic.errors import UsageError, did_you_mean
from cudaperf_magic.records import PROPERTIES
from cudaperf_magic.rewards.presets import EpisodeRule, Preset, PropertyWeight, TermWeight
from cudaperf_magic.rewards.terms import GATES, TERMS
from cudaperf_magic.whole_files import write_whole

FOLDER = Path(__file__).parent / "presets"
SECTIONS = ("about", "source", "terms", "structure", "return", "episode")
TERM_KEYS = ("weight", "low", "high", "above", "gate", "on")
PROPERTY_KEYS = ("weight", "enough", "root", "on")
EPISODE_KEYS = ("first", "best", "early")
OLD_SECTIONS = {"verdict", "speed", "memory"}  # of files written before terms were listed one by one


def preset_names() -> tuple[str, ...]:
    """The presets that come with the package, `default` first."""
    names = sorted(path.stem for path in FOLDER.glob("*.toml"))
    return ("default", *(name for name in names if name != "default"))


def load_preset(name: str) -> Preset:
    """The preset of this name, or in the TOML file at this path.

    Raises:
        UsageError: no such preset or file, or a word or number in it that is not understood; the sentence says which.
    """
    path = Path(name).expanduser() if _is_path(name) else FOLDER / f"{name}.toml"
    if not path.is_file():
        raise UsageError(_unknown(name))
    try:
        # Some editors begin a file with a byte order mark, which is no TOML.
        return read_preset(path.stem, path.read_text(encoding="utf-8-sig"))
    except (ValueError, OSError) as error:  # UnicodeDecodeError is a ValueError
        raise UsageError(f"reward preset {name}: {error}") from error


def read_preset(name: str, text: str) -> Preset:
    """The preset that a TOML text describes.

    Raises:
        ValueError: not TOML, or a word or number that is not understood.
    """
    table = tomllib.loads(text)
    if old := OLD_SECTIONS & set(table):
        raise ValueError(
            f"section [{min(old)}] is of an older layout: write one section [terms.NAME] a term; "
            "`cudaperf rewards --save FILE.toml` writes a file to begin from"
        )
    _refuse_unknown(table, SECTIONS, "")
    terms, structure = _section(table, "terms"), _section(table, "structure")
    rule = _section(table, "episode")
    _refuse_unknown(rule, EPISODE_KEYS, "episode.")
    _refuse_unknown(_section(table, "return"), ("gamma",), "return.")
    _refuse_unknown(structure, ("total", "gate", *PROPERTIES), "structure.")
    return Preset(
        name=name,
        about=str(table.get("about", "")),
        source=str(table.get("source", "")),
        terms=tuple(_term(key, terms[key]) for key in terms),
        structure=structure.get("total", 0.0),
        structure_gates=_gates(structure.get("gate"), "structure") or ("correct",),
        properties=tuple((p, _property(p, structure[p])) for p in PROPERTIES if p in structure),
        gamma=_section(table, "return").get("gamma", 1.0),
        episode=EpisodeRule(**rule),
    )


def save_preset(preset: Preset, path: str | Path) -> None:
    """Write a preset to a TOML file, whole or not at all.

    Raises:
        UsageError: the name does not end in .toml, or the file cannot be written.
    """
    target = Path(path).expanduser()
    if target.suffix != ".toml":
        raise UsageError(f"{path}: the name of a preset's file ends in .toml")
    write_whole(target, preset_text(preset))


def preset_text(preset: Preset) -> str:
    """The preset as TOML, each term with a comment that says what it measures; `read_preset` reads it back exactly."""
    return "\n".join(_lines(preset)) + "\n"


def _lines(preset: Preset) -> Iterator[str]:
    yield f"about = {_quoted(preset.about)}"
    if preset.source:
        yield f"source = {_quoted(preset.source)}"
    for weight in preset.terms:
        yield from ("", f"# {weight.term.about}", f"[terms.{weight.name}]", f"weight = {weight.weight!r}")
        yield from _given({"low": weight.low, "high": weight.high, "above": weight.above})
        when = " and ".join(GATES[gate] for gate in weight.all_gates if gate != "always")
        # A gate that the preset leaves to the term is shown as a comment, so that what is read back is the same.
        gate = f"gate = {_words(weight.all_gates)}  # counts {f'when {when}' if when else 'always'}"
        yield gate if weight.gates else f"# {gate}"
        if not weight.is_on:
            yield "on = false"
    yield from ("", "# Structural properties share `total` among those that apply, in proportion to their weights.")
    yield from ("[structure]", f"total = {preset.structure!r}", f"gate = {_words(preset.structure_gates)}")
    for name, share in preset.properties:
        yield from ("", f"[structure.{name}]", f"weight = {share.weight!r}")
        if share.enough != 1.0:
            yield f"enough = {share.enough!r}  # the score from which more gains nothing"
        if share.root != 1.0:
            yield f"root = {share.root!r}  # 2 takes the square root"
        if not share.is_on:
            yield "on = false"
    yield from ("", "# A turn's return is the sum of gamma^(k - t) r_k over this and later turns.", "[return]")
    yield f"gamma = {preset.gamma!r}"
    rule = preset.episode
    yield from ("", "# An episode's reward: first * r_1 + best * max r + early * share of turns saved.", "[episode]")
    yield from (f"first = {rule.first!r}", f"best = {rule.best!r}", f"early = {rule.early!r}")


def _given(values: Mapping[str, float | None]) -> Iterator[str]:
    return (f"{key} = {value!r}" for key, value in values.items() if value is not None)


def _quoted(text: str) -> str:
    """A TOML basic string: backslash, quote and control characters escaped."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}" for c in plain) + '"'


def _words(words: Iterable[str]) -> str:
    found = [f'"{word}"' for word in words]
    return found[0] if len(found) == 1 else f"[{', '.join(found)}]"


def _is_path(name: str) -> bool:
    return name.endswith(".toml") or Path(name).name != name


def _unknown(name: str) -> str:
    if _is_path(name):
        return f"there is no reward preset file {name}; presets by name: {', '.join(preset_names())}"
    hint = did_you_mean(name, preset_names()) or f"; choose from {', '.join(preset_names())}, or give a .toml file"
    return f"there is no reward preset named {name!r}{hint}"


def _section(table: Mapping[str, Any], name: str) -> dict[str, Any]:
    section = table.get(name, {})
    if not isinstance(section, dict):
        raise ValueError(f"{name} must be a section, [{name}]")
    return section


def _term(name: str, table: Any) -> TermWeight:
    if name not in TERMS:
        raise ValueError(f"there is no reward term {name}{did_you_mean(name, TERMS)}; there are {', '.join(TERMS)}")
    keys = _keys(table, TERM_KEYS, f"terms.{name}")
    gates = _gates(keys.pop("gate", None), f"terms.{name}")
    return TermWeight(name, gates=gates, is_on=_flag(keys.pop("on", True), f"terms.{name}.on"), **keys)


def _property(name: str, table: Any) -> PropertyWeight:
    keys = _keys(table, PROPERTY_KEYS, f"structure.{name}")
    try:
        return PropertyWeight(is_on=_flag(keys.pop("on", True), f"structure.{name}.on"), **keys)
    except ValueError as error:
        raise ValueError(f"structure.{name}: {error}") from None


def _keys(table: Any, known: Iterable[str], place: str) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise ValueError(f"{place} needs a section of its own, with a weight")
    _refuse_unknown(table, known, f"{place}.")
    if "weight" not in table:
        raise ValueError(f"{place} has no weight")
    return dict(table)


def _flag(value: Any, place: str) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{place} is true or false, not {value!r}")
    return value


def _gates(value: Any, place: str) -> tuple[str, ...]:
    found = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(gate, str) for gate in found):
        raise ValueError(f"{place}.gate is a word or a list of words out of {', '.join(GATES)}")
    return tuple(found)


def _refuse_unknown(table: Mapping[str, Any], known: Iterable[str], prefix: str) -> None:
    known = tuple(known)
    for key in table:
        if key not in known:
            near = did_you_mean(f"{prefix}{key}", [f"{prefix}{name}" for name in known])
            raise ValueError(f"{prefix}{key} is not known{near or '; there are ' + ', '.join(known)}")
