"""How many of the shapes beside the task's own a right candidate is right on as well. A figure, never a refusal.

Each shape is one call on nominal inputs. Where it fails, the rest goes to a new child, for the old one may be gone.
"""

from __future__ import annotations

import secrets
from dataclasses import replace

from .attempt import Plan, attempt
from .court import Court
from .inputs import NOMINAL, Content
from .schedule import MOST_SEED, Step


def generality(court: Court, source: str, plan: Plan) -> tuple[int, int] | None:
    """(shapes that pass, shapes tried); None where the task's inputs have no other shape that its module takes.

    Raises:
        TaskError, ToolchainError: as `attempt`.
    """
    shapes = tuple(court.neighbours(secrets.randbelow(MOST_SEED)))
    if not shapes:
        return None
    passed, place = 0, 0
    while place < len(shapes):
        rest = range(place, len(shapes))
        steps = tuple(_step(slot, neighbour) for slot, neighbour in enumerate(rest))
        found = attempt(court, source, replace(plan, steps=steps, shapes=shapes[place:], baseline="", observes=False))
        passed += found.passed
        place += found.passed + 1 if found.trouble is not None else len(steps)
    return passed, len(shapes)


def _step(slot: int, neighbour: int) -> Step:
    content = Content(slot, NOMINAL, secrets.randbelow(MOST_SEED), neighbour=neighbour)
    return Step(slot, content, secrets.token_bytes(16))
