"""What a file holds that this program wrote: --json files, and the reports inside saved notebooks; of any version.

    *.json     one episode, outcome, inspection, check or comparison
    *.ipynb    every report that a cell's output keeps as data beside its picture

It reads files and builds what shows itself. What cannot be read comes back as a sentence that says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from . import records_json, records_versions
from .compared import Compared
from .comparison import Entry
from .errors import UsageError, did_you_mean
from .goals import hold, read_goal
from .inspected import Inspected
from .notebook import inspection_report, report
from .records import Episode, Outcome, RewardBreakdown, Task, Timing, Turn
from .records_inspection import Inspection
from .translation import Checked

MIMES = (report.MIME, inspection_report.MIME)
NOTEBOOK = ".ipynb"
LARGEST_BYTES = 1 << 30  # past this it is no file of ours, and would not fit
Value = Episode | Outcome | Checked | Inspected | Compared
Record = TypeVar("Record")


@dataclass(frozen=True)
class Saved:
    """One thing that a file holds.

    Attributes:
        value: None where it cannot be read; `problem` says why then.
        place: which cell of a notebook it stands in; "" for a file of its own.
        text: what the notebook shows of it in plain text.
    """

    value: Value | None
    problem: str = ""
    place: str = ""
    text: str = ""


def saved(path: Path) -> tuple[Saved, ...]:
    """What a file holds, in its order; at least one thing.

    Raises:
        UsageError: the file cannot be opened, or holds nothing of ours; one sentence.
    """
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise UsageError(f"{path} is too large to be a file of cudaperf")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text") from None
    except (OSError, ValueError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else None
        raise UsageError(f"{path} cannot be read: {(why or str(problem)).lower()}") from None
    try:
        data = records_versions.parsed(text)
        found = tuple(_reports(data)) if path.suffix == NOTEBOOK else (Saved(_value(data)),)
    except (ValueError, UsageError) as problem:
        raise UsageError(f"{path} cannot be read: {problem}") from None
    if not found:
        raise UsageError(f"{path} holds no report of cudaperf: no cell was run, or its outputs were cleared")
    return found


def _reports(notebook: Any) -> Iterator[Saved]:
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        old = isinstance(notebook, dict) and "worksheets" in notebook
        more = " of before 2015; open and save it in Jupyter" if old else ""
        raise ValueError(f"it is no notebook{more or ': it has no cells'}")
    for number, cell in enumerate(notebook["cells"], 1):
        outputs = cell.get("outputs") if isinstance(cell, dict) else None
        for output in outputs if isinstance(outputs, list) else ():
            bundle = output.get("data") if isinstance(output, dict) else None
            for mime in MIMES:
                if isinstance(bundle, dict) and mime in bundle:
                    yield _report(bundle[mime], f"cell {number}", _joined(bundle.get("text/plain")))


def _report(data: Any, place: str, text: str) -> Saved:
    try:
        is_text = isinstance(data, (str, list))  # some front ends save JSON as text
        return Saved(_value(records_versions.parsed(_joined(data)) if is_text else data), "", place)
    except (ValueError, UsageError) as problem:
        return Saved(None, f"{place} holds a report that cannot be read: {problem}", place, text)


def _joined(text: Any) -> str:
    """A notebook keeps text as a string or as its lines."""
    return "".join(line for line in text if isinstance(line, str)) if isinstance(text, (str, list)) else ""


def _value(data: Any) -> Value:
    """What a --json file or a report's data says.

    Raises:
        ValueError: it is nothing of ours, or of a version that this program does not read.
    """
    if not isinstance(data, dict):
        raise ValueError("expected a JSON object, as --json writes it")
    told = data.get("record", data.get("kind"))
    if told is None:
        raise ValueError("it is no file of cudaperf: it does not say what it holds")
    readers = _RECORDS if "record" in data else _REPORTS
    read = readers.get(told) if isinstance(told, str) else None
    if read is None:
        kinds = ", ".join(readers)
        near = did_you_mean(told, readers) if isinstance(told, str) else ""
        raise ValueError(f"it holds {told!r:.40}{near or f'; this program reads {kinds}'}")
    version = records_versions.checked(data.get("version"))
    return read({key: value for key, value in data.items() if key not in ("record", "version")}, version)


def _part(cls: type[Record], data: Mapping[str, Any], name: str, version: int) -> Record:
    if name not in data:
        raise ValueError(f"it has no {name}")
    return records_json.from_json(cls, data[name], version)


def _inspected(data: dict[str, Any], version: int) -> Inspected:
    return Inspected(records_json.from_json(Inspection, data, version))


def _checked(data: dict[str, Any], version: int) -> Checked:
    task, turn = _part(Task, data, "task", version), _part(Turn, data, "turn", version)
    goals = [read_goal(str(_field(goal, "goal"))) for goal in data.get("goals") or ()]
    return Checked(task, turn, hold(goals, turn.outcome.structure))


def _compared(data: dict[str, Any], version: int) -> Compared:
    given = data.get("entries")
    if not isinstance(given, list) or not given:
        raise ValueError("it has no entries")
    entries = tuple(_entry(entry, version) for entry in given)
    rewards = tuple(_optional(RewardBreakdown, entry, "reward", version) for entry in given)
    return Compared(entries, rewards, tuple(str(note) for note in data.get("notes") or ()))


def _entry(data: Any, version: int) -> Entry:
    label, kept = str(_field(data, "label")), str(data.get("kept", ""))
    turn, anew = _optional(Turn, data, "turn", version), _optional(Timing, data, "anew", version)
    return Entry(label, _part(Task, data, "task", version), turn, kept, anew, data.get("is_reference") is True)


def _optional(cls: type[Record], data: Mapping[str, Any], name: str, version: int) -> Record | None:
    return _part(cls, data, name, version) if data.get(name) is not None else None


def _field(data: Any, name: str) -> Any:
    if not isinstance(data, dict) or name not in data:
        raise ValueError(f"it has no {name}")
    return data[name]


# What dumps() wrote, and what stands in reports.
_RECORDS: Mapping[str, Callable[[dict[str, Any], int], Value]] = {
    "episode": lambda data, version: records_json.from_json(Episode, data, version),
    "outcome": lambda data, version: records_json.from_json(Outcome, data, version),
    "inspection": _inspected,
}
_REPORTS: Mapping[str, Callable[[dict[str, Any], int], Value]] = {
    "episode": lambda data, version: _part(Episode, data, "episode", version),
    "check": _checked,
    "inspection": lambda data, version: Inspected(_part(Inspection, data, "inspection", version)),
    "comparison": _compared,
}
