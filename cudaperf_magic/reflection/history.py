"""What was tried before and what it changed, short enough for any number of turns.

It compares rewards and properties as they stand; it scores nothing anew.
"""

from __future__ import annotations

from collections.abc import Sequence

from cudaperf_magic.records import PROPERTIES, Candidate, Outcome, RewardBreakdown, Turn
from cudaperf_magic.reflection.words import listed, shorten

MOST_TOLD = 4  # of the turns that helped, that did not, that failed
NOTABLE_CHANGE = 0.05  # of a property's score between two turns
SAME_REWARD = 0.005
INTENTION_CHARACTERS, LABEL_CHARACTERS = 160, 48


def on_history(
    outcome: Outcome, reward: RewardBreakdown, turns: Sequence[Turn], candidate: Candidate | None
) -> list[str]:
    """What this turn changed, which turn to go on from, and what the turns before taught.

    Args:
        turns: those before this one, one at least.
    """
    parts = []
    if candidate:
        same = next((i for i, turn in enumerate(turns, 1) if turn.candidate.key == candidate.key), None)
        if same:
            return [f"This is the very program of turn {same}: propose another."]
        if candidate.intention:
            parts.append(f"This turn tried: {shorten(candidate.intention.rstrip('.'), INTENTION_CHARACTERS)}.")
    best = _best(turns)
    parts += [_change(outcome, reward, turns, best), _standing(outcome, reward, turns, best)]
    return [*parts, *_lessons(turns)]


def _best(turns: Sequence[Turn]) -> int | None:
    """The place of the correct turn of the highest reward, the first of equals."""
    correct = [(turn.reward.total, -i) for i, turn in enumerate(turns) if turn.outcome.ok]
    return -max(correct)[1] if correct else None


def _standing(outcome: Outcome, reward: RewardBreakdown, turns: Sequence[Turn], best: int | None) -> str:
    """Which turn to go on from, when it is not this one."""
    if best is None or (outcome.ok and turns[best].reward.total < reward.total):
        return ""
    return f"Turn {best + 1} ({turns[best].reward.total:.2f}) is still the best: go on from it."


def _change(outcome: Outcome, reward: RewardBreakdown, turns: Sequence[Turn], best: int | None) -> str:
    """Against the best turn so far, from which one goes on; where none is correct, against the last."""
    at = len(turns) - 1 if best is None else best
    last, gain = turns[at], reward.total - turns[at].reward.total
    if not outcome.ok and best is not None:
        return ""  # it failed: no number of it says anything about one that did not
    direction = "did not change the reward" if abs(gain) < SAME_REWARD else f"changed the reward by {gain:+.2f}"
    against = "the turn before it" if at == len(turns) - 1 else f"turn {at + 1}, the best before it"
    moved = [*_times(last.outcome, outcome), *_properties(last.outcome, outcome)]
    return f"Against {against}, it {direction}" + (f": {', '.join(moved)}." if moved else ".")


def _times(before: Outcome, after: Outcome) -> list[str]:
    if before.timing is None or after.timing is None or before.timing.case != after.timing.case:
        return []
    return [f"time {before.timing.median_us:.3g} to {after.timing.median_us:.3g} us"]


def _properties(before: Outcome, after: Outcome) -> list[str]:
    moved = []
    for name in PROPERTIES:
        old = before.structure.get(name) if before.structure else None
        new = after.structure.get(name) if after.structure else None
        if old and new and abs(new.score - old.score) >= NOTABLE_CHANGE:
            moved.append(f"{name} {old.score:.2f} to {new.score:.2f}")
    return moved


def _lessons(turns: Sequence[Turn]) -> list[str]:
    """Every turn before in one of three lists, each led by its number and a few words, its latest entries only."""
    helped: list[str] = []
    idle: list[str] = []
    failed: list[str] = []
    best: float | None = None
    for number, turn in enumerate(turns, 1):
        called, total = f"{number}: {label(turn.candidate)}", turn.reward.total
        if not turn.outcome.ok:
            failed.append(f"{called} ({failure(turn.outcome)}, {total:.2f})")
        elif best is None or total > best + SAME_REWARD:
            helped.append(f"{called} ({total:.2f})")
            best = total
        else:
            idle.append(f"{called} ({total:.2f})")
        failed += [f"{label(c)} ({failure(o)})" for c, o in turn.others if o is not None and not o.ok]
    groups = (("Right so far, each better than the last", helped), ("No better", idle), ("Failed", failed))
    return [f"{name}: {listed(group, MOST_TOLD)}." for name, group in groups if group]


def label(candidate: Candidate) -> str:
    """A few words for a program: the last move of its schedule, or what it was meant to do."""
    last_move = candidate.schedule.strip().splitlines()[-1:]
    return shorten((last_move or [candidate.intention])[0].rstrip("."), LABEL_CHARACTERS) or candidate.origin


def failure(outcome: Outcome) -> str:
    """Why a program failed, in two or three words: `no build`, `mismatch`, `shared race at line 7`."""
    if outcome.verdict is None:
        return "no build" if not outcome.build.ok else "not verified"
    fault = next(iter(outcome.verdict.faults), None)
    if fault is None or outcome.verdict.status == "mismatch":
        return outcome.verdict.status
    where = f" at line {fault.line}" if fault.line else ""
    return f"{fault.kind.replace('_', ' ')}{where}"
