"""What a device's child is asked and what it answers (child.py): plain data, in the order in which it is asked.

Questions come from the trusted parent; answers are data that the parent checks. Nothing here runs anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.runners import Request
from cudaperf_magic.bench.sandbox_shared import SharedArrays
from cudaperf_magic.records import Fault, Role


@dataclass(frozen=True)
class Ready:
    """The first word of a child: its context is made and a kernel with a known answer gave it."""

    gpu: str
    uuid: str


@dataclass(frozen=True)
class Run:
    """Requests of verification, each on buffers of its own. Answered with arrays, faults and None for each."""

    cubin: bytes
    symbols: Mapping[str, str]
    requests: Sequence[Request]


@dataclass(frozen=True)
class Given:
    """An argument of the program that is timed. Its values are in the question's `inputs`, unless it is only written.

    may_vary: whether the last bit of its elements may be turned over between sets of buffers.
    """

    name: str
    role: Role
    dtype: str
    shape: tuple[int, ...]
    may_vary: bool = False


@dataclass(frozen=True)
class Prepare:
    """The program that is timed, and its first call. Answered with `Called`.

    outputs: room for what the first call leaves, by name; None when nobody wants to see it.
    """

    cubin: bytes
    symbols: Mapping[str, str]
    plan: LaunchPlan
    given: tuple[Given, ...]
    inputs: SharedArrays
    trusted_cubin: bytes
    seed: int
    remembers: tuple[str, ...] = ()
    keeps: bool = False
    memory_bytes: int | None = None
    outputs: SharedArrays | None = None


@dataclass(frozen=True)
class Called:
    """After the first call: the fault that ended it, or what it changed and had no right to."""

    fault: Fault | None = None
    damage: tuple[str, ...] = ()


@dataclass(frozen=True)
class Settle:
    """How it is timed. Answered with `samples.Manner`."""


@dataclass(frozen=True)
class Sampled:
    """So many windows of one kind. Answered with `samples.Sample`s, of "end to end" with microseconds."""

    kind: Literal["cold", "warm", "end to end"]
    count: int = 1


@dataclass(frozen=True)
class Damage:
    """What the timed calls changed and had no right to. Answered with its names."""


@dataclass(frozen=True)
class Broke:
    """A kernel failed where none had before; the context is lost, and nothing more can be asked."""

    fault: Fault


@dataclass(frozen=True)
class Count:
    """The hardware's counters over one cold call. Answered with `metrics.Counts`, or `availability.Refused`."""

    metrics: tuple[str, ...]


@dataclass(frozen=True)
class Lend:
    """The memory of the prepared program's first set, for the process that counts. Answered with a handle, bytes."""


Question = Run | Prepare | Settle | Sampled | Damage | Count | Lend
