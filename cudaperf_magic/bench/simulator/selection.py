"""Rows of comparison, selection and move opcodes."""

from __future__ import annotations

from collections.abc import Sequence

from cudaperf_magic.bench.simulator.operands import C_TYPE, Scope, bits, is_float, types_of
from cudaperf_magic.bench.simulator.ptx import Instruction, Operand, Pair, Reg, Vector
from cudaperf_magic.bench.simulator.rows import has, values

COMPARE = {
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">", "hs": ">=",
}  # fmt: skip
UNORDERED = {"equ": "==", "neu": "!=", "ltu": "<", "leu": "<=", "gtu": ">", "geu": ">="}


def _comparison(ins: Instruction, scope: Scope, kind: str, a: Operand, b: Operand) -> str:
    return _related(ins, kind, scope.value(a, kind, ins.line), scope.value(b, kind, ins.line))


def _related(ins: Instruction, kind: str, x: str, y: str) -> str:
    """The relation that the opcode names, between two values of type `kind`."""
    relation = next(p for p in ins.opcode[1:] if p in COMPARE or p in UNORDERED or p in ("num", "nan"))
    if has(ins, "ftz") and kind in ("f32", "f16"):
        x, y = f"ftz_{kind}({x})", f"ftz_{kind}({y})"
    if kind in ("f16", "bf16"):
        x, y = f"f32_{kind}({x})", f"f32_{kind}({y})"
    return compare(relation, x, y, is_float(kind))


def _related_halves(ins: Instruction, scope: Scope, kind: str) -> list[str]:
    a, b = values(ins, scope, "u32")[:2]
    return [_related(ins, kind[:-2], f"(u16)({a} >> {s})", f"(u16)({b} >> {s})") for s in (0, 16)]


def compare(relation: str, x: str, y: str, floats: bool) -> str:
    if relation == "nan":
        return f"({x} != {x} || {y} != {y})"
    if relation == "num":
        return f"({x} == {x} && {y} == {y})"
    if relation in UNORDERED:
        return f"({x} {UNORDERED[relation]} {y} || {x} != {x} || {y} != {y})"
    if relation == "ne" and floats:
        return f"({x} < {y} || {x} > {y})"
    return f"({x} {COMPARE[relation]} {y})"


def _combine(ins: Instruction, scope: Scope, text: str) -> str:
    """`.and`, `.or`, `.xor` with a third predicate."""
    for word, symbol in (("and", "&&"), ("or", "||"), ("xor", "^")):
        if word in ins.opcode[1:]:
            return f"(({text}) {symbol} {scope.value(ins.operands[3], 'pred', ins.line)})"
    return text


def setp(ins: Instruction, scope: Scope) -> str:
    kind = types_of(ins)[-1]
    target = ins.operands[0]
    if kind in ("f16x2", "bf16x2"):
        return _setp_halves(ins, scope, kind)
    text = _comparison(ins, scope, kind, ins.operands[1], ins.operands[2])
    if isinstance(target, Pair):
        first = scope.assign(target.first, "pred", _combine(ins, scope, "c_"))
        second = scope.assign(target.second, "pred", _combine(ins, scope, "!c_"))
        return f"{{ u8 c_ = {text}; {first} {second} }}"
    return scope.assign(target, "pred", _combine(ins, scope, text))


def _setp_halves(ins: Instruction, scope: Scope, kind: str) -> str:
    low, high = (_combine(ins, scope, text) for text in _related_halves(ins, scope, kind))
    target = ins.operands[0]
    first, second = (target.first, target.second) if isinstance(target, Pair) else (target, Reg("_"))
    return f"{{ u8 l_ = {low}, h_ = {high}; {scope.assign(first, 'pred', 'l_')} {scope.assign(second, 'pred', 'h_')} }}"


def set(ins: Instruction, scope: Scope) -> str:
    result, kind = types_of(ins)[-2:]
    one = {"f32": "1.0f", "f16": "(u16)0x3c00", "bf16": "(u16)0x3f80"}
    if kind.endswith("x2"):
        yes = one[kind[:-2]] if result == kind else "(u16)0xffff"
        low, high = (f"{_combine(ins, scope, text)} ? {yes} : (u16)0" for text in _related_halves(ins, scope, kind))
        return scope.assign(ins.operands[0], "u32", f"pack16({low}, {high})")
    text = _combine(ins, scope, _comparison(ins, scope, kind, ins.operands[1], ins.operands[2]))
    return scope.assign(ins.operands[0], result, f"({text} ? {one.get(result, f'({C_TYPE[result]})-1')} : 0)")


def _copy(ins: Instruction, scope: Scope, kind: str, sources: Sequence[Operand]) -> tuple[list[str], str]:
    """The values that a move hands on, and their type: with a NaN's bits as they are only while nobody sees them."""
    target = ins.operands[0]
    if isinstance(target, Reg) and target.name in scope.computed:
        return [scope.copied(operand, kind, ins.line) for operand in sources], kind
    kind = "b32" if kind == "f32" else kind
    return [scope.value(operand, kind, ins.line) for operand in sources], kind


def selp(ins: Instruction, scope: Scope) -> str:
    (a, b), kind = _copy(ins, scope, types_of(ins)[-1], ins.operands[1:3])
    return scope.assign(ins.operands[0], kind, f"({scope.value(ins.operands[3], 'pred', ins.line)} ? {a} : {b})")


def slct(ins: Instruction, scope: Scope) -> str:
    kind, by = types_of(ins)[-2:]
    a, b = (scope.value(operand, kind, ins.line) for operand in ins.operands[1:3])
    c = scope.value(ins.operands[3], by, ins.line)
    c = f"ftz_f32({c})" if has(ins, "ftz") else c
    return scope.assign(ins.operands[0], kind, f"({c} >= 0 ? {a} : {b})")


def testp(ins: Instruction, scope: Scope) -> str:
    (a,) = values(ins, scope, types_of(ins)[-1])
    tests = {
        "finite": f"__builtin_isfinite({a})", "infinite": f"__builtin_isinf({a}) != 0", "number": f"{a} == {a}",
        "notanumber": f"{a} != {a}", "normal": f"__builtin_isnormal({a})",
        "subnormal": f"(__builtin_isfinite({a}) && !__builtin_isnormal({a}) && {a} != 0)",
    }  # fmt: skip
    return scope.assign(ins.operands[0], "pred", f"({tests[ins.opcode[1]]})")


def copysign(ins: Instruction, scope: Scope) -> str:
    kind = types_of(ins)[-1]
    a, b = values(ins, scope, kind)
    return scope.assign(ins.operands[0], kind, f"copysign_{kind}({a}, {b})")


def mov(ins: Instruction, scope: Scope) -> str:
    """Plain moves, and packing into or unpacking from a vector of parts."""
    kind = types_of(ins)[-1]
    target, source = ins.operands[0], ins.operands[1]
    whole = f"b{bits(kind)}"
    if isinstance(source, Vector):
        part = bits(kind) // len(source.items)
        terms = [
            f"(({C_TYPE[whole]}){scope.value(item, f'u{part}', ins.line)} << {part * i})"
            for i, item in enumerate(source.items)
        ]
        return scope.assign(target, whole, " | ".join(terms).join("()"))
    if isinstance(target, Vector):
        part = bits(kind) // len(target.items)
        value = scope.value(source, whole, ins.line)
        parts = [scope.assign(item, f"u{part}", f"(u{part})(v_ >> {part * i})") for i, item in enumerate(target.items)]
        return f"{{ {C_TYPE[whole]} v_ = {value}; {' '.join(parts)} }}"
    (value,), kind = _copy(ins, scope, kind, [source])
    return scope.assign(target, kind, value)
