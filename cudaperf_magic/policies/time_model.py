"""A guess at a program's time on a large GPU, for sizes that fill it: what ranks proposals before they are timed.

Three things limit a kernel here: bytes at the memory's rate, too few of them under way to reach it, and operations; a
launch costs extra. The constants are those of a GPU with 132 multiprocessors. The guess orders proposals of one
program, it is no measurement, and nobody is shown it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from cudaperf_magic.compiler.loops import (
    Binary,
    Call,
    If,
    Load,
    Loop,
    Stmt,
    Ternary,
    While,
    expressions,
    loops_of,
    names_in,
    walk_expression,
)
from cudaperf_magic.compiler.program import Program
from cudaperf_magic.policies.estimate import GUESSED, Traffic, apart, total_of, trips_of
from cudaperf_magic.tasks.expressions import Number

SECTOR_BYTES = 32
BYTES_A_US = 4.2e6  # what memory delivers, read and written together
UNDER_WAY_BYTES = 3.4e6  # that must be asked for at once to reach it: its rate times 0.8 us until an answer
LANES_A_US = 132 * 128 * 1.7e3  # operations of one lane that all multiprocessors issue together
RESIDENT = 132 * 2048  # threads that are on the machine at once
BUSY = 132 * 512  # threads that keep the arithmetic busy
LAUNCH_US = 2.5
SHARED_COST = 4.0  # a shared load in operations: a quarter of the lanes get one a cycle
LOAD_COST = 4.0  # a global load, with its address
TURN_COST = 3.0  # counting, comparing and jumping, once a turn of a loop
SERIAL_STEP_US = 0.02  # one statement of a lone thread


def modelled_us(program: Program, sizes: Mapping[str, int]) -> float:
    """Microseconds that the program might take at these sizes."""
    return total_of(program, sizes, _kernel_us, is_cached=True)


def _kernel_us(traffic: Traffic) -> float:
    nest = traffic.nest
    work = traffic.points * _operations(traffic, nest.body, traffic.inside)
    if nest.team == 1 and not nest.loops:
        return LAUNCH_US + work * SERIAL_STEP_US
    sectors = traffic.total_sectors()
    threads = min(max(traffic.threads * _busy(traffic), 1.0), RESIDENT)
    reached = min(1.0, threads * _under_way(traffic) / UNDER_WAY_BYTES)
    memory = sectors * SECTOR_BYTES / (BYTES_A_US * reached)
    lanes = LANES_A_US * min(1.0, max(traffic.threads * _busy(traffic), 1.0) / BUSY)
    return LAUNCH_US + max(memory, work / lanes)


def _busy(traffic: Traffic) -> float:
    """Which part of a team has something to do: a loop of fewer turns than threads leaves the others idle."""
    inner = [loop for loop in loops_of(traffic.nest.body) if not loops_of(loop.body)]
    if traffic.nest.team == 1 or not inner:
        return 1.0
    turns = max(trips_of(loop, traffic.inside)[0] for loop in inner)
    return min(1.0, max(turns, 1.0) / traffic.nest.team)


def _under_way(traffic: Traffic) -> float:
    """Bytes of sectors that a thread asks for before it must wait: the loads of its innermost loop, unrolled."""
    body, times = traffic.nest.body, prod(traffic.nest.coarsen or (1,))
    inner = [loop for loop in loops_of(body) if not loops_of(loop.body)]
    if inner:
        deepest = max(inner, key=lambda loop: trips_of(loop, traffic.inside)[0])
        body = deepest.body
        _, _, count = deepest.pragma.partition("unroll ")
        times *= int(count) if count.isdigit() else 1
    lane = deepest.var if inner and traffic.nest.team > 1 else traffic.lanes()
    bytes_ = sum(traffic.sectors(load, traffic.inside, lane) for load in apart(_loads(body))) * SECTOR_BYTES
    if traffic.nest.staged:  # a block brings its tile in all at once
        bytes_ += traffic.staged() * SECTOR_BYTES / max(1.0, len(inner))
    return max(bytes_, 1.0) * min(times, 8) * traffic.nest.vector


def _loads(body: tuple[Stmt, ...]) -> Iterator[Load]:
    for statement in body:
        for expression in expressions(statement):
            yield from (part for part in walk_expression(expression) if isinstance(part, Load))
        if isinstance(statement, If):
            yield from _loads(statement.then + statement.other)


def _operations(traffic: Traffic, body: tuple[Stmt, ...], names: dict[str, Number]) -> float:
    """Operations of one point."""
    total = 0.0
    for statement in body:
        for expression in expressions(statement):
            total += _cost(traffic, expression)
        match statement:
            case Loop():
                trips, middle = trips_of(statement, names)
                own = _operations(traffic, statement.body, names | {statement.var: middle})
                is_unrolled = statement.pragma or (traffic.nest.tile and traffic.nest.tile[0] == statement.label)
                total += trips * (own + TURN_COST / (4.0 if is_unrolled else 1.0))
            case While():
                total += GUESSED * (_operations(traffic, statement.body, names) + TURN_COST)
            case If():
                total += _operations(traffic, statement.then + statement.other, names)
            case _:
                pass
    return total


def _cost(traffic: Traffic, expression: object) -> float:
    total = 0.0
    for part in walk_expression(expression):  # type: ignore[arg-type]
        match part:
            case Load() if part.array in traffic.nest.staged:
                total += SHARED_COST / _reuse(traffic, part)
            case Load():
                total += LOAD_COST / _reuse(traffic, part)
            case Call():
                total += 8.0
            case Binary() | Ternary():
                total += 0.5  # half of them go into a fused multiply-add, or an address
            case _:
                pass
    return total


def _reuse(traffic: Traffic, load: Load) -> float:
    """How many of a thread's points take one loaded element."""
    nest, used, times = traffic.nest, set[str](), 1.0
    for subscript in load.subscripts:
        used |= names_in(subscript)
    for label, count in zip(nest.axes, nest.coarsen, strict=False):
        if nest.loop(label).var not in used:
            times *= count
    return times * (nest.vector if nest.vector > 1 else 1.0)
