"""An episode in words and rows: the sentences and numbers that the HTML report and the terminal both show.

Pure: records in, text out. It draws nothing; report.py and terminal.py do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ..goals import Result
from ..records import PROPERTIES, Case, Episode, Fault, Outcome, Property, Structure, Task, Turn
from . import module_words, timing_words

Tone = Literal["good", "bad", "neutral"]
DiffKind = Literal["add", "remove", "same", "place"]

DIFF_LINES = 2000  # difflib is quadratic in the worst case; a longer program is shown whole instead
SHOWN_SIZES = 8
INTENTION_CHARACTERS = 160

PROPERTY_TITLES = {
    "coalescing": "coalescing",
    "occupancy": "occupancy",
    "intensity": "arithmetic intensity",
    "synchronisation": "synchronisation",
    "divergence": "divergence",
    "shared": "shared memory",
    "balance": "load balance",
}


@dataclass(frozen=True)
class Badge:
    """A verdict in at most three words, with a sign beside the colour: colour is never the only carrier."""

    tone: Tone
    sign: str
    text: str


def number(value: float | None, digits: int = 3) -> str:
    """Three significant digits, thousands grouped: 0.0213, 12.5, 65,536."""
    if value is None:
        return "not measured"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def duration(seconds: float) -> str:
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 120 else f"{int(seconds // 60)} min {int(seconds % 60)} s"


def plural(count: int, noun: str) -> str:
    ending = "" if count == 1 else "es" if noun.endswith(("ch", "s", "x")) else "s"
    return f"{count:,} {noun}{ending}"


def is_simulated(outcome: Outcome) -> bool:
    return outcome.device == "simulator"


_STATUS = {"mismatch": "wrong result", "crash": "crashed", "timeout": "timed out", "cheat": "cheats", "fault": "faulty"}
_FAULTS = {
    "out_of_bounds": "out of bounds",
    "uninitialised": "reads garbage",
    "misaligned": "misaligned",
    "shared_race": "race",
    "global_race": "race",
    "divergence": "barrier missed",
    "deadlock": "deadlock",
    "trap": "trap",
    "guard": "out of bounds",
    "unwritten": "output unwritten",
    "input_changed": "input changed",
    "limit": "limit reached",
    "launch": "bad launch",
}


def badge(outcome: Outcome) -> Badge:
    """What happened to a candidate, shortest."""
    if not outcome.build.ok:
        return Badge("bad", "✗", "does not build")
    if outcome.verdict is None:
        return Badge("neutral", "·", "not verified")
    if outcome.verdict.ok:
        return Badge("good", "✓", "verified")
    faults = outcome.verdict.faults
    if outcome.verdict.status == "fault" and faults:
        return Badge("bad", "✗", _FAULTS.get(faults[0].kind, "faulty"))
    return Badge("bad", "✗", _STATUS.get(outcome.verdict.status, outcome.verdict.status))


def verdict_sentence(outcome: Outcome) -> str:
    """The verdict with its reason and how many cases it stands on."""
    if not outcome.build.ok:
        return f"It does not build: {first_line(outcome.build.log) or 'the compiler gave no reason'}"
    if outcome.verdict is None:
        return "It builds; it was not verified."
    verdict = outcome.verdict
    if verdict.ok:
        return f"It agrees with the C on {verdict.cases_passed} of {plural(verdict.cases_total, 'case')}."
    return verdict.reason or f"The check ended with: {_STATUS.get(verdict.status, verdict.status)}."


def fault_sentence(fault: Fault) -> str:
    """A fault with its line, kernel, block and thread, as far as they are known and not in its message already."""
    place = f"line {fault.line}: " if fault.line and f"line {fault.line}" not in fault.message else ""
    doer = [f"kernel {fault.kernel}"] if fault.kernel and fault.kernel not in fault.message else []
    if fault.block is not None and "block" not in fault.message:
        doer.append(f"block {fault.block}")
    if fault.thread is not None and "thread" not in fault.message:
        doer.append(f"thread {fault.thread}")
    who = f" ({', '.join(doer)})" if doer else ""
    return f"{place}{fault.message}{who}"


def first_line(text: str) -> str:
    """The first line that names an error, else the first that says anything."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line.lower()), lines[0] if lines else "")


def headline(episode: Episode) -> str:
    """One sentence: the answer."""
    name = episode.task.entry
    if episode.kept:
        return f"{name} stays as it is (KEEP): {_sentence(episode.kept)}"
    best = episode.best
    turns = plural(len(episode.turns), "turn")
    if best is not None:
        claim = timing_words.claim(best.outcome.timing) if best.outcome.timing else ""
        return f"{name}: verified CUDA{claim}; the best of {turns} is turn {episode.turns.index(best) + 1}."
    if not episode.turns:
        return f"{name}: no turn was played" + (f" ({episode.stopped})." if episode.stopped else " yet.")
    last = _sentence(verdict_sentence(episode.turns[-1].outcome))
    return f"{name}: no verified kernel in {turns}. The last one: {last}"


def check_badge(outcome: Outcome, goals: Sequence[Result] = ()) -> Badge:
    missed = sum(not result.ok for result in goals)
    return Badge("bad", "✗", f"misses {plural(missed, 'goal')}") if outcome.ok and missed else badge(outcome)


def check_headline(task: Task, outcome: Outcome, goals: Sequence[Result] = ()) -> str:
    """One sentence: does the kernel do what the C does, and reach its goals?"""
    missed = [result for result in goals if not result.ok]
    if outcome.ok and missed:
        return f"This kernel computes {task.entry} as the C does, but {_sentence(missed[0].sentence)}"
    if task.language == "pytorch":
        if outcome.verdict is not None and outcome.ok:
            return module_words.headline(task, outcome.verdict)
        return f"ModelNew does not do what {task.entry} does yet. {verdict_sentence(outcome)}"
    if outcome.ok:
        return f"This kernel computes {task.entry} as the C does. {verdict_sentence(outcome)}"
    return f"This kernel is not {task.entry} yet. {verdict_sentence(outcome)}"


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else text + "."


def conditions(task: Task, outcome: Outcome) -> tuple[str, ...]:
    """Everything that the claim "verified" stands on, each as one sentence; an unmeasured time is never claimed."""
    found: list[str] = []
    verdict = outcome.verdict
    if verdict is not None and verdict.ok and task.language == "pytorch":
        found += module_words.conditions(task, verdict)
    elif verdict is not None and verdict.ok:
        secret = verdict.cases_total - len(task.cases)
        also = f", {secret:,} of them on seeds that no policy saw" if secret > 0 else ""
        cases = plural(verdict.cases_total, "case")
        found.append(f"Checked on {cases}{also}: {sizes(task.cases)}; {families(task.cases)}.")
        found.append(_comparison(task))
        if is_simulated(outcome):
            found.append(
                "Each case ran in several thread orders, every access watched: bounds, uninitialised reads, races."
            )
        elif not any(label.kind == "not_watched" for label in outcome.labels):
            found.append(
                "Bounds, uninitialised reads and races were watched on the simulator, on small cases only; on the "
                "device bands around every buffer show stray writes."
            )
        if verdict.is_deterministic is not None:
            found.append(
                "All runs of a case gave the same bits."
                if verdict.is_deterministic
                else "Runs of one case differ in the last bits: the order of its additions is not fixed."
            )
        if verdict.generality is not None:
            passed, tried = verdict.generality
            found.append(f"On neighbouring sizes, which it need not support, {passed} of {tried} pass.")
        if verdict.sanitizer:
            found.append(f"compute-sanitizer: {verdict.sanitizer}.")
    found.append(where(outcome))
    if outcome.timing is not None:
        found += timing_words.timing_sentences(outcome.timing)
    found += [f"{label.message}." for label in outcome.labels]
    return (*found, *task.notes)


def _comparison(task: Task) -> str:
    dtypes = {a.dtype for a in task.arguments if a.role != "in"}
    floats = any("float" in dtype for dtype in dtypes)
    exact = any("float" not in dtype or "," in dtype for dtype in dtypes)
    parts = []
    if floats:
        parts.append(
            f"floating-point outputs may err {number(task.tolerance.multiple)} times as much as the C itself does "
            "beside the same C in wider types"
        )
    if exact:
        parts.append("integers agree bit for bit")
    text = "; ".join(parts) or "the function has no outputs"
    return f"{text[0].upper()}{text[1:]}."


def where(outcome: Outcome) -> str:
    """Where it ran and what that says about time."""
    if outcome.verdict is None:
        return "Nothing ran, so nothing is claimed."
    arch = f" of {outcome.build.arch}" if outcome.build.arch else ""
    if is_simulated(outcome):
        return f"Ran on the simulator{arch}, on this machine's CPU: structure is counted, no time is claimed."
    if outcome.device == "cpu":
        return module_words.where(outcome.device)
    if outcome.timing is None:
        return f"Ran on {outcome.device}{arch}; its time was not measured, so none is claimed."
    return f"Ran on {outcome.device}{arch}."


def sizes(cases: Iterable[Case]) -> str:
    """`n = 1, 31, 33, 65,536; m = 7, 32`."""
    values: dict[str, set[int]] = {}
    for case in cases:
        for name, value in case.sizes:
            values.setdefault(name, set()).add(value)
    texts = []
    for name, found in values.items():
        ordered = sorted(found)
        shown = [f"{value:,}" for value in ordered]
        if len(shown) > SHOWN_SIZES:
            shown = [*shown[: SHOWN_SIZES - 1], "…", shown[-1]]
        texts.append(f"{name} = {', '.join(shown)}")
    return "; ".join(texts) or "no sizes"


def families(cases: Iterable[Case]) -> str:
    names = list(dict.fromkeys(case.family for case in cases))
    return f"{', '.join(names)} inputs" if names else "no inputs"


def properties(structure: Structure | None) -> tuple[Property, ...]:
    """The properties that apply, in the order that never changes."""
    if structure is None:
        return ()
    found = (structure.get(name) for name in PROPERTIES)
    return tuple(p for p in found if p is not None)


def line_notes(structure: Structure) -> dict[int, list[str]]:
    """By line, the properties that lose most there: `coalescing 0.25: line 9 asks for ... -> remedy`."""
    notes: dict[int, list[str]] = {}
    for item in properties(structure):
        if item.line is not None and item.score < 1.0:
            remedy = f" → {item.remedy}" if item.remedy else ""
            notes.setdefault(item.line, []).append(
                f"{PROPERTY_TITLES[item.name]} {number(item.score, 2)}: {item.reason}{remedy}"
            )
    return notes


def in_bytes(count: int) -> str:
    """`524,288 bytes`, `12.6 MB`."""
    if count < 1_000_000:
        return plural(count, "byte")
    for limit, unit in ((1e9, "MB"), (1e12, "GB")):
        if count < limit:
            return f"{count / limit * 1000:.3g} {unit}"
    return f"{count / 1e12:.3g} TB"


def absent_properties(structure: Structure | None) -> str:
    if structure is None:
        return ""
    names = [PROPERTY_TITLES[name] for name in PROPERTIES if structure.get(name) is None]
    return f"Does not apply here: {', '.join(names)}." if names else ""


def measured(item: Property) -> str:
    """`4 of 32 sectors`-like raw value with its unit."""
    shown = number(item.raw)
    counted, *rest = item.unit.split(" ", 1)
    noun = counted.removesuffix("s") if shown == "1" else counted
    return " ".join([shown, noun, *rest]).strip()


def structure_score(outcome: Outcome) -> float | None:
    return outcome.structure.score if outcome.structure is not None else None


def intention(turn: Turn) -> str:
    """What this turn set out to do."""
    said = first_words(turn.candidate.intention) or first_words(turn.candidate.schedule)
    return said or f"by {turn.candidate.origin}"


def first_words(text: str) -> str:
    """The first line that says anything, cut where a line of a table would end."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= INTENTION_CHARACTERS else line[: INTENTION_CHARACTERS - 1] + "…"


def changes(episode: Episode) -> str:
    """What the best turn does that the first did not: its moves where it has a schedule, else its intention."""
    best = episode.best
    if best is None:
        return ""
    if best is episode.turns[0]:
        return "the first turn is the best"
    return ", ".join(best.candidate.schedule.split("\n")) if best.candidate.schedule else intention(best)


def diff(before: str, after: str, context: int = 2) -> list[tuple[DiffKind, str]]:
    """Difference by lines as (kind, line); `place` names the line of `after` where a piece begins. Empty when equal."""
    old, new = before.splitlines(), after.splitlines()
    if len(old) > DIFF_LINES or len(new) > DIFF_LINES:
        return [("place", f"too long to compare here: {len(old):,} and {len(new):,} lines")]
    rows: list[tuple[DiffKind, str]] = []
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(context):
        rows.append(("place", f"line {group[0][3] + 1}"))
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                rows += [("same", line) for line in new[new_from:new_to]]
                continue
            rows += [("remove", line) for line in old[old_from:old_to]]
            rows += [("add", line) for line in new[new_from:new_to]]
    return rows


def time_left(episode: Episode, turns: int, spent_s: float, waiting_s: float = 0.0) -> str:
    """At most how long it goes on, from the mean of the turns played; nothing is guessed before the first.

    Args:
        spent_s: seconds until the last turn ended. waiting_s: seconds since.
    """
    played = len(episode.turns)
    if not played or played >= turns or not episode.is_live:
        return ""
    left_s = spent_s / played * (turns - played) - waiting_s
    return f"about {duration(left_s)} left" if left_s > 0 else "longer than the turns before"
