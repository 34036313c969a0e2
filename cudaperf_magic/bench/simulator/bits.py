"""Rows of opcodes on bits: funnel shifts, permutes, fields, counts, masks, three-input logic."""

from __future__ import annotations

from cudaperf_magic.bench.simulator.operands import Scope, bits, types_of
from cudaperf_magic.bench.simulator.ptx import Instruction, Pair
from cudaperf_magic.bench.simulator.rows import Row, has, values

PERMUTES = ("", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16")  # as arith.h numbers them


def funnel(ins: Instruction, scope: Scope) -> str:
    a, b, n = values(ins, scope, "u32")
    n = f"({n} & 31)" if has(ins, "wrap") else n
    return scope.assign(ins.operands[0], "u32", f"shf_{'l' if has(ins, 'l') else 'r'}({a}, {b}, {n})")


def by_width(template: str) -> Row:
    """A bit-counting row: operand of the instruction's type, {0} its value and {w} its width, 32-bit result."""

    def row(ins: Instruction, scope: Scope) -> str:
        width = bits(types_of(ins)[-1])
        a = scope.value(ins.operands[1], f"u{width}", ins.line)
        return scope.assign(ins.operands[0], "u32", template.format(a, w=width))

    return row


def brev(ins: Instruction, scope: Scope) -> str:
    kind = f"u{bits(types_of(ins)[-1])}"
    return scope.assign(ins.operands[0], kind, f"brev{kind[1:]}({scope.value(ins.operands[1], kind, ins.line)})")


def bfind(ins: Instruction, scope: Scope) -> str:
    kind = types_of(ins)[-1]
    a = scope.value(ins.operands[1], f"u{bits(kind)}", ins.line)
    shift = int(has(ins, "shiftamt"))
    return scope.assign(ins.operands[0], "u32", f"bfind({a}, {bits(kind)}, {int(kind[0] == 's')}, {shift})")


def bfe(ins: Instruction, scope: Scope) -> str:
    kind = types_of(ins)[-1]
    width = bits(kind)
    a = scope.value(ins.operands[1], f"u{width}", ins.line)
    b, c = values(ins, scope, "u32", 2)
    return scope.assign(ins.operands[0], f"u{width}", f"(u{width})bfe({a}, {b}, {c}, {width}, {int(kind[0] == 's')})")


def bfi(ins: Instruction, scope: Scope) -> str:
    width = bits(types_of(ins)[-1])
    a, b = (scope.value(operand, f"u{width}", ins.line) for operand in ins.operands[1:3])
    c, d = values(ins, scope, "u32", 3)
    return scope.assign(ins.operands[0], f"u{width}", f"(u{width})bfi({a}, {b}, {c}, {d}, {width})")


def prmt(ins: Instruction, scope: Scope) -> str:
    """Without a mode the selector picks each byte; with one, its two low bits say by how much."""
    way = PERMUTES.index(next((part for part in ins.opcode if part in PERMUTES), ""))
    a, b, c = values(ins, scope, "u32")
    text = f"prmt({a}, {b}, {f'prmt_selector({way}, {c})' if way else c})"
    return scope.assign(ins.operands[0], "u32", text)


def fns(ins: Instruction, scope: Scope) -> str:
    a, base, offset = values(ins, scope, "u32")
    return scope.assign(ins.operands[0], "u32", f"fns({a}, {base}, {offset})")


def bmsk(ins: Instruction, scope: Scope) -> str:
    a, b = values(ins, scope, "u32")
    return scope.assign(ins.operands[0], "u32", f"bmsk({a}, {b}, {int(has(ins, 'clamp'))})")


def szext(ins: Instruction, scope: Scope) -> str:
    a, n = values(ins, scope, "u32")
    is_signed = int(types_of(ins)[-1][0] == "s")
    return scope.assign(ins.operands[0], "u32", f"szext({a}, {n}, {int(has(ins, 'clamp'))}, {is_signed})")


def lop3(ins: Instruction, scope: Scope) -> str:
    a, b, c, lut = (scope.value(operand, "u32", ins.line) for operand in ins.operands[1:5])
    text = f"lop3({a}, {b}, {c}, {lut})"
    target = ins.operands[0]
    if isinstance(target, Pair):
        p = scope.value(ins.operands[5], "pred", ins.line)
        symbol = "&&" if has(ins, "and") else "||"
        second = scope.assign(target.second, "pred", f"((v_ != 0) {symbol} {p})")
        return f"{{ u32 v_ = {text}; {scope.assign(target.first, 'u32', 'v_')} {second} }}"
    return scope.assign(target, "u32", text)
