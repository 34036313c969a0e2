"""Which contents a candidate meets, in which slot and order: drawn from the operating system's entropy for each run.

Pure but for the draw. Every call is verified and timed alike: there is no warm-up that a candidate could tell apart.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from .inputs import NOMINAL, Content

SLOTS = 3
NOMINAL_CALLS = 10  # half of them near-twins of one before
MOST_SEED = 1 << 62


@dataclass(frozen=True)
class Step:
    slot: int
    content: Content
    poison: bytes  # 16 bytes that the outputs are filled with
    is_again: bool = False  # the content was there before: verified, but not among the samples


def draw(families: Sequence[str], nominal_calls: int = NOMINAL_CALLS) -> tuple[Step, ...]:
    """Nominal contents and near-twins of them, each other family once, in random order and random slots.

    A slot follows itself now and then: new contents at the same addresses; the last content comes back in another slot:
    the same contents at new addresses.
    """
    chance = random.Random(secrets.randbits(128))
    kinds = [NOMINAL] * nominal_calls + [family for family in families if family != NOMINAL]
    chance.shuffle(kinds)
    steps: list[Step] = []
    before: list[Content] = []
    for number, family in enumerate(kinds):
        seed = chance.randrange(MOST_SEED)
        twin_of = None
        if family == NOMINAL and before and len(before) % 2 == 1:
            twin_of = before[-1].seed
        content = Content(number, family, seed, twin_of)
        if family == NOMINAL:
            before.append(content)
        steps.append(Step(_slot(steps, twin_of, chance), content, secrets.token_bytes(16)))
    if before:
        again = chance.choice([content for content in before if content.twin_of is None])
        used = next(step.slot for step in steps if step.content == again)
        place = chance.choice([slot for slot in range(SLOTS) if slot != used])
        at = chance.randrange(steps.index(next(s for s in steps if s.content == again)) + 1, len(steps) + 1)
        steps.insert(at, Step(place, again, secrets.token_bytes(16), is_again=True))
    return tuple(steps)


def _slot(steps: list[Step], twin_of: int | None, chance: random.Random) -> int:
    """A near-twin lies where the content lay that it is like: a cache by address or version answers wrongly."""
    if twin_of is not None:
        return next(step.slot for step in steps if step.content.seed == twin_of)
    return chance.randrange(SLOTS)
