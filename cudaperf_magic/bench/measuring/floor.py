"""The least time that a task can take on a card, from what it has to move and compute and what the card reached.

Two numbers: the floor that is shown, and, below it, the time under which a measurement cannot be right. It measures
nothing; gpu/ceilings.py does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cudaperf_magic.compiler.loops import Function
from cudaperf_magic.errors import ToolchainError
from cudaperf_magic.records import Case, Task
from cudaperf_magic.tasks.operations import operations
from cudaperf_magic.tasks.touched import Touched, touched

Curve = tuple[tuple[int, float], ...]  # (bytes moved, microseconds), ascending

KNOWN_SHARE = 0.9  # of the bytes of all arrays: with less of them sure to be moved, no floor is shown
SLACK = 0.9  # a time this far below what was ever reached is a fault of measuring, not a record
EVENT_US = 1.0  # what events resolve, and a little


@dataclass(frozen=True)
class Ceilings:
    """What a card reached: times of moving so many bytes past L2, and operations a second.

    `read` and `write` move one array, `copy` reads one and writes one, its bytes counting both. `rates` has
    "float32", "float64" (a fused multiply-add is two operations), "int32 add", "int32 multiply" and "exp2".
    """

    gpu: str
    uuid: str
    driver: str
    l2_bytes: int
    read: Curve
    write: Curve
    copy: Curve
    rates: Mapping[str, float]
    launch_us: float  # from one launch to the next, of kernels that do nothing

    @property
    def read_gb_s(self) -> float:
        return best_gb_s(self.read)

    @property
    def write_gb_s(self) -> float:
        """Of more than L2 can hold back."""
        return best_gb_s(self.write, above_bytes=4 * self.l2_bytes)

    @property
    def copy_gb_s(self) -> float:
        """Read and written bytes together, of more than L2 can hold back."""
        return best_gb_s(self.copy, above_bytes=4 * self.l2_bytes)


@dataclass(frozen=True)
class Floor:
    """`us` is None where too little is sure; `by` names what sets it. No right measurement is below `least_us`."""

    us: float | None
    by: str
    least_us: float

    def must_hold(self, measured_us: float) -> None:
        """Raises ToolchainError for a time that cannot be: then nothing measured beside it is to be believed."""
        if measured_us < self.least_us:
            raise ToolchainError(
                f"measured {measured_us:.1f} us, below the {self.least_us:.1f} us that this card needs to move the "
                "data: the measurement is wrong; measure again, and report it if it stays"
            )


def floor(task: Task, function: Function, case: Case, sizes_bytes: Mapping[str, int], ceilings: Ceilings) -> Floor:
    """The floor of one case, cold.

    Memory: each element that is surely read and each that is surely written crosses the memory bus once. What is
    written may still lie in L2 when the kernel ends, so `least_us` counts only what L2 cannot hold back. Arithmetic:
    the C's own additions and multiplications; a better algorithm may do with fewer, so they do not count in `least_us`.

    Args:
        sizes_bytes: of each pointer argument in this case.
    """
    sizes = case.size
    shares = touched(function, sizes)
    whole = _whole(task, shares, sizes_bytes)
    reads, writes, sure_reads = _bytes(task, shares, sizes_bytes)
    most_l2 = ceilings.l2_bytes
    least_us = max(
        sure_reads / _per_us(ceilings.read_gb_s),
        (sure_reads + max(0, writes - most_l2)) / _per_us(max(ceilings.read_gb_s, ceilings.copy_gb_s)),
    )
    times = {"memory bandwidth": _memory_us(reads, writes, ceilings)}
    if reads + writes < KNOWN_SHARE * whole:
        times = {}
    for kind, count in operations(function, sizes).items():
        times[f"{kind} arithmetic"] = 1e6 * count / ceilings.rates[kind]
    by = max(times, key=times.__getitem__, default="")
    known = bool(by) and times[by] > 0 and "memory bandwidth" in times
    return Floor(times[by] if known else None, by if known else "", max(0.0, SLACK * least_us - EVENT_US))


def best_gb_s(curve: Curve, above_bytes: int = 0) -> float:
    """The best bandwidth on a curve, among its points that move at least so many bytes, or else at its last."""
    fitting = [point for point in curve if point[0] >= above_bytes] or list(curve[-1:])
    return max(size / us for size, us in fitting) / 1000.0


def _memory_us(reads: float, writes: float, ceilings: Ceilings) -> float:
    """At the bandwidth reached by reading, by copying and by writing, in between for mixtures."""
    share = min(reads, writes)
    copied = 2 * share / _per_us(ceilings.copy_gb_s)
    return copied + (reads - share) / _per_us(ceilings.read_gb_s) + (writes - share) / _per_us(ceilings.write_gb_s)


def _per_us(gb_s: float) -> float:
    return 1000.0 * gb_s  # bytes


def _bytes(
    task: Task, shares: Mapping[str, Touched], sizes_bytes: Mapping[str, int]
) -> tuple[float, float, float]:
    """Bytes that are read, that are written, and that are read before anything is written there."""
    reads = writes = sure_reads = 0.0
    for argument in task.arrays:
        size = sizes_bytes.get(argument.name, 0)
        share = shares.get(argument.name, Touched())
        if argument.role != "out":
            reads += size * share.read
            sure_reads += size * share.first_read
        if argument.role != "in":
            writes += size if argument.role == "out" else size * share.written
    return reads, writes, sure_reads


def _whole(task: Task, shares: Mapping[str, Touched], sizes_bytes: Mapping[str, int]) -> float:
    """Bytes that would be moved if all were that may be: arrays that are read, and those that are written."""
    total = 0
    for argument in task.arrays:
        share = shares.get(argument.name, Touched())
        passes = (argument.role != "out" and share.is_read) + (argument.role != "in" and share.is_written)
        total += passes * sizes_bytes.get(argument.name, 0)
    return float(total)
