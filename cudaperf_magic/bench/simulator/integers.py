"""Rows of integer and logic opcodes; those with a floating-point form hand it on to floats.py, bits are in bits.py."""

from __future__ import annotations

from cudaperf_magic.bench.simulator.floats import FLOAT_BINARY, fma
from cudaperf_magic.bench.simulator.floats import abs_neg as float_abs_neg
from cudaperf_magic.bench.simulator.operands import C_TYPE, Scope, bits, is_float, types_of
from cudaperf_magic.bench.simulator.ptx import Instruction
from cudaperf_magic.bench.simulator.rows import has, values


def add(ins: Instruction, scope: Scope) -> str:
    kind = types_of(ins)[-1]
    if is_float(kind):
        return FLOAT_BINARY[ins.opcode[0]](ins, scope)
    symbol = "+" if ins.opcode[0] == "add" else "-"
    if kind.endswith("16x2"):
        return _add_halfwords(ins, scope, kind, symbol)
    if has(ins, "sat"):
        a, b = values(ins, scope, "s32")
        return scope.assign(ins.operands[0], kind, f"s32_clamped((s64){a} {symbol} (s64){b})")
    unsigned = f"u{bits(kind)}"
    a, b = values(ins, scope, unsigned)
    if has(ins, "cc"):
        return _with_carry(ins, scope, unsigned, a, b, symbol, use="")
    return scope.assign(ins.operands[0], unsigned, f"({a} {symbol} {b})")


def _add_halfwords(ins: Instruction, scope: Scope, kind: str, symbol: str) -> str:
    a, b = values(ins, scope, kind)
    part = f"{kind[0]}16"
    lanes = [f"(s32)({part})({a} >> {s}) {symbol} (s32)({part})({b} >> {s})" for s in (0, 16)]
    if has(ins, "sat"):
        lanes = [f"{part}_clamped({lane})" for lane in lanes]
    return scope.assign(ins.operands[0], kind, f"pack16((u16)({lanes[0]}), (u16)({lanes[1]}))")


def _with_carry(ins: Instruction, scope: Scope, kind: str, a: str, b: str, symbol: str, use: str) -> str:
    """Extended precision. As in the hardware a - b is a + ~b + 1, so that after sub.cc no carry means a borrow.

    Code of NVRTC relies on it: its 128-bit division reads with addc what subc.cc has left. `use` is the carry that goes
    in, "" where there is none.
    """
    second, carry = (f"({kind})~{b}", use or "1") if symbol == "-" else (b, use or "0")
    total = f"u128 x_ = (u128){a} + (u128){second} + {carry};"
    keep = f"cc = (u8)(x_ >> {bits(kind)} & 1);" if has(ins, "cc") else ""
    return f"{{ {total} {scope.assign(ins.operands[0], kind, f'({kind})x_')} {keep} }}"


def addc(ins: Instruction, scope: Scope) -> str:
    kind = f"u{bits(types_of(ins)[-1])}"
    a, b = values(ins, scope, kind)
    return _with_carry(ins, scope, kind, a, b, "+" if ins.opcode[0] == "addc" else "-", use="cc")


def _product(ins: Instruction, scope: Scope, kind: str) -> tuple[str, str]:
    """The product part that mul or mad wants, and its type."""
    width, signed = bits(kind), kind.startswith("s")
    a, b = (scope.value(operand, kind, ins.line) for operand in ins.operands[1:3])
    if has(ins, "wide"):
        wide = f"{'s' if signed else 'u'}{2 * width}"
        return f"(({wide}){a} * ({wide}){b})", wide
    if has(ins, "hi"):
        double = {16: "s32" if signed else "u32", 32: "s64" if signed else "u64", 64: "__int128" if signed else "u128"}[
            width
        ]
        return f"(u{width})((({double}){a} * ({double}){b}) >> {width})", f"u{width}"
    unsigned = f"u{width}"
    return f"({unsigned})(({'u32' if width == 16 else unsigned}){a} * ({unsigned}){b})", unsigned


def mul(ins: Instruction, scope: Scope) -> str:
    kind = types_of(ins)[-1]
    if is_float(kind):
        return FLOAT_BINARY["mul"](ins, scope)
    text, result = _product(ins, scope, kind)
    return scope.assign(ins.operands[0], result, text)


def mad(ins: Instruction, scope: Scope) -> str:
    kind = types_of(ins)[-1]
    if is_float(kind):
        return fma(ins, scope)
    text, result = _product(ins, scope, kind)
    unsigned = f"u{bits(result)}"
    c = scope.value(ins.operands[3], unsigned, ins.line)
    if has(ins, "cc") or ins.opcode[0] == "madc":
        use = "cc" if ins.opcode[0] == "madc" else ""
        return _with_carry(ins, scope, unsigned, f"({unsigned}){text}", c, "+", use)
    if has(ins, "sat"):
        return scope.assign(ins.operands[0], "s32", f"s32_clamped((s64)(s32){text} + (s64)(s32){c})")
    return scope.assign(ins.operands[0], unsigned, f"(({unsigned}){text} + {c})")


def mul24(ins: Instruction, scope: Scope) -> str:
    kind = types_of(ins)[-1]
    part = "((s64)((s32)({0} << 8) >> 8))" if kind == "s32" else "((u64)({0} & 0xffffffu))"
    a, b = (part.format(scope.value(operand, kind, ins.line)) for operand in ins.operands[1:3])
    text = f"(u32)({a} * {b}{' >> 16' if has(ins, 'hi') else ''})"
    if ins.opcode[0] == "mad24":
        c = scope.value(ins.operands[3], "u32", ins.line)
        text = f"s32_clamped((s64)(s32){text} + (s64)(s32){c})" if has(ins, "sat") else f"({text} + {c})"
    return scope.assign(ins.operands[0], "u32", text)


def div(ins: Instruction, scope: Scope) -> str:
    kind = types_of(ins)[-1]
    if is_float(kind):
        return FLOAT_BINARY["div"](ins, scope)
    a, b = values(ins, scope, kind)
    return scope.assign(ins.operands[0], kind, f"{ins.opcode[0]}_{C_TYPE[kind]}({a}, {b})")


def abs_neg(ins: Instruction, scope: Scope) -> str:
    kind, name = types_of(ins)[-1], ins.opcode[0]
    if is_float(kind):
        return float_abs_neg(ins, scope)
    (a,) = values(ins, scope, kind)
    unsigned = f"u{bits(kind)}"
    text = f"({unsigned})(0 - ({unsigned}){a})"
    return scope.assign(ins.operands[0], unsigned, f"({a} < 0 ? {text} : ({unsigned}){a})" if name == "abs" else text)


def logic(ins: Instruction, scope: Scope) -> str:
    kind, name = types_of(ins)[-1], ins.opcode[0]
    parts = values(ins, scope, kind)
    if name == "not":
        return scope.assign(
            ins.operands[0], kind, f"(!{parts[0]})" if kind == "pred" else f"({C_TYPE[kind]})(~{parts[0]})"
        )
    if name == "cnot":
        return scope.assign(ins.operands[0], kind, f"({parts[0]} == 0)")
    symbol = {"and": "&", "or": "|", "xor": "^"}[name]
    return scope.assign(ins.operands[0], kind, f"({parts[0]} {symbol} {parts[1]})")


def shift(ins: Instruction, scope: Scope) -> str:
    """Amounts beyond the width shift everything out, where C leaves it undefined."""
    kind = types_of(ins)[-1]
    width, a = bits(kind), scope.value(ins.operands[1], kind, ins.line)
    n = scope.value(ins.operands[2], "u32", ins.line)
    if ins.opcode[0] == "shl":
        return scope.assign(ins.operands[0], kind, f"({n} >= {width} ? 0 : ({C_TYPE[kind]})((u{width}){a} << {n}))")
    if kind.startswith("s"):
        return scope.assign(ins.operands[0], kind, f"({C_TYPE[kind]})({a} >> ({n} >= {width} ? {width - 1} : {n}))")
    return scope.assign(ins.operands[0], kind, f"({n} >= {width} ? 0 : ({C_TYPE[kind]})((u{width}){a} >> {n}))")


def dot(ins: Instruction, scope: Scope) -> str:
    kinds = types_of(ins)
    a, b, c = values(ins, scope, "u32")
    high = f", {int(has(ins, 'hi'))}" if ins.opcode[0] == "dp2a" else ""
    text = f"{ins.opcode[0]}({a}, {b}, {c}, {int(kinds[0][0] == 's')}, {int(kinds[1][0] == 's')}{high})"
    return scope.assign(ins.operands[0], "u32", text)


def sad(ins: Instruction, scope: Scope) -> str:
    kind = types_of(ins)[-1]
    a, b, c = values(ins, scope, kind)
    return scope.assign(ins.operands[0], kind, f"(({a} > {b} ? {a} - {b} : {b} - {a}) + {c})")
