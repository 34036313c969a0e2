"""Records to JSON and back, exactly: the fields as the records hold them, plus what is derived from them.

The dataclasses' own type hints drive everything, so a new field needs no change here. Derived keys (`decision`,
`total`, `speedup` ...) are written for readers in other languages and ignored when read. NaN and infinity never reach a
file: they become null where the field may be None, and are an error elsewhere. It does not touch files; the schema is
`records_schema.py`, and what brings older versions up to date `records_versions.py`.
"""

from __future__ import annotations

import json
import math
import operator
import reprlib
import sys
import types
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import cudaperf_magic.records as records
import cudaperf_magic.records_inspection as inspection
from cudaperf_magic.records_versions import VERSION, JsonObject, brought_up, checked, parsed

__all__ = ["VERSION", "JsonObject", "derived", "dumps", "field_types", "from_json", "loads", "optional", "to_json"]
Record = TypeVar("Record")


def _index_of_best(episode: records.Episode) -> int | None:
    best = episode.best
    return next(i for i, turn in enumerate(episode.turns) if turn is best) if best else None


def _property(cls: type, name: str) -> tuple[Any, Callable[[Any], Any]]:
    getter = vars(cls)[name].fget
    return get_type_hints(getter)["return"], getter


@cache
def derived(cls: type) -> dict[str, tuple[Any, Callable[[Any], Any]]]:
    """The keys written beside a record's fields: name -> (type, how to compute it)."""
    if cls is records.Episode:
        return {"decision": _property(cls, "decision"), "best": (int | None, _index_of_best)}
    names: dict[type, tuple[str, ...]] = {
        records.Task: ("key",),
        records.Candidate: ("key",),
        records.Verdict: ("ok",),
        records.Timing: ("median_us", "speedup", "of_floor"),
        records.Roofline: ("intensity", "bound_tops"),
        records.Structure: ("score",),
        records.Outcome: ("stage", "ok", "speedup"),
        records.RewardTerm: ("value",),
        records.RewardBreakdown: ("total",),
        inspection.OccupancyReport: ("ratio",),
        inspection.Inspection: ("ok",),
    }
    return {name: _property(cls, name) for name in names.get(cls, ())}


@cache
def field_types(cls: type) -> dict[str, Any]:
    """Field name -> resolved type hint, in the record's order."""
    hints = get_type_hints(cls)
    return {f.name: hints[f.name] for f in fields(cls)}


def optional(hint: Any) -> Any | None:
    """X for a hint `X | None`, else None."""
    if get_origin(hint) in (Union, types.UnionType):
        rest = [a for a in get_args(hint) if a is not type(None)]
        if len(rest) == 1 and len(get_args(hint)) == 2:
            return rest[0]
    return None


def to_json(record: Any) -> JsonObject:
    """The record as plain JSON values.

    Raises:
        ValueError: a value that JSON cannot hold; the message names its place, e.g. `turns[2].reward.terms[0].score`.
    """
    result: JsonObject = _encode(type(record), record, "")
    return result


def from_json(cls: type[Record], data: JsonObject, version: int = VERSION) -> Record:
    """The record that `to_json` wrote, in this version of the records or an older one.

    Raises:
        ValueError: a missing or unknown key, or a value of the wrong type; the message names its place.
    """
    result: Record = _decode(cls, data, "", version)
    return result


def dumps(record: Any, *, indent: int | None = None) -> str:
    """A self-describing JSON text: {"record": "episode", "version": 2, ...the record's own keys}."""
    envelope = {"record": type(record).__name__.lower(), "version": VERSION, **to_json(record)}
    return json.dumps(envelope, allow_nan=False, indent=indent)


def loads(cls: type[Record], text: str) -> Record:
    """The record in a text that `dumps` wrote.

    Raises:
        ValueError: not JSON, another kind of record, or a newer version.
    """
    data = parsed(text)
    if not isinstance(data, dict):
        raise ValueError(f"expected a JSON object with one {cls.__name__.lower()}")
    data = dict(data)
    kind, version = data.pop("record", None), data.pop("version", None)
    if kind != cls.__name__.lower():
        raise ValueError(f"expected a record of kind {cls.__name__.lower()!r}, found {reprlib.repr(kind)}")
    return from_json(cls, data, checked(version))


def _encode(hint: Any, value: Any, place: str) -> Any:
    inner = optional(hint)
    if inner is not None:
        is_unbounded = inner is float and value is not None and not math.isfinite(value)
        return None if value is None or is_unbounded else _encode(inner, value, place)
    if is_dataclass(hint) and isinstance(hint, type):
        if not isinstance(value, hint):
            raise ValueError(f"{place or 'record'}: expected {hint.__name__}, found {type(value).__name__}")
        own = {name: _encode(t, getattr(value, name), _join(place, name)) for name, t in field_types(hint).items()}
        extra = {name: _encode(t, get(value), _join(place, name)) for name, (t, get) in derived(hint).items()}
        return own | extra
    if get_origin(hint) is tuple:
        return [_encode(t, v, f"{place}[{i}]") for i, (t, v) in enumerate(_pair_items(hint, value, place))]
    return _encode_scalar(hint, value, place)


def _encode_scalar(hint: Any, value: Any, place: str) -> Any:
    # NumPy scalars are welcome: `operator.index` and `float` turn them into Python's own.
    if hint is float:
        number = float(value)
        if not math.isfinite(number):
            raise ValueError(f"{place} is {number}, which JSON cannot hold; what is not finite is None where it may be")
        return number
    if hint is int and not isinstance(value, bool):
        return operator.index(value)
    if hint is bool and type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    if hint is str and isinstance(value, str):
        return str(value)
    if get_origin(hint) is Literal and value in get_args(hint):
        return value
    raise ValueError(f"{place}: {value!r} is not {_name(hint)}")


def _decode(hint: Any, value: Any, place: str, version: int) -> Any:
    inner = optional(hint)
    if inner is not None:
        return None if value is None else _decode(inner, value, place, version)
    if is_dataclass(hint) and isinstance(hint, type):
        return _decode_record(hint, value, place, version)
    if get_origin(hint) is tuple:
        if not isinstance(value, list):
            raise ValueError(f"{place}: expected a list, found {reprlib.repr(value)}")
        pairs = _pair_items(hint, value, place)
        return tuple(_decode(t, v, f"{place}[{i}]", version) for i, (t, v) in enumerate(pairs))
    if hint is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        if abs(value) > sys.float_info.max:  # 1e999 reads as infinity, and an integer may have any length
            raise ValueError(f"{place}: {reprlib.repr(value)} is too large")
        return float(value)
    if hint in (int, bool, str) and type(value) is hint:
        return value
    if get_origin(hint) is Literal and value in get_args(hint):
        return value
    raise ValueError(f"{place}: {reprlib.repr(value)} is not {_name(hint)}")


def _decode_record(cls: type, data: Any, place: str, version: int) -> Any:
    where = place or cls.__name__.lower()
    if not isinstance(data, dict):
        raise ValueError(f"{where}: expected an object, found {reprlib.repr(data)}")
    data = brought_up(cls.__name__, data, version)
    hints = field_types(cls)
    unknown = set(data) - set(hints) - set(derived(cls))
    missing = {f.name for f in fields(cls) if f.default is f.default_factory is MISSING} - set(data)
    if unknown or missing:
        lacks = [f"has no {name}" for name in sorted(missing)]
        raise ValueError(f"{where} {', '.join(lacks + [f'has an unknown key {name}' for name in sorted(unknown)])}")
    given = [(name, hint) for name, hint in hints.items() if name in data]  # an older file lacks what came later
    return cls(**{name: _decode(hint, data[name], _join(place, name), version) for name, hint in given})


def _pair_items(hint: Any, values: Any, place: str) -> list[tuple[Any, Any]]:
    """Each element of a tuple with its own type: tuple[X, ...] or tuple[X, Y, Z]."""
    item_types = get_args(hint)
    if len(item_types) == 2 and item_types[1] is Ellipsis:
        return [(item_types[0], value) for value in values]
    if len(values) != len(item_types):
        raise ValueError(f"{place}: expected {len(item_types)} values, found {len(values)}")
    return list(zip(item_types, values, strict=True))


def _join(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _name(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return f"one of {', '.join(map(str, get_args(hint)))}"
    return str(getattr(hint, "__name__", hint))
