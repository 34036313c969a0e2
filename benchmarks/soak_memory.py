"""How memory of this process and its servers grew over a soak: samples at rest, and the slope through them.

Two readings, one at each end, tell what chance left in the allocators' arenas at two moments. A slope through many
readings tells growth. A server that was killed on the way is followed by a new one: slopes are taken within a process's
own life, and of a later life without its first reading, when it is not warm yet.
"""

from __future__ import annotations

import ctypes
import gc
import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from pathlib import Path
from statistics import median

from cudaperf_magic.bench.sandbox_servers import SERVERS

MIB = 1 << 20


@dataclass(frozen=True)
class Reading:
    """What one process holds while no evaluation runs, after so many evaluations; pages that it shares are counted."""

    name: str  # "this process", "plain server"
    pid: int
    evaluations: int
    resident_bytes: int


def read_all(evaluations: int) -> list[Reading]:
    """This process and each of its servers, now."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what is freed and kept for a thread's next use is no growth
    pids = {"this process": os.getpid(), **{f"{name} server": server.pid for name, server in SERVERS.items()}}
    found = []
    for name, pid in pids.items():
        if pid is None:
            continue
        try:
            words = Path(f"/proc/{pid}/statm").read_text().split()
        except OSError:
            continue
        found.append(Reading(name, pid, evaluations, int(words[1]) * os.sysconf("SC_PAGE_SIZE")))
    return found


@dataclass(frozen=True)
class Growth:
    """Of one process's memory over the run. `share` is the slope over all evaluations, of what it held at first."""

    name: str
    first_bytes: int
    last_bytes: int
    bytes_per_evaluation: float
    lives: int
    readings: int
    evaluations: int

    @property
    def share(self) -> float:
        return self.bytes_per_evaluation * self.evaluations / self.first_bytes

    @property
    def sentence(self) -> str:
        lives = f", {self.lives} lives" if self.lives > 1 else ""
        return (
            f"{self.name:16}{self.first_bytes / MIB:8.1f} -> {self.last_bytes / MIB:8.1f} MiB"
            f"{self.bytes_per_evaluation * 1000 / 1024:+10.1f} KiB per 1,000, {self.share:+7.2%} over the run"
            f" ({self.readings} readings{lives})"
        )


def growths(readings: Sequence[Reading]) -> list[Growth]:
    """One for each name with two readings or more of one life: the median slope between any two of them (Theil-Sen),
    which one reading that is out of line does not move."""
    found = []
    by_name = sorted(readings, key=lambda reading: reading.name)
    for name, group in groupby(by_name, key=lambda reading: reading.name):
        lives = _lives(list(group))
        slopes = [slope for life in lives for slope in _slopes(life)]
        if not slopes:
            continue
        flat = [reading for life in lives for reading in life]
        span = flat[-1].evaluations - flat[0].evaluations
        found.append(
            Growth(
                name,
                flat[0].resident_bytes,
                flat[-1].resident_bytes,
                median(slopes),
                len(lives),
                len(flat),
                span,
            )
        )
    return found


def _lives(readings: list[Reading]) -> list[list[Reading]]:
    """By process, in order; the first reading of every life but the first is left out."""
    readings = sorted(readings, key=lambda reading: reading.evaluations)
    lives = [list(life) for _, life in groupby(readings, key=lambda reading: reading.pid)]
    return [life for life in (lives[:1] + [life[1:] for life in lives[1:]]) if life]


def _slopes(life: Sequence[Reading]) -> list[float]:
    """Bytes an evaluation, between any two readings."""
    return [
        (later.resident_bytes - earlier.resident_bytes) / (later.evaluations - earlier.evaluations)
        for earlier, later in combinations(life, 2)
    ]
