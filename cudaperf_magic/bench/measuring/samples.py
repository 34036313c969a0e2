"""What is measured on a device, as data: samples, the calls in them, and which calls gave another answer. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Prints = tuple[int, ...]  # one fingerprint of 128 bits for each output


@dataclass(frozen=True)
class Distance:
    """How far an output's elements lie from those of the first call on the same inputs: both of one candidate.

    By the triangle inequality, an output whose first call errs by e errs by at most e plus these, in either norm.
    """

    largest: float
    squares: float  # the sum of the squared differences
    odd: int  # places where only one of the two is finite, or their infinities differ


@dataclass(frozen=True)
class Call:
    """One timed call: on which set of inputs, and the fingerprints of what it left in each output.

    `distances` stand beside the prints where outputs are kept for comparison; None: an output of another kind.
    """

    set: int
    prints: Prints
    distances: tuple[Distance | None, ...] = ()


@dataclass(frozen=True)
class Sample:
    """One timed window. `us` is its length divided by its calls."""

    us: float
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Manner:
    """How one candidate is timed, decided once from its first calls.

    A cold window holds `calls` calls, each on a set of buffers of its own that left L2 before. `expected` has the
    fingerprints that each set gave when it was called alone. `proofs` are calls on other sets with the inputs of the
    one that they name. A module that may remember (`is_reloaded`) is loaded anew before each call.
    """

    calls: int
    warm_calls: int
    is_graph: bool
    is_reloaded: bool
    expected: tuple[Prints, ...]
    call_us: float  # as found so far
    sets_bytes: int  # on the device, of all sets together
    proofs: tuple[Call, ...] = ()


def strays(manner: Manner, samples: Iterable[Sample]) -> tuple[Call, ...]:
    """The calls, timed ones and proofs, whose outputs are not, bit for bit, those of their set's call alone."""
    calls = (*manner.proofs, *(call for sample in samples for call in sample.calls))
    return tuple(call for call in calls if call.prints != manner.expected[call.set])


def times_us(samples: Sequence[Sample]) -> tuple[float, ...]:
    return tuple(sample.us for sample in samples)
