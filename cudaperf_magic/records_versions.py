"""Which versions of the records' JSON there have been, and what brings an object of an older one to the present.

    1   until November 2026
    2   a reward's terms say what their scores can be and when they count; episodes keep hints, structures a roofline

A field that is new and has a default needs no step here: an older file lacks it. A step is for what was renamed, or
removed, or whose default would be wrong for an old object. It reads JSON values; records_json.py builds the records.
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

VERSION = 2
OLDEST = 1
JsonObject = dict[str, Any]
Step = Callable[[JsonObject], JsonObject]


def _with_range(term: JsonObject) -> JsonObject:
    """Scores had no range beside them; one outside the present default must not contradict it."""
    score = term.get("score")
    is_usual = isinstance(score, (int, float)) and 0.0 <= score <= 1.0
    return term if is_usual or "range" in term else {**term, "range": [None, None]}


# Version -> class -> what makes an object of that version one of the next.
STEPS: Mapping[int, Mapping[str, Step]] = {1: {"RewardTerm": _with_range}}


def brought_up(name: str, data: JsonObject, version: int) -> JsonObject:
    """An object of the class `name`, as a file of `version` holds it, as the present version would."""
    for earlier in range(version, VERSION):
        step = STEPS.get(earlier, {}).get(name)
        data = step(data) if step else data
    return data


def checked(version: object) -> int:
    """The version that a file says it has.

    Raises:
        ValueError: it says none, or one that this program does not read.
    """
    if version is None:
        raise ValueError("it does not say which version it has")
    if type(version) is not int or version < OLDEST:
        raise ValueError(f"there is no version {reprlib.repr(version)}")
    if version > VERSION:
        reads = f"{OLDEST} to {VERSION}"
        raise ValueError(f"this file has version {version}, this program reads {reads}: upgrade cudaperf-magic")
    return version


def parsed(text: str) -> Any:
    """JSON values of a text.

    Raises:
        ValueError: it is empty, cut short, no JSON, or has numbers that JSON does not have.
    """
    if not text.strip():
        raise ValueError("it is empty")
    try:
        return json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as problem:
        is_cut = not text[problem.pos :].strip() or problem.msg.startswith("Unterminated")
        what = "it ends in the middle" if is_cut else "it is not JSON"
        raise ValueError(f"{what} (line {problem.lineno}, column {problem.colno})") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"it holds {constant}, which is no JSON number")
