"""An exact happens-before checker for scripts of accesses and meetings, and random scripts for it.

It knows nothing of how the simulator finds races: every thread has a vector clock, every access is kept, and every two
are compared.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

NOTHING, READ, WRITE, ATOMIC, BARRIER, SYNCWARP, VOTE, NAMED, ARRIVE = range(9)
ACCESSES = (READ, WRITE, ATOMIC)
CELLS, LANES, NAMES = 3, 32, 15


@dataclass
class Script:
    """`ops[step][thread]` is (what, where, mask or count)."""

    threads: int
    ops: list[list[tuple[int, int, int]]] = field(default_factory=list)

    def arrays(self) -> dict[str, NDArray[np.int32]]:
        ops = np.array([[what | where << 8 for what, where, _ in row] for row in self.ops], np.int32)
        masks = np.array([[mask for _, _, mask in row] for row in self.ops], np.uint32).view(np.int32)
        return {"ops": ops, "masks": masks, "sink": np.zeros(self.threads, np.int32), "far": np.zeros(8, np.int32)}


def has_race(script: Script) -> bool:
    """Whether two accesses of one cell by two threads, one of them a write and not both atomic, are unordered."""
    threads = script.threads
    clocks = np.zeros((threads, threads), np.int64)
    np.fill_diagonal(clocks, 1)
    seen: list[tuple[int, int, int, int]] = []  # thread, its time, what, where
    for row in script.ops:
        for thread, (what, where, _) in enumerate(row):
            if what not in ACCESSES:
                continue
            for other, time, before, place in seen:
                conflict = place == where and other != thread and not (before == what and what in (READ, ATOMIC))
                if conflict and clocks[thread, other] < time:
                    return True
            seen.append((thread, int(clocks[thread, thread]), what, where))
        for senders, receivers in _meetings(row):
            known = clocks[sorted(senders | receivers)].max(axis=0)
            clocks[sorted(receivers)] = known
            for thread in senders | receivers:
                clocks[thread, thread] += 1
    return False


def _meetings(row: Sequence[tuple[int, int, int]]) -> list[tuple[set[int], set[int]]]:
    """Who is heard and who hears, at each meeting of one step."""
    found: list[tuple[set[int], set[int]]] = []
    everyone = set(range(len(row)))
    if all(what == BARRIER for what, _, _ in row):
        found.append((everyone, everyone))
    groups: dict[tuple[int, int], set[int]] = {}
    for thread, (what, _, mask) in enumerate(row):
        if what == SYNCWARP:
            groups.setdefault((thread // LANES, mask), set()).add(thread)
    found += [(group, group) for group in groups.values()]
    for name in range(NAMES):
        waiting = {thread for thread, (what, at, _) in enumerate(row) if what == NAMED and at == name}
        arrived = {thread for thread, (what, at, _) in enumerate(row) if what == ARRIVE and at == name}
        if waiting:
            found.append((waiting | arrived, waiting))
    return found


def random_script(seed: int, has_named: bool = True) -> Script:
    """Few accesses of few cells by few threads, so that about half of the scripts have no race.

    Args:
        has_named: whether some warps may meet at barriers without the others.
    """
    chance = random.Random(seed)
    script = Script(chance.choice((2, 8, 33, 64, 96)))
    active = chance.sample(range(script.threads), min(script.threads, chance.randint(2, 5)))
    for _ in range(chance.randint(2, 12)):
        make = chance.choices((_access, _barrier, _warps, _named), (5, 1, 3, int(has_named)))[0]
        script.ops.append(make(script, active, chance))
    return script


Row = list[tuple[int, int, int]]


def _access(script: Script, active: list[int], chance: random.Random) -> Row:
    row = [(NOTHING, 0, 0)] * script.threads
    for thread in active:
        if chance.random() < 0.5:
            row[thread] = (chance.choices(ACCESSES, (6, 2, 2))[0], chance.randrange(CELLS), 0)
    return row


def _barrier(script: Script, active: list[int], chance: random.Random) -> Row:
    return [(BARRIER, 0, 0)] * script.threads


def _warps(script: Script, active: list[int], chance: random.Random) -> Row:
    """In each warp: nothing, or a __syncwarp or vote of all its lanes, of halves, or of some."""
    row = [(NOTHING, 0, 0)] * script.threads
    for first in range(0, script.threads, LANES):
        lanes = range(min(LANES, script.threads - first))
        whole = sum(1 << lane for lane in lanes)
        some = sum(1 << lane for lane in lanes if chance.random() < 0.6)
        masks = chance.choice(((), (whole,), (whole & 0x00FF00FF, whole & 0xFF00FF00), (some,), (whole & 0xF0F0F0F0,)))
        what = chance.choice((SYNCWARP, SYNCWARP, VOTE))
        for lane in lanes:
            for mask in masks:
                if mask >> lane & 1:
                    row[first + lane] = (what, 0, mask)
    return row


def _named(script: Script, active: list[int], chance: random.Random) -> Row:
    """A barrier of some whole warps, some of which may only arrive."""
    warps = [first for first in range(0, script.threads - LANES + 1, LANES) if chance.random() < 0.7]
    row = [(NOTHING, 0, 0)] * script.threads
    waiters = set(chance.sample(warps, chance.randint(1, len(warps)))) if warps else set()
    name = len(script.ops)  # each its own, so that nobody arrives twice at one
    for first in warps:
        for thread in range(first, first + LANES):
            row[thread] = (NAMED if first in waiters else ARRIVE, name, len(warps) * LANES)
    return row
