"""An outcome in words: what failed or what now limits it, on which line, why, and what to try. The next turn reads it.

Pure and deterministic. It tells only what a person could see: it never names a hidden case's inputs or seed, nor how
much error is tolerated. It decides nothing: the numbers come from the bench, the weights from the reward.
"""

from __future__ import annotations

from collections.abc import Sequence

from cudaperf_magic.errors import UsageError
from cudaperf_magic.records import (
    PROPERTIES,
    Candidate,
    Case,
    Episode,
    Fault,
    Outcome,
    Property,
    RewardBreakdown,
    Structure,
    Timing,
    Turn,
    Verdict,
)

MOST_CHARACTERS = 1200
MOST_HINT_CHARACTERS = 400
MOST_LOG_LINES = 6
MOST_FAULTS = 2
NOTABLE_LOSS = 0.02  # reward lost to a property, below which it does not limit anything
MOST_TURNS_TOLD = 4
HINT = "The person says: "
NOTABLE_CHANGE = 0.05  # of a property's score between two turns


def reflect(
    outcome: Outcome, reward: RewardBreakdown, episode: Episode | None = None, candidate: Candidate | None = None
) -> str:
    """What this outcome teaches, in at most 1200 characters.

    Args:
        episode: the turns before this one, for what was tried and what it changed.
        candidate: the program, to quote its lines and its intention.
    """
    source = candidate.source.splitlines() if candidate else []
    if not outcome.build.ok:
        parts = _on_build(outcome.build.log, source)
    elif outcome.verdict is None or not outcome.verdict.ok:
        parts = _on_verdict(outcome.verdict, source)
    else:
        parts = _on_measure(outcome, reward, source)
    if episode and episode.turns:
        parts += _on_history(outcome, reward, episode.turns, candidate)
    told = _fit(parts)
    return with_hint(told, episode.hint) if episode and episode.hint else told


def read_hint(text: str) -> str:
    """A person's hint as one line.

    Raises:
        UsageError: it is longer than a reflection has room for.
    """
    words = " ".join(text.split())
    if len(words) > MOST_HINT_CHARACTERS:
        raise UsageError(f"a hint has at most {MOST_HINT_CHARACTERS} characters, not {len(words)}: say it shorter")
    return words


def with_hint(reflection: str, words: str) -> str:
    """A reflection that begins with a person's hint, in the place of an earlier one; as long as any other at most."""
    rest = reflection.splitlines()
    if rest and rest[0].startswith(HINT):
        del rest[0]
    return _fit([f"{HINT}{words}", *rest])


def _on_build(log: str, source: Sequence[str]) -> list[str]:
    lines = [line for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if "error:" in line or "error #" in line]
    first = lines.index(errors[0]) if errors else 0
    excerpt = "\n".join(_shorten(line, 160) for line in lines[first : first + MOST_LOG_LINES])
    more = f" ({len(errors)} errors; the first matters most)" if len(errors) > 1 else ""
    quote = _quote(_line_in(errors), source)
    is_quoted = quote.partition("| ")[2] in excerpt  # most compilers quote the line themselves
    return [f"It does not build{more}:\n{excerpt or 'the compiler gave no message'}", "" if is_quoted else quote]


def _line_in(errors: Sequence[str]) -> int | None:
    """The line number in NVRTC's `kernel.cu(12): error: ...`."""
    if not errors or "(" not in errors[0]:
        return None
    number = errors[0].split("(", 1)[1].split(")", 1)[0]
    return int(number) if number.isdecimal() else None


def _on_verdict(verdict: Verdict | None, source: Sequence[str]) -> list[str]:
    if verdict is None:
        return ["It builds and was not verified."]
    case = verdict.failing_case
    share = f"{verdict.cases_passed} of {verdict.cases_total} cases passed."
    said = _without_secrets(verdict.reason, case)
    parts = [f"It builds, and fails ({verdict.status}): {said}", share]
    quoted: set[int | None] = set()
    for fault in _distinct(verdict.faults)[:MOST_FAULTS]:
        message = _without_secrets(fault.message, case)
        if message not in said:
            parts.append(f"{fault.kind.replace('_', ' ')} ({_where(fault)}): {message}")
        if fault.remedy:
            parts.append(f"Try: {_without_secrets(fault.remedy, case)}")
        lines = [line for line in (fault.line, fault.other_line) if line not in quoted]
        parts += [_quote(line, source) for line in dict.fromkeys(lines)]
        quoted.update(lines)
    return parts


def _distinct(faults: Sequence[Fault]) -> list[Fault]:
    """One fault for each kind and place: the others are the same mistake met by other threads."""
    return list({(f.kind, f.line, f.other_line): f for f in reversed(faults)}.values())[::-1]


def _where(fault: Fault) -> str:
    where = f"line {fault.line}" if fault.line else "no line known"
    if fault.other_line and fault.other_line != fault.line:
        where += f" and line {fault.other_line}"
    if "thread" in fault.message:
        return where
    where += f", block {_triple(fault.block)}" if fault.block else ""
    return where + (f", thread {_triple(fault.thread)}" if fault.thread else "")


def _without_secrets(text: str, case: Case | None) -> str:
    """A hidden case is told by its sizes alone: which inputs it holds stays unknown to the policy."""
    if case is None or not case.hidden:
        return text
    sizes = ", ".join(f"{name}={value}" for name, value in case.sizes)
    shown = f"{sizes}, other inputs" if sizes else "other inputs"
    return text.replace(str(case), shown).replace(f"{case.family} inputs", "other inputs")


def _on_measure(outcome: Outcome, reward: RewardBreakdown, source: Sequence[str]) -> list[str]:
    total = outcome.verdict.cases_total if outcome.verdict else 0
    parts = [f"It is correct on all {total} cases{_speed(outcome.timing)}; reward {reward.total:.2f}."]
    if outcome.structure is None:
        return parts
    limits = _limits(outcome.structure, reward)
    if not limits:
        return [*parts, "No measured property limits it."]
    first = limits[0]
    parts.append(f"What limits it most is {_named(first)}: {first.reason}")
    parts.append(_quote(first.line, source))
    if first.remedy:
        parts.append(f"Try: {first.remedy}")
    if limits[1:]:
        parts.append("Then " + "; then ".join(f"{_named(p)}: {p.reason}" for p in limits[1:3]))
    return parts


def _speed(timing: Timing | None) -> str:
    if timing is None or timing.speedup is None:
        return ""
    floor = f" and takes {timing.of_floor:.3g} times the floor ({timing.floor_by})" if timing.of_floor else ""
    return f", {timing.speedup:.3g} times as fast as {timing.baseline or 'the baseline'}{floor}"


def _limits(structure: Structure, reward: RewardBreakdown) -> list[Property]:
    """The properties that cost reward, the costliest first."""
    lost = {term.name: term.weight * (1.0 - term.score) for term in reward.terms if term.name in PROPERTIES}
    limiting = [p for p in structure.properties if lost.get(p.name, 0.0) > NOTABLE_LOSS]
    return sorted(limiting, key=lambda p: -lost[p.name])


def _named(prop: Property) -> str:
    return f"{prop.name} ({prop.score:.2f})"


def _on_history(
    outcome: Outcome, reward: RewardBreakdown, turns: Sequence[Turn], candidate: Candidate | None
) -> list[str]:
    parts = []
    if candidate:
        same = next((i for i, turn in enumerate(turns, 1) if turn.candidate.key == candidate.key), None)
        if same:
            return [f"This is the very program of turn {same}: propose another."]
        if candidate.intention:
            parts.append(f"This turn tried: {_shorten(candidate.intention.rstrip('.'), 160)}.")
    parts += [_change(outcome, reward, turns[-1]), _standing(reward, turns)]
    tried = [f"{i}: {_label(turn.candidate)} ({turn.reward.total:.2f})" for i, turn in enumerate(turns, 1)]
    return [*parts, "Turns before, with their reward: " + "; ".join(tried[-MOST_TURNS_TOLD:]) + "."]


def _label(candidate: Candidate) -> str:
    """A few words for a program: the last move of its schedule, or what it was meant to do."""
    last_move = candidate.schedule.strip().splitlines()[-1:]
    return _shorten((last_move or [candidate.intention])[0].rstrip("."), 60) or candidate.origin


def _standing(reward: RewardBreakdown, turns: Sequence[Turn]) -> str:
    """Which turn to go on from, when it is not this one."""
    correct = [(turn.reward.total, -i) for i, turn in enumerate(turns, 1) if turn.outcome.ok]
    if not correct or max(correct)[0] < reward.total:
        return ""
    total, minus_number = max(correct)
    return f"Turn {-minus_number} ({total:.2f}) is still the best: go on from it."


def _change(outcome: Outcome, reward: RewardBreakdown, last: Turn) -> str:
    gain = reward.total - last.reward.total
    direction = "did not change the reward" if abs(gain) < 0.005 else f"changed the reward by {gain:+.2f}"
    moved = []
    for name in PROPERTIES:
        before = last.outcome.structure.get(name) if last.outcome.structure else None
        after = outcome.structure.get(name) if outcome.structure else None
        if before and after and abs(after.score - before.score) >= NOTABLE_CHANGE:
            moved.append(f"{name} {before.score:.2f} to {after.score:.2f}")
    return f"Against the turn before it {direction}" + (f": {', '.join(moved)}." if moved else ".")


def _quote(line: int | None, source: Sequence[str]) -> str:
    if line is None or not 1 <= line <= len(source):
        return ""
    return f"    {line} | {_shorten(source[line - 1].strip(), 120)}"


def _triple(index: tuple[int, int, int]) -> str:
    return f"({', '.join(map(str, index))})"


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def _fit(parts: Sequence[str]) -> str:
    """As many whole parts as fit, the first ones first; a first part that is too long is cut."""
    text = ""
    for part in filter(None, parts):
        longer = f"{text}\n{part}" if text else _shorten(part, MOST_CHARACTERS)
        if len(longer) > MOST_CHARACTERS:
            break
        text = longer
    return text
