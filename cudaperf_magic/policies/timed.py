"""What the search does where candidates are timed: start from the fastest, try other numbers, know when to stop.

Pure: it reads outcomes and schedules and proposes schedules. Which moves exist and what they cost is not its business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from cudaperf_magic.compiler.moves.move import Context
from cudaperf_magic.compiler.schedule import Schedule, Step
from cudaperf_magic.records import Candidate, Episode, Outcome

CLOSE = 1.1  # times the floor; what is left is less than tries of other numbers win
HOPELESS = -1.0  # ranks below this are tried last: the model takes them to be half as fast, or slower
# Ranks that a move has at least: it changes the order of work, or where values live, which the model hardly sees.
UNSEEN = {"panel": 1.5, "wave_tiles": 1.5, "hold": 0.5, "carry": 0.5, "distribute": 0.0}

# Other numbers worth a try, by move: launch shapes and amounts, where no rule says which is best on a given card.
NUMBERS: dict[str, tuple[tuple[int, ...], ...]] = {
    "two_pass": ((512,), (1024,)),
    "atomic_pass": ((512,), (1024,)),
    "scan_blocks": ((256,), (1024,)),
    "team": ((32,), (64,), (128,), (256,), (512,)),
    "split_k": ((8,), (16,), (32,), (64,), (128,)),
    "unroll": ((2,), (4,), (8,), (16,)),
    "vector": ((2,), (4,), (8,), (16,)),
    "tile": ((8,), (16,), (32,)),
    "wave_tiles": ((16,), (32,), (64,)),
    "panel": ((16,), (32,), (64,)),
    "coarsen": ((2,), (4,), (8,), (8, 8), (8, 4), (4, 8), (4, 4), (1, 4), (1, 8), (4, 1), (2, 1), (1, 2)),
    "block": (
        (64,), (128,), (256,), (512,), (1024,),
        (32, 4), (32, 8), (32, 16), (64, 4), (128, 2), (256, 1), (16, 16), (64, 8), (128, 4),
    ),
}  # fmt: skip


def fastest(episode: Episode) -> tuple[Candidate, Outcome] | None:
    """The correct candidate of the least median time, of all that were tried; None where nothing was timed."""
    tried = [(t.candidate, t.outcome) for t in episode.turns]
    tried += [(c, outcome) for t in episode.turns for c, outcome in t.others if outcome is not None]
    timed = [(outcome.timing.median_us, c, outcome) for c, outcome in tried if outcome.timing is not None]
    found = min(timed, key=lambda each: each[0], default=None)
    return None if found is None else found[1:]


def closeness(outcome: Outcome) -> str:
    """Why nothing is left to win, in a sentence, for a time within a tenth of the floor; "" otherwise."""
    timing = outcome.timing
    if timing is None or timing.of_floor is None or timing.of_floor >= CLOSE:
        return ""
    return f"it takes {timing.of_floor:.2f} times what {timing.floor_by or 'the device'} needs: nothing is left to win"


def filled(context: Context, outcome: Outcome) -> Context:
    """The context with the sizes that were timed."""
    case = outcome.timing.case if outcome.timing is not None else None
    return replace(context, sizes=case.size if case is not None else context.sizes, fills=True)


def variants(schedule: Schedule) -> Iterator[tuple[Schedule, str]]:
    """The schedule with other numbers in one of its steps, the latest step's first."""
    for at in reversed(range(len(schedule.steps))):
        step = schedule.steps[at]
        own = [v for v in step.values if isinstance(v, int)]
        for numbers in NUMBERS.get(step.move, ()):
            if len(numbers) != len(own) or list(numbers) == own:
                continue
            other = _with_numbers(step, numbers)
            steps = (*schedule.steps[:at], other, *schedule.steps[at + 1 :])
            yield Schedule(steps), f"{other} in the place of {step}: other numbers, the same move"


def _with_numbers(step: Step, numbers: tuple[int, ...]) -> Step:
    left = iter(numbers)
    return replace(step, values=tuple(next(left) if isinstance(v, int) else v for v in step.values))


Ranked = TypeVar("Ranked")


def least_rank(steps: tuple[Step, ...], rank: float, schedule: Schedule) -> float:
    """The rank that the model gives these new steps, or that of a move that it does not see, when it is the first."""
    made = {step.move for step in schedule.steps}
    return max([rank, *(UNSEEN[step.move] for step in steps if step.move in UNSEEN and step.move not in made)])


def spread(ranked: Sequence[Ranked], of: Callable[[Ranked], tuple[float, tuple[Step, ...]]]) -> Iterator[Ranked]:
    """The same, best first, but of each move the best before the second best of any, and what is hopeless last.

    of: an idea's rank, and the steps that are new in it.
    """
    turns: dict[int, list[Ranked]] = {}
    seen: dict[tuple[str, str], int] = {}
    for each in ranked:
        rank, steps = of(each)
        key = (steps[0].move, steps[0].target) if steps else ("", "")
        seen[key] = seen.get(key, 0) + 1
        turns.setdefault(seen[key] if rank >= HOPELESS else len(ranked) + 1, []).append(each)
    for turn in sorted(turns):
        yield from turns[turn]
