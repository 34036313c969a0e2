"""What rows of the opcode tables share: reading operands, modifiers and roundings of an instruction."""

from __future__ import annotations

from collections.abc import Callable

from cudaperf_magic.bench.simulator.operands import Scope
from cudaperf_magic.bench.simulator.ptx import Instruction

Row = Callable[[Instruction, Scope], str]
ROUNDING = {"rn": 0, "rna": 0, "rz": 1, "rm": 2, "rp": 3}  # as arith.h numbers them


def values(ins: Instruction, scope: Scope, kind: str, start: int = 1) -> list[str]:
    return [scope.value(operand, kind, ins.line) for operand in ins.operands[start:]]


def mode(ins: Instruction) -> int:
    return next((ROUNDING[part] for part in ins.opcode if part in ROUNDING), 0)


def has(ins: Instruction, part: str) -> bool:
    return part in ins.opcode[1:]
