"""Which registers hold results of float arithmetic: a NaN in them has the GPU's bits, whatever the processor's are.

A GPU answers 0x7fffffff where an x86 processor keeps a payload or sets the sign. Mending it after every instruction
would cost a comparison each; it is enough where bits are seen, in stores and as integers. A loaded NaN keeps its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from cudaperf_magic.bench.simulator.liveness import registers_written
from cudaperf_magic.bench.simulator.operands import is_float, types_of
from cudaperf_magic.bench.simulator.ptx import Instruction, Integer, Operand, Real, Reg

COMPUTES = ("add", "sub", "mul", "mad", "fma", "div", "rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh", "min",
            "max", "neg", "abs")  # fmt: skip
COPIES = {"mov": slice(1, 2), "selp": slice(1, 3)}  # and which operands they copy


def computed_registers(body: Iterable[Instruction]) -> frozenset[str]:
    """The registers that nothing but float arithmetic, and copies of its results, writes."""
    sources: dict[str, list[str]] = defaultdict(list)  # of a register: those it may be a copy of
    other: set[str] = set()
    for ins in body:
        for name in registers_written(ins):
            copied = _copied(ins)
            if _computes(ins):
                sources[name] += []
            elif copied is not None:
                sources[name] += copied
            else:
                other.add(name)
    found = set(sources) - other
    while True:
        kept = {name for name in found if all(source in found for source in sources[name])}
        if kept == found:
            return frozenset(found)
        found = kept


def _computes(ins: Instruction) -> bool:
    kinds = types_of(ins)
    if ins.opcode[0] == "cvt":
        # A double's NaN goes on into the float, as on an H200.
        return len(kinds) == 2 and kinds[0] == "f32" and is_float(kinds[1]) and kinds[1] != "f64"
    return ins.opcode[0] in COMPUTES and bool(kinds) and kinds[0] == "f32"


def _copied(ins: Instruction) -> list[str] | None:
    """The registers whose value a move of 32 bits may hand on; None when it is no such move."""
    if ins.opcode[0] not in COPIES or types_of(ins)[-1:] not in (["f32"], ["b32"]):
        return None
    if not isinstance(ins.operands[0], Reg):
        return None
    given: tuple[Operand, ...] = ins.operands[COPIES[ins.opcode[0]]]
    if not all(isinstance(operand, Reg) or _is_plain(operand) for operand in given):
        return None
    return [operand.name for operand in given if isinstance(operand, Reg)]


def _is_plain(operand: Operand) -> bool:
    """A constant that is no NaN, whether it is meant as a number or not."""
    bits = operand.bits if isinstance(operand, Real) else operand.value if isinstance(operand, Integer) else -1
    return bits & 0x7FFFFFFF <= 0x7F800000
