"""How many elements a pointer has when nobody says: an expression of the sizes at hand that fits how far a trial run
reached. A kernel that overshoots a little (no guard for the last block, a halo) is held to the size below, so that the
fault is seen; what fits nothing is taken to be as large as it was used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement

from cudaperf_magic.bench.plan import Launch, LaunchPlan

REACHED = "as far as the kernel reaches"
OVERSHOOT = 1.25  # of a size: more is no slip of the last block or of a halo
LEAST_ROOM, MOST_ROOM = 1 << 16, 1 << 22  # elements a pointer has in the trial


@dataclass(frozen=True)
class Extent:
    elements: int
    why: str


def guess(reached: int, *, is_integer: bool, sizes: Mapping[str, int], plan: LaunchPlan) -> Extent:
    """The size of an array of which `reached` elements were in use, the last of them included."""
    known = list(_sizes(sizes))
    if reached == 0:
        return Extent(known[0].elements, known[0].why) if known else Extent(1, "it is not accessed")
    exact = [*_of_the_launch(plan), *_unusual(known, sizes, is_integer)]
    # Without a guard every thread of the last block takes part, so the sizes are asked before the threads.
    fitting = [e for e in known if e.elements == reached]
    fitting += [e for e in known if not _is_power(e) and _is_last_block(e.elements, reached, plan)]
    fitting += [e for e in exact if e.elements == reached]
    if fitting:
        return fitting[0]
    below = [e for e in known if e.elements < reached <= _most(e.elements, plan)]
    above = [e for e in known if reached < e.elements <= 2 * reached]
    near = sorted([*below, *above], key=lambda e: abs(e.elements - reached))
    return near[0] if near else Extent(reached, REACHED)


def room(sizes: Mapping[str, int], plan: LaunchPlan) -> int:
    """Elements enough for any honest use, for the trial."""
    largest = max((e.elements for e in _sizes(sizes, most=2)), default=1)
    wanted = max(LEAST_ROOM, 2 * largest, 4 * max((threads_of(step) for step in plan.launches), default=1))
    single = max(sizes.values(), default=1)
    return max(min(wanted, MOST_ROOM), int(single * OVERSHOOT) + 64)


def _sizes(sizes: Mapping[str, int], most: int = 3) -> Iterator[Extent]:
    """Products of sizes, the simplest first."""
    positive = {name: value for name, value in sizes.items() if value > 0}
    # Of one size alone, n * n and n * n * n: square matrices. Of several, a square may hide a wrong index.
    products = combinations if len(positive) > 1 else combinations_with_replacement
    for count in range(1, most + 1):
        for names in products(positive, count):
            elements = 1
            for name in names:
                elements *= positive[name]
            yield Extent(elements, " * ".join(names))


def _is_power(extent: Extent) -> bool:
    names = extent.why.split(" * ")
    return len(set(names)) < len(names)


def _of_the_launch(plan: LaunchPlan) -> Iterator[Extent]:
    yield Extent(1, "one element")
    for step in plan.launches:
        blocks = step.grid[0] * step.grid[1] * step.grid[2]
        yield Extent(blocks, f"one for each of the {blocks:,} blocks")
        yield Extent(_block(step), f"one for each of the {_block(step):,} threads of a block")
        yield Extent(threads_of(step), f"one for each of the {threads_of(step):,} threads")


def _unusual(known: list[Extent], sizes: Mapping[str, int], is_integer: bool) -> Iterator[Extent]:
    """What is believed only when it fits exactly: rows of a sparse matrix, padded pictures, multiples and parts."""
    if is_integer:
        yield from (Extent(value + 1, f"{name} + 1") for name, value in sizes.items())
    for (a, m), (b, n) in combinations(sizes.items(), 2):
        for halo in (2, 4, 1):
            yield Extent((m + halo) * (n + halo), f"({a} + {halo}) * ({b} + {halo})")
    for factor in (2, 3, 4, 8, 16, 32):
        for extent in known:
            text = f"({extent.why})" if "*" in extent.why else extent.why
            yield Extent(extent.elements * factor, f"{factor} * {text}")
            yield Extent(-(-extent.elements // factor), f"{text} / {factor}")


def _most(elements: int, plan: LaunchPlan) -> int:
    """How far an overshoot of this size may go: a halo, or the threads of a last block that is not full."""
    return max(int(elements * OVERSHOOT), elements + 2, *_ends(elements, plan))


def _is_last_block(elements: int, reached: int, plan: LaunchPlan) -> bool:
    """Whether all threads of a launch that has just enough blocks for this size come to `reached`."""
    return elements < reached and reached in _ends(elements, plan)


def _ends(elements: int, plan: LaunchPlan) -> list[int]:
    """The threads of the launches that have just enough blocks for this size.

    Of a single block the size must fill more than half: a smaller number may well mean something else.
    """
    shapes = [(threads_of(step), _block(step)) for step in plan.launches]
    return [threads for threads, block in shapes if max(threads - block, threads // 2) < elements]


def _block(step: Launch) -> int:
    return step.block[0] * step.block[1] * step.block[2]


def threads_of(step: Launch) -> int:
    return _block(step) * step.grid[0] * step.grid[1] * step.grid[2]
