"""The measured case grown until it fills a GPU: arrays of half a gigabyte, or as much as its C can be run for.

It proposes sizes, the best first, each with a small case of the same proportions. Whether the C is well defined there
and how fast it runs, the bench finds out (bench/filled.py); nothing runs here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Literal

from cudaperf_magic.compiler.loops import Function, names_in
from cudaperf_magic.records import Case, Task
from cudaperf_magic.tasks.c import GIVEN
from cudaperf_magic.tasks.cases import numpy_dtype, shape_of
from cudaperf_magic.tasks.expressions import Unknown, parse, value_of
from cudaperf_magic.tasks.overflow import overflowing_line
from cudaperf_magic.tasks.sizes import SizeNames, long, measured, size_names, verified
from cudaperf_magic.tasks.work import estimated_steps

TARGET_BYTES = 512 << 20  # a copy of 2 x 256 MB reaches 95 % of an H200's bandwidth, one of 2 x 32 MB 80 %
REFERENCE_S = 4.0  # for the C at these sizes, as written and widened
STEPS_PER_S = 3e8  # loop iterations of plain C on one core, where nobody has measured
MOST_DOUBLINGS = 40
OVER = 1.02  # a border or a vector beside the matrix does not halve it
PER_ROW = 8  # elements of a row of a sparse matrix, on average
ANALOGUE_EXTENT = 96  # extents of the small case with the same proportions stay at or below this, where they can
TABLE_MOST = 1 << 20  # entries of a table that is looked up by index: a large vocabulary

Limit = Literal["bytes", "reference", "person", "sizes", "integers"]


@dataclass(frozen=True)
class Filling:
    """A case that fills a GPU, or comes as near as its limit allows.

    limited_by: "bytes", the target is reached; "reference", the C would take too long beyond; "person", the sizes were
    given; "sizes", no size can grow; "integers", the C's own index arithmetic would overflow beyond.
    analogue: the same proportions at small sizes, for the checked build; None where nothing has grown.
    """

    case: Case
    size_bytes: int
    reference_s: float  # estimated
    limited_by: Limit
    analogue: Case | None = None

    @property
    def note(self) -> str:
        """Why it is no larger, as one sentence; "" where its arrays reach the target."""
        held = f"{self.size_bytes / 2**20:,.1f} MB of arrays"
        return {
            "bytes": "",
            "reference": f"timed on {held}: on more the C itself would run for seconds",
            "person": f"timed on {held}, the sizes that were given",
            "sizes": f"timed on {held}: its sizes cannot grow",
            "integers": f"timed on {held}: beyond, the C's own integers overflow",
        }[self.limited_by]


def filling_case(task: Task, function: Function, **limits: float) -> Case:
    """The best proposal's case; keywords as of `fillings`."""
    return fillings(task, function, **limits)[0].case


def fillings(
    task: Task,
    function: Function,
    *,
    target_bytes: float = TARGET_BYTES,
    most_reference_s: float = REFERENCE_S,
    steps_per_s: float = STEPS_PER_S,
) -> tuple[Filling, ...]:
    """Proposals for the filling case, the largest first, then with the measured case's own proportions, then smaller.

    Sizes that the person gave stay. Counts, limits, filters and strides stay as they are in the measured case; powers
    of two stay powers of two; a distance between rows stays at least a row.

    Args:
        task: settled; its first case is the one that grows. function: its IR.
        target_bytes: of all arrays together. most_reference_s: of estimated time for the C.
        steps_per_s: loop iterations a second, measured for this function.
    """
    growth = Growth(task, function, target_bytes, most_reference_s, steps_per_s)
    base = task.cases[0]
    if not growth.names:
        return (growth.filling(base.size, "sizes"),)
    if _is_given(task, function, growth.kinds):
        return (growth.filling(base.size, "person"),)
    joint = growth.jointly()
    found = [growth.one_by_one(joint), joint, *(_fewer(joint, k) for k in (1, 2, 4)), _fewer(joint, MOST_DOUBLINGS)]
    return tuple(dict.fromkeys(growth.grown(doublings) for doublings in found))


Doublings = Mapping[str, int]


class Growth:
    """The sizes that may grow, and how far."""

    def __init__(
        self,
        task: Task,
        function: Function,
        target_bytes: float = TARGET_BYTES,
        most_s: float = REFERENCE_S,
        steps_per_s: float = STEPS_PER_S,
    ) -> None:
        self.task, self.function = task, function
        self.target_bytes, self.most_s, self.steps_per_s = target_bytes, most_s, steps_per_s
        values = {a.name: a.values for a in task.arguments if a.values is not None}
        pooled = frozenset(v.high for v in values.values() if v.order == "ascending" and v.high is not None)
        self.kinds = size_names(function, pooled)
        self.most = dict(self.kinds.most)
        for name, limits in values.items():
            if name in self.kinds.kinds and limits.why == GIVEN and limits.high is not None:
                try:
                    self.most[name] = min(self.most.get(name, 1 << 62), int(value_of(limits.high, {})))
                except Unknown:
                    continue
        self.base = task.cases[0].size
        stay = _scattered_into(task, self.kinds)
        self.names = tuple(n for n in _growing(self.kinds) if self.base.get(n, 0) > 0 and n not in stay)

    def jointly(self) -> dict[str, int]:
        """Every size doubled together as often as it fits, from where rows that data delimits hold a few elements."""
        doublings = dict.fromkeys(self.names, 0)
        rows = max((self.base[name] for name in self.names if name not in self.kinds.pooled), default=1)
        for name in self.kinds.pooled & set(self.names):
            while self.grown_size(name, doublings[name]) < PER_ROW * rows and self.may_double(name, doublings[name]):
                doublings[name] += 1
        for _ in range(MOST_DOUBLINGS):
            more = {name: k + self.may_double(name, k) for name, k in doublings.items()}
            if more == doublings or self.exceeds(self.sizes(more)) is not None:
                break
            doublings = more
        return doublings

    def one_by_one(self, doublings: Doublings) -> dict[str, int]:
        """Then one after the other, so that three dimensions do not stop at an eighth of the target."""
        done = dict(doublings)
        for _ in range(2):
            for name in self.kinds.pooled & set(self.names) or self.names:
                more = {**done, name: done[name] + 1}
                if self.may_double(name, done[name]) and self.exceeds(self.sizes(more)) is None:
                    done = more
        return done

    def may_double(self, name: str, doublings: int) -> bool:
        most = self.most.get(name, 1 << 31)
        if self.kinds.kinds[name] == "table" and name not in self.kinds.pooled:
            most = min(most, TABLE_MOST)
        return self.grown_size(name, doublings + 1) <= most

    def grown_size(self, name: str, doublings: int) -> int:
        if self.kinds.kinds[name] == "power":
            return max(0, self.base[name] + doublings)
        return self.base[name] << doublings if doublings >= 0 else max(1, self.base[name] >> -doublings)

    def sizes(self, doublings: Doublings) -> dict[str, int]:
        """All sizes."""
        sizes = {n: self.grown_size(n, doublings[n]) if n in doublings else v for n, v in self.base.items()}
        return self.led(sizes, self.base)

    def led(self, sizes: dict[str, int], before: Mapping[str, int]) -> dict[str, int]:
        """The sizes, with distances between rows as far above the longest extent as they were before."""
        extents = [name for name in self.kinds.extents if name in before]
        longest = max((before[name] for name in extents), default=1)
        now = max((sizes[name] for name in extents), default=1)
        for name, kind in self.kinds.kinds.items():
            if kind in ("lead", "stride") and extents and before.get(name, 0) >= max(longest, 2):
                sizes[name] = now + before[name] - longest
        return sizes

    def exceeds(self, sizes: Mapping[str, int]) -> Limit | None:
        """The limit that the sizes break, if any."""
        if size_bytes(self.task, sizes) > OVER * self.target_bytes:
            return "bytes"
        if self.reference_s(sizes) > self.most_s:
            return "reference"
        return "integers" if overflowing_line(self.function, sizes, self.base) else None

    def reference_s(self, sizes: Mapping[str, int]) -> float:
        return estimated_steps(self.function, sizes) / self.steps_per_s

    def grown(self, doublings: Doublings) -> Filling:
        more = self.sizes({name: k + self.may_double(name, k) for name, k in doublings.items()})
        limit: Limit = "sizes" if more == self.sizes(doublings) else self.exceeds(more) or "bytes"
        return self.filling(self.sizes(doublings), limit, self.analogue(doublings))

    def filling(self, sizes: Mapping[str, int], limit: Limit, analogue: Case | None = None) -> Filling:
        base = self.task.cases[0]
        case = replace(base, sizes=tuple(sizes.items()))
        return Filling(case, size_bytes(self.task, sizes), self.reference_s(sizes), limit, analogue)

    def analogue(self, doublings: Doublings) -> Case:
        """As many halvings of every size as bring the largest down to a small case's; the smallest stay above one."""
        sizes = self.sizes(doublings)
        plain = [1 << sizes[n] if self.kinds.kinds[n] == "power" else sizes[n] for n in self.names]
        fewer = 0
        while plain and max(plain) >> fewer > ANALOGUE_EXTENT and min(plain) >> fewer > 4:
            fewer += 1
        small = self.sizes({name: k - fewer for name, k in doublings.items()})
        return replace(self.task.cases[0], sizes=tuple(small.items()))


def size_bytes(task: Task, sizes: Mapping[str, int]) -> int:
    """Of all arrays of the task together; what cannot be told counts as nothing."""
    total = 0
    for argument in task.arrays:
        try:
            total += prod(shape_of(argument, sizes)) * numpy_dtype(argument.dtype).itemsize
        except Unknown:
            continue
    return total


def _growing(names: SizeNames) -> Iterator[str]:
    """Sizes that stand in extents; counts where they are the problem itself (a loop that fills nothing but a sum)."""
    for name, kind in names.kinds.items():
        is_length = kind == "count" and ("first" in names.kinds.values() or not names.extents)
        if kind in ("extent", "table", "power") or is_length:
            yield name


def _scattered_into(task: Task, names: SizeNames) -> frozenset[str]:
    """Tables that the data writes into: bins of a histogram, which are few whatever the number of samples."""
    written = [parse(extent) for a in task.arrays if a.role != "in" for extent in a.shape]
    tables = {name for name, kind in names.kinds.items() if kind == "table"}
    return frozenset(tables & {name for extent in written for name in names_in(extent)})


def _is_given(task: Task, function: Function, names: SizeNames) -> bool:
    """Whether the person chose the measured sizes: then they are none that would have been proposed."""
    proposed = {*measured(function, names, {})}
    proposed |= {sizes for place in (*verified(function, names, {}), *long(function, names, {})) for sizes in place}
    return task.cases[0].sizes not in proposed


def _fewer(doublings: Doublings, halvings: int) -> dict[str, int]:
    return {name: max(0, k - halvings) for name, k in doublings.items()}
