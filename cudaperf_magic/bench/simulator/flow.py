"""A kernel as segments: calls inlined, control flow cut into blocks, blocks ordered, live registers known.

A segment is a basic block, also cut before and after every instruction at which lanes meet. Segments are numbered so
that running the lowest number first makes diverged lanes meet again where they should: after their branch, and with each
loop's segments next to each other. It gives no meaning to opcodes beyond where control goes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from cudaperf_magic.bench.simulator.ptx import (
    Address,
    Function,
    Group,
    Instruction,
    Label,
    Module,
    Negated,
    Operand,
    Pair,
    Reg,
    Symbol,
    Variable,
    Vector,
)
from cudaperf_magic.errors import Unsupported

BUILT_IN = ("vprintf", "__assertfail", "malloc", "free")
MEETING = (
    "shfl",
    "vote",
    "match",
    "redux",
    "bar",
    "barrier",
    "activemask",
    "mma",
    "wmma",
    "ldmatrix",
    "stmatrix",
    "movmatrix",
    "elect",
)
# Their first operand is no result.
NO_RESULT = (
    "st", "bra", "brx", "red", "bar", "barrier", "call", "membar", "fence", "copyparam", "cp", "prefetch", "stmatrix",
    "nanosleep", "trap", "discard", "applypriority", "wmma_store",
)  # fmt: skip
INLINE_LIMIT = 200_000  # instructions; more means calls within calls within calls


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
        return bool(self.body) and self.body[0].opcode[0] in MEETING


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
    inliner = _Inliner(module)
    body = inliner.expand(module.functions[name], "", (name,))
    segments = _cut(_without_guards(body), inliner.tables)
    segments = _ordered(segments)
    _find_live(segments)
    return Flow(name, module.functions[name].parameters, inliner.registers, inliner.variables, segments)


class _Inliner:
    """Copies function bodies into their callers, with the names of each copy made unique by a suffix."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.registers: dict[str, str] = {}
        self.variables: dict[str, Variable] = {}
        self.tables: dict[str, tuple[str, ...]] = {}
        self.copies = 0
        self.instructions = 0

    def expand(self, function: Function, suffix: str, stack: tuple[str, ...]) -> list[Instruction | Label]:
        if not suffix:
            self.registers.update(function.registers)
            self.variables.update(function.variables)
            self.tables.update(function.tables)
        else:
            self.adopt(function, suffix)
        result: list[Instruction | Label] = []
        for item in function.body:
            moved = self.rename(item, function, suffix)
            if isinstance(moved, Instruction) and moved.opcode[0] == "call":
                result += self.call(moved, stack)
            elif isinstance(moved, Instruction) and moved.opcode[0] == "ret" and suffix:
                result.append(Instruction(("bra",), (Symbol(f"$end{suffix}"),), moved.guard, moved.line))
            else:
                result.append(moved)
        if suffix:
            result.append(Label(f"$end{suffix}"))
        self.instructions += len(result)
        if self.instructions > INLINE_LIMIT:
            raise Unsupported(f"kernels of more than {INLINE_LIMIT} instructions")
        return result

    def adopt(self, function: Function, suffix: str) -> None:
        self.registers.update({name + suffix: kind for name, kind in function.registers.items()})
        for variable in (*function.variables.values(), *function.parameters, *function.results):
            shared_once = variable.space in ("shared", "global", "const")  # one for all calls
            name = variable.name if shared_once else variable.name + suffix
            self.variables[name] = replace(variable, name=name)
        for name, labels in function.tables.items():
            self.tables[name + suffix] = tuple(label + suffix for label in labels)

    def call(self, ins: Instruction, stack: tuple[str, ...]) -> list[Instruction | Label]:
        groups = [operand for operand in ins.operands if isinstance(operand, Group)]
        name = next((operand.name for operand in ins.operands if isinstance(operand, Symbol)), "")
        if name in BUILT_IN:
            return [ins]
        function = self.module.functions.get(name)
        if function is None or not function.has_body:
            raise Unsupported("calls through function pointers" if not name else f"calls of {name}", ins.line)
        if name in stack:
            raise Unsupported(f"recursion ({name} calls itself)", ins.line)
        self.copies += 1
        suffix = f"~{self.copies}"
        has_result = bool(function.results)
        results = groups[0].items if has_result and groups else ()
        arguments = groups[-1].items if len(groups) > (1 if has_result else 0) else ()
        inside = self.expand(function, suffix, (*stack, name))
        before = [self.copy(p.name + suffix, a, p, ins) for p, a in zip(function.parameters, arguments, strict=False)]
        after = [self.copy(r, p.name + suffix, p, ins) for p, r in zip(function.results, results, strict=False)]
        if ins.guard:  # the whole call is skipped when the guard says so
            skip = f"$skip{suffix}"
            jump = Instruction(("bra",), (Symbol(skip),), (ins.guard[0], not ins.guard[1]), ins.line)
            return [jump, *before, *inside, *after, Label(skip)]
        return [*before, *inside, *after]

    @staticmethod
    def copy(target: Operand | str, source: Operand | str, of: Variable, ins: Instruction) -> Instruction:
        """A pseudo-instruction that copies a parameter's bytes."""
        to = Symbol(target) if isinstance(target, str) else target
        given = Symbol(source) if isinstance(source, str) else source
        return Instruction(("copyparam", str(of.size)), (to, given), None, ins.line)

    def rename(self, item: Instruction | Label, function: Function, suffix: str) -> Instruction | Label:
        if not suffix:
            return item
        if isinstance(item, Label):
            return Label(item.name + suffix)
        own = {v.name for v in (*function.parameters, *function.results)}
        own |= {v.name for v in function.variables.values() if v.space in ("local", "param")}

        def moved(operand: Operand) -> Operand:
            if isinstance(operand, Reg):
                return Reg(operand.name + suffix) if operand.name in function.registers else operand
            if isinstance(operand, Negated):
                return Negated(Reg(operand.register.name + suffix))
            if isinstance(operand, Symbol):
                is_label = item.opcode[0] in ("bra", "brx")
                return Symbol(operand.name + suffix) if operand.name in own or is_label else operand
            if isinstance(operand, Address):
                base = moved(operand.base) if operand.base else None
                assert base is None or isinstance(base, Reg | Symbol)
                return Address(base, operand.offset)
            if isinstance(operand, Vector):
                return Vector(tuple(map(moved, operand.items)))
            if isinstance(operand, Group):
                return Group(tuple(map(moved, operand.items)))
            if isinstance(operand, Pair):
                return Pair(moved(operand.first), moved(operand.second))
            return operand

        guard = (item.guard[0] + suffix, item.guard[1]) if item.guard else None
        return replace(item, operands=tuple(map(moved, item.operands)), guard=guard)


def _without_guards(body: list[Instruction | Label]) -> list[Instruction | Label]:
    """Guarded exits, traps and meetings become branches around them, so that only plain ones remain."""
    result: list[Instruction | Label] = []
    count = 0
    for item in body:
        needs = (
            isinstance(item, Instruction)
            and item.guard
            and (item.opcode[0] in (*MEETING, "ret", "exit", "trap", "brx", "call"))
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
        meets = item.opcode[0] in MEETING
        if meets and segments[-1].body:
            fresh()
        segments[-1].body.append(item)
        if meets or item.opcode[0] in ("bra", "brx", "ret", "exit", "trap"):
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
        target = last.operands[0]
        assert isinstance(target, Symbol)
        return (labels[target.name], following) if last.guard else (labels[target.name],)
    if last.opcode[0] == "brx":
        table = last.operands[1]
        assert isinstance(table, Symbol)
        return tuple(labels[name] for name in tables[table.name])
    if last.opcode[0] in ("ret", "exit"):
        return ()
    return (following,) if following < count else ()


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
            for start in (*segments[first].successors, *sorted(rest)):
                if start in rest and start not in entered:
                    reach = _reachable(segments, start, rest - entered)
                    entered |= reach
                    expanded.append((start, reach))
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


def registers_read(ins: Instruction) -> set[str]:
    names: set[str] = set()
    if ins.guard:
        names.add(ins.guard[0])
    first_is_target = ins.opcode[0] not in NO_RESULT
    for i, operand in enumerate(ins.operands):
        if i == 0 and first_is_target:
            _collect_addresses(operand, names)
        else:
            _collect(operand, names)
    if ins.guard:
        names |= registers_written(ins)  # when the guard is false the old value stays
    return names


def registers_written(ins: Instruction) -> set[str]:
    names: set[str] = set()
    if ins.operands and ins.opcode[0] not in NO_RESULT:
        _collect(ins.operands[0], names)
        if isinstance(ins.operands[0], Address):
            names.clear()
    return names


def _collect(operand: Operand, names: set[str]) -> None:
    if isinstance(operand, Reg):
        names.add(operand.name)
    elif isinstance(operand, Negated):
        names.add(operand.register.name)
    elif isinstance(operand, Address) and isinstance(operand.base, Reg):
        names.add(operand.base.name)
    elif isinstance(operand, Vector | Group):
        for item in operand.items:
            _collect(item, names)
    elif isinstance(operand, Pair):
        _collect(operand.first, names)
        _collect(operand.second, names)


def _collect_addresses(operand: Operand, names: set[str]) -> None:
    if isinstance(operand, Address):
        _collect(operand, names)


def _find_live(segments: list[Segment]) -> None:
    """Backward data flow over bit sets, to a fixed point."""
    numbers: dict[str, int] = {}

    def mask(names: set[str]) -> int:
        total = 0
        for name in names:
            total |= 1 << numbers.setdefault(name, len(numbers))
        return total

    used: list[int] = []
    killed: list[int] = []
    for segment in segments:
        reads = writes = 0
        for ins in segment.body:
            reads |= mask(registers_read(ins)) & ~writes
            writes |= mask(registers_written(ins))
        used.append(reads)
        killed.append(writes)
    live_in = used[:]
    live_out = [0] * len(segments)
    changed = True
    while changed:
        changed = False
        for i in range(len(segments) - 1, -1, -1):
            out = 0
            for successor in segments[i].successors:
                out |= live_in[successor]
            new = used[i] | (out & ~killed[i])
            changed |= new != live_in[i]
            live_in[i], live_out[i] = new, out
    names = list(numbers)
    for i, segment in enumerate(segments):
        segment.live_in = frozenset(_names_of(live_in[i], names))
        segment.live_out = frozenset(_names_of(live_out[i], names))


def _names_of(mask: int, names: list[str]) -> list[str]:
    found = []
    while mask:
        low = mask & -mask
        found.append(names[low.bit_length() - 1])
        mask ^= low
    return found
