"""What a person should know of the arrays' guessed sizes: where a stray access may be the guess's fault, where an index
fits no size, and where a launch falls short of a size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cudaperf_magic.bench.inspecting.extents import REACHED, Extent, threads_of
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.records import Fault


def doubts(
    faults: Sequence[Fault], guessed: Mapping[str, Extent], plan: LaunchPlan, sizes: Mapping[str, int]
) -> tuple[str, ...]:
    """Sentences for the report."""
    return (*_strays(faults, guessed), *_unfitting(guessed, sizes), *_short(guessed, plan, sizes))


def _strays(faults: Sequence[Fault], guessed: Mapping[str, Extent]) -> Iterator[str]:
    messages = [fault.message for fault in faults if fault.kind == "out_of_bounds"]
    for name, extent in guessed.items():
        if any(sign in message for message in messages for sign in (f"{name}[", f"the array {name})")):
            yield (
                f"{name} was given {extent.elements:,} elements ({extent.why}); if it is meant to have more, say "
                f"--size {name}=..."
            )


def _unfitting(guessed: Mapping[str, Extent], sizes: Mapping[str, int]) -> Iterator[str]:
    names = [name for name, extent in guessed.items() if extent.why == REACHED and sizes and extent.elements > 1]
    if names:
        given = ", ".join(f"{name} = {value}" for name, value in sizes.items())
        most = ", ".join(f"{name}[{guessed[name].elements - 1:,}]".replace(",", "") for name in names)
        yield (
            f"how far the kernel reaches ({most}) fits no product of {given}, so a wrong index may go unseen; say "
            f"--size {names[0]}=..."
        )


def _short(guessed: Mapping[str, Extent], plan: LaunchPlan, sizes: Mapping[str, int]) -> Iterator[str]:
    """A grid of n / 256 blocks leaves the end of an array of n elements undone."""
    reached = {extent.elements for extent in guessed.values()}
    for step in dict.fromkeys(plan.launches):
        threads = threads_of(step)
        block = step.block[0] * step.block[1] * step.block[2]
        if step.grid[1] == step.grid[2] == 1 and threads in reached:
            for name, size in sizes.items():
                if threads < size < threads + block and size not in reached:
                    yield (
                        f"{step.kernel} has {threads:,} threads, fewer than {name} = {size:,}: if each is to do one "
                        f"element, round up to ({name} + {block - 1}) / {block} blocks"
                    )
                    return
