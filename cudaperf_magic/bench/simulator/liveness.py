"""Which registers an instruction reads and writes, and which live across segments."""

from __future__ import annotations

from collections.abc import Sequence

from cudaperf_magic.bench.simulator.ptx import (
    Address,
    Group,
    Instruction,
    Negated,
    Operand,
    Pair,
    Reg,
    Vector,
)

# Their first operand is no result.
NO_RESULT = (
    "st", "bra", "brx", "red", "bar", "barrier", "call", "membar", "fence", "copyparam", "cp", "prefetch", "stmatrix",
    "nanosleep", "trap", "discard", "applypriority", "wmma_store",
)  # fmt: skip


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


def live_registers(
    bodies: Sequence[Sequence[Instruction]], successors: Sequence[tuple[int, ...]]
) -> list[tuple[frozenset[str], frozenset[str]]]:
    """The registers live on entry to and on exit from each body, by backward data flow to a fixed point."""
    numbers: dict[str, int] = {}

    def mask(names: set[str]) -> int:
        total = 0
        for name in names:
            total |= 1 << numbers.setdefault(name, len(numbers))
        return total

    used: list[int] = []
    killed: list[int] = []
    for body in bodies:
        reads = writes = 0
        for ins in body:
            reads |= mask(registers_read(ins)) & ~writes
            writes |= mask(registers_written(ins))
        used.append(reads)
        killed.append(writes)
    live_in = used[:]
    live_out = [0] * len(bodies)
    changed = True
    while changed:
        changed = False
        for i in range(len(bodies) - 1, -1, -1):
            out = 0
            for successor in successors[i]:
                out |= live_in[successor]
            new = used[i] | (out & ~killed[i])
            changed |= new != live_in[i]
            live_in[i], live_out[i] = new, out
    names = list(numbers)
    return [
        (frozenset(_names_of(i, names)), frozenset(_names_of(o, names))) for i, o in zip(live_in, live_out, strict=True)
    ]


def _names_of(mask: int, names: list[str]) -> list[str]:
    found = []
    while mask:
        low = mask & -mask
        found.append(names[low.bit_length() - 1])
        mask ^= low
    return found
