"""A kernel as segments: calls inlined, control flow cut into blocks, blocks ordered, live registers known.

A segment is a basic block, also cut before and after every instruction at which lanes meet. Segments are numbered so
that running the lowest number first makes diverged lanes meet again where they should: after their branch, and with
each loop's segments next to each other. It gives no meaning to opcodes beyond where control goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from cudaperf_magic.bench.simulator.async_ops import is_wait
from cudaperf_magic.bench.simulator.inlining import Inliner
from cudaperf_magic.bench.simulator.liveness import live_registers
from cudaperf_magic.bench.simulator.ptx import (
    Instruction,
    Label,
    Module,
    Operand,
    PtxError,
    Symbol,
    Variable,
)

T = TypeVar("T")
# Instructions at which lanes meet.
MEETING = (
    "shfl", "vote", "match", "redux", "bar", "barrier", "activemask", "mma", "wmma", "ldmatrix", "stmatrix",
    "movmatrix", "elect",
)  # fmt: skip


def meets(ins: Instruction) -> bool:
    """Whether an instruction is a segment of its own, run for all its lanes at once."""
    return ins.opcode[0] in MEETING or is_wait(ins)


@dataclass
class Segment:
    number: int
    body: list[Instruction] = field(default_factory=list)
    label: str = ""
    successors: tuple[int, ...] = ()  # of a conditional branch: taken first
    live_in: frozenset[str] = frozenset()
    live_out: frozenset[str] = frozenset()

    @property
    def is_meeting(self) -> bool:
        return bool(self.body) and meets(self.body[0])


@dataclass
class Flow:
    """A kernel without calls. `variables` are local, shared and parameter variables of it and of what it inlined."""

    name: str
    parameters: tuple[Variable, ...]
    registers: dict[str, str]
    variables: dict[str, Variable]
    segments: list[Segment]


def flow_of(module: Module, name: str) -> Flow:
    """The control flow of kernel `name`.

    Raises:
        Unsupported: recursion, calls through pointers.
    """
    inliner = Inliner(module)
    body = inliner.expand(module.functions[name], "", (name,))
    segments = _cut(_without_guards(body), inliner.tables)
    segments = _ordered(segments)
    live = live_registers([s.body for s in segments], [s.successors for s in segments])
    for segment, (before, after) in zip(segments, live, strict=True):
        segment.live_in, segment.live_out = before, after
    return Flow(name, module.functions[name].parameters, inliner.registers, inliner.variables, segments)


def _without_guards(body: list[Instruction | Label]) -> list[Instruction | Label]:
    """Guarded exits, traps and meetings become branches around them, so that only plain ones remain."""
    result: list[Instruction | Label] = []
    count = 0
    for item in body:
        if isinstance(item, Instruction) and item.opcode[0] == "brkpt":
            item = replace(item, opcode=("trap",))  # as on a GPU without a debugger
        needs = (
            isinstance(item, Instruction)
            and item.guard
            and (meets(item) or item.opcode[0] in ("ret", "exit", "trap", "brx", "call"))
        )
        if isinstance(item, Instruction) and item.guard and needs:
            count += 1
            skip = f"$guard{count}"
            result.append(Instruction(("bra",), (Symbol(skip),), (item.guard[0], not item.guard[1]), item.line))
            result.append(replace(item, guard=None))
            result.append(Label(skip))
        else:
            result.append(item)
    return _with_barrier_results(result)


def _with_barrier_results(body: list[Instruction | Label]) -> list[Instruction | Label]:
    """Splits `bar.red` into arriving, which waits, and `barresult`, which reads the answer afterwards."""
    result: list[Instruction | Label] = []
    for item in body:
        if isinstance(item, Instruction) and item.opcode[0] in ("bar", "barrier") and "red" in item.opcode:
            result.append(replace(item, operands=item.operands[1:]))
            result.append(Instruction(("barresult", *item.opcode[1:]), item.operands[:2], None, item.line))
        else:
            result.append(item)
    return result


def _cut(body: list[Instruction | Label], tables: dict[str, tuple[str, ...]]) -> list[Segment]:
    segments = [Segment(0)]

    def fresh(label: str = "") -> None:
        segments.append(Segment(len(segments), label=label))

    labels: dict[str, int] = {}
    for item in body:
        if isinstance(item, Label):
            if segments[-1].body or labels.get(segments[-1].label) == segments[-1].number:
                fresh()
            segments[-1].label = segments[-1].label or item.name
            labels[item.name] = len(segments) - 1
            continue
        alone = meets(item)
        if alone and segments[-1].body:
            fresh()
        segments[-1].body.append(item)
        if alone or item.opcode[0] in ("bra", "brx", "ret", "exit", "trap"):
            fresh()
    segments[-1].body.append(Instruction(("ret",)))
    for segment in segments:
        segment.successors = _successors(segment, labels, tables, len(segments))
    return segments


def _successors(
    segment: Segment, labels: dict[str, int], tables: dict[str, tuple[str, ...]], count: int
) -> tuple[int, ...]:
    following = segment.number + 1
    last = segment.body[-1] if segment.body else None
    if last is None:
        return (following,)
    if last.opcode[0] == "bra":
        target = _named(last, 0, labels)
        return (target, following) if last.guard else (target,)
    if last.opcode[0] == "brx":
        return tuple(_named(last, name, labels) for name in _named(last, 1, tables))
    if last.opcode[0] in ("ret", "exit"):
        return ()
    return (following,) if following < count else ()


def _named(ins: Instruction, what: int | str, known: Mapping[str, T]) -> T:
    """The label or table of that name, or that the operand of that number names."""
    operand: Operand | None = Symbol(what) if isinstance(what, str) else (*ins.operands, None, None)[what]
    if not isinstance(operand, Symbol) or operand.name not in known:
        raise PtxError(f"a jump to what is not there, line {ins.line}")
    return known[operand.name]


def _ordered(segments: list[Segment]) -> list[Segment]:
    """Renumbers the reachable segments in a weak topological order (Bourdoncle 1993): loops contiguous, head first."""
    order = _weak_order(segments)
    new = {old: at for at, old in enumerate(order)}
    result = []
    for old in order:
        segment = segments[old]
        result.append(replace(segment, number=new[old], successors=tuple(new[s] for s in segment.successors)))
    return result


def _weak_order(segments: list[Segment]) -> list[int]:
    """Components by Tarjan's algorithm; within each, its head first and the rest ordered again without the head."""
    order: list[int] = []
    pending: list[list[int] | tuple[int, set[int]]] = [(0, set(range(len(segments))))]
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            order += item
            continue
        head, allowed = item
        expanded: list[list[int] | tuple[int, set[int]]] = []
        for component in _components(segments, head, allowed):
            first = component[0]
            expanded.append([first])
            rest = set(component) - {first}
            entered: set[int] = set()
            parts: list[list[int] | tuple[int, set[int]]] = []
            for start in (*segments[first].successors, *sorted(rest)):
                if start in rest and start not in entered:
                    reach = _reachable(segments, start, rest - entered)
                    entered |= reach
                    parts.append((start, reach))
            expanded += reversed(parts)  # what was found later may lead into what was found before, never the other way
        pending += reversed(expanded)
    return order


def _reachable(segments: list[Segment], start: int, allowed: set[int]) -> set[int]:
    seen, work = {start}, [start]
    while work:
        for successor in segments[work.pop()].successors:
            if successor in allowed and successor not in seen:
                seen.add(successor)
                work.append(successor)
    return seen


def _components(segments: list[Segment], start: int, allowed: set[int]) -> list[list[int]]:
    """Strongly connected components reachable from `start` within `allowed`, in topological order, entry first."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[list[int]] = []
    work: list[tuple[int, int]] = [(start, 0)]
    while work:
        node, step = work.pop()
        if step == 0:
            index[node] = low[node] = len(index)
            stack.append(node)
            on_stack.add(node)
        successors = [s for s in segments[node].successors if s in allowed]
        # The branch not taken comes first in the text; visiting it last puts it first in the order.
        descended = False
        for i in range(step, len(successors)):
            successor = successors[i]
            if successor not in index:
                work += [(node, i + 1), (successor, 0)]
                descended = True
                break
            if successor in on_stack:
                low[node] = min(low[node], index[successor])
        if descended:
            continue
        for successor in successors:
            if successor in on_stack:
                low[node] = min(low[node], low[successor])
        if low[node] == index[node]:
            component: list[int] = []
            while True:
                member = stack.pop()
                on_stack.discard(member)
                component.append(member)
                if member == node:
                    break
            component.sort(key=lambda n: index[n])
            found.append(component)
    return found[::-1]
