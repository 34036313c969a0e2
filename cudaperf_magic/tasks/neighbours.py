"""Shapes beside the measured one, where a kernel fitted to one shape shows. To fail there is told, and never a refusal.

It proposes cases; whether the C is well defined on them, the bench finds out. Nothing runs here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from cudaperf_magic.compiler.loops import Function
from cudaperf_magic.records import Case, Task
from cudaperf_magic.tasks.filling import Growth
from cudaperf_magic.tasks.work import elements, estimated_steps

MOST = 8
MORE = 1.25  # of the case's own work and elements, or of the least that is always allowed
ALWAYS_STEPS, ALWAYS_ELEMENTS = 200_000, 50_000


def neighbours(task: Task, function: Function, case: Case | None = None) -> tuple[Case, ...]:
    """Up to eight cases: each extent one less and one more, primes for all, other proportions.

    Args:
        case: beside which; by default the measured one. Family and seed are its own.
    """
    case = case or task.cases[0]
    growth = Growth(task, function)
    most_steps = max(MORE * estimated_steps(function, case.size), ALWAYS_STEPS)
    most_elements = max(MORE * elements(function, case.size), ALWAYS_ELEMENTS)
    found: list[Case] = []
    for sizes in _proposed(growth, case.size):
        other = replace(case, sizes=tuple(sizes.items()))
        fits = estimated_steps(function, sizes) <= most_steps and elements(function, sizes) <= most_elements
        if fits and other != case and other not in found:
            found.append(other)
    return tuple(found[:MOST])


def _proposed(growth: Growth, sizes: dict[str, int]) -> Iterator[dict[str, int]]:
    names = [name for name in growth.names if name in sizes]
    powers = [name for name in names if growth.kinds.kinds[name] == "power"]
    plain = [name for name in names if name not in powers]
    for name in powers:
        yield growth.led({**sizes, name: max(0, sizes[name] - 1)}, sizes)
    if plain:
        yield growth.led({**sizes, **{name: prime_below(sizes[name]) for name in plain}}, sizes)
    for step in (-1, 1):
        for name in plain:
            if 0 < sizes[name] + step <= growth.most.get(name, 1 << 62):
                yield growth.led({**sizes, name: sizes[name] + step}, sizes)
    for first, second in pairwise(plain):
        for less, more in ((first, second), (second, first)):
            if sizes[less] > 1 and 2 * sizes[more] <= growth.most.get(more, 1 << 62):
                yield growth.led({**sizes, less: sizes[less] // 2, more: 2 * sizes[more]}, sizes)


def prime_below(number: int) -> int:
    """The greatest prime below, or the number itself where there is none."""
    for candidate in range(number - 1, 1, -1):
        if all(candidate % divisor for divisor in range(2, int(candidate**0.5) + 1)):
            return candidate
    return number
