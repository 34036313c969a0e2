"""The cvt instruction: every pair of types and every rounding. A table in the shape of code."""

from __future__ import annotations

from cudaperf_magic.bench.simulator.operands import C_TYPE, Scope, bits, is_float, types_of
from cudaperf_magic.bench.simulator.ptx import Instruction
from cudaperf_magic.bench.simulator.rows import has, mode
from cudaperf_magic.errors import Unsupported

TO_WHOLE = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
# Pairs of 8, 6 and 4 bits, as rounding.c numbers their formats.
FORMATS = ("e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "e2m1x2", "ue8m0x2")
SMALL_PAIRS = ("f16x2", "bf16x2")
PACKED = {"u16": 16, "s16": 16, "u8": 8, "s8": 8, "u4": 4, "s4": 4, "u2": 2, "s2": 2}


def convert(ins: Instruction, scope: Scope) -> str:
    kinds = types_of(ins)
    if ins.opcode[1] == "pack":
        return _pack(ins, scope)
    if any(part in FORMATS for part in ins.opcode):
        return _pair_of_formats(ins, scope, kinds)
    if len(kinds) != 2:
        raise Unsupported(ins.text, ins.line)
    target, source = kinds
    if target in SMALL_PAIRS:
        return _two_halves(ins, scope, target[:-2])
    a = scope.value(ins.operands[1], source, ins.line)
    if (target, source) == ("f64", "f32"):  # the bits of a NaN go on
        a = f"f32_bits({scope.value(ins.operands[1], 'b32', ins.line)})"
    if is_float(source):
        text = _from_float(ins, target, source, a)
    elif is_float(target):
        text = _int_to_float(ins, target, source, a)
    else:
        text = _int_to_int(ins, target, source, a)
    if target in ("f32", "f64"):
        text = f"ftz_f32({text})" if has(ins, "ftz") and target == "f32" else text
        text = f"sat_{target}({text})" if has(ins, "sat") else text
    if not is_float(target) and bits(target) < 32:
        # The register is wider than the type: a signed result fills it with its sign.
        return scope.assign(ins.operands[0], "s32" if target[0] == "s" else "u32", f"({C_TYPE[target]})({text})")
    return scope.assign(ins.operands[0], target, text)


def _pair_of_formats(ins: Instruction, scope: Scope, kinds: list[str]) -> str:
    """Between pairs of 8, 6 or 4 bits and float, half or bfloat16; the first operand is the upper of the pair."""
    number, name = next((FORMATS.index(part), part) for part in ins.opcode if part in FORMATS)
    nibbles = name == "e2m1x2"
    if kinds[0] in SMALL_PAIRS and ins.opcode[-1] == name:
        return _from_formats(ins, scope, number, kinds[0][:-2], 4 if nibbles else 8)
    if len(ins.operands) == 3:
        high, low = (f"(f64){scope.value(operand, kinds[-1], ins.line)}" for operand in ins.operands[1:])
    else:
        small = kinds[-1][:-2]
        pair = scope.value(ins.operands[1], "u32", ins.line)
        high, low = f"(f64)f32_{small}((u16)({pair} >> 16))", f"(f64)f32_{small}((u16){pair})"
    parts = [f"relu_f64({v})" if has(ins, "relu") else v for v in (low, high)]
    codes = [f"rt_encode({v}, {number}, {mode(ins)}, {int(has(ins, 'satfinite'))})" for v in parts]
    kind = "u8" if nibbles else "u16"
    return scope.assign(ins.operands[0], kind, f"({kind})({codes[0]} | {codes[1]} << {4 if nibbles else 8})")


def _from_formats(ins: Instruction, scope: Scope, number: int, small: str, width: int) -> str:
    a = scope.value(ins.operands[1], "u8" if width == 4 else "u16", ins.line)
    lanes = [f"rt_decode({a} >> {shift} & {(1 << width) - 1}, {number})" for shift in (0, width)]
    parts = [f"{small}_f64({f'relu_f64({v})' if has(ins, 'relu') else v}, 0)" for v in lanes]
    return scope.assign(ins.operands[0], "u32", f"pack16({parts[0]}, {parts[1]})")


def _two_halves(ins: Instruction, scope: Scope, small: str) -> str:
    """cvt.rn.f16x2.f32 d, a, b: a is the upper half."""
    parts = [_to_small(ins, small, scope.value(operand, "f32", ins.line)) for operand in ins.operands[1:3]]
    return scope.assign(ins.operands[0], "u32", f"pack16({parts[1]}, {parts[0]})")


def _to_small(ins: Instruction, small: str, a: str) -> str:
    text = f"(f64){a}"
    text = f"relu_f64({text})" if has(ins, "relu") else text
    text = f"sat_f64({text})" if has(ins, "sat") else text
    text = f"{small}_f64({text}, {mode(ins)})"
    return f"finite_{small}({text})" if has(ins, "satfinite") else text


def _from_float(ins: Instruction, target: str, source: str, a: str) -> str:
    a = f"f32_{source}({a})" if source in ("f16", "bf16") else a
    if has(ins, "ftz") and source == "f32":
        a = f"ftz_f32({a})"
    whole = next((TO_WHOLE[part] for part in ins.opcode if part in TO_WHOLE), "")
    if whole and is_float(target):
        a = f"__builtin_{whole}{'f' if source != 'f64' else ''}({a})"
    if target == "tf32":
        a = f"relu_f32({a})" if has(ins, "relu") else a
        return (
            f"tf32_f32({a}, {('rn', 'rz', 'rna').index(_word(ins, ('rn', 'rz', 'rna')))}, {int(has(ins, 'satfinite'))})"
        )
    if target in ("f16", "bf16"):
        return _to_small(ins, target, a)
    if target == "f32" and source == "f64":
        return f"f32_directed({a}, 0, {mode(ins)})" if mode(ins) else f"(f32){a}"
    if is_float(target):
        return f"({target})({a})"
    # NaN gives zero, but the least number where the source is double or the target 64 bits wide.
    nan = f"(({C_TYPE[target]})1 << {bits(target) - 1})" if source == "f64" or bits(target) == 64 else "0"
    return f"{C_TYPE[target]}_real(__builtin_{whole or 'trunc'}((f64){a}), {nan})"


def _word(ins: Instruction, words: tuple[str, ...]) -> str:
    return next((part for part in ins.opcode if part in words), words[0])


def _int_to_float(ins: Instruction, target: str, source: str, a: str) -> str:
    if target in ("f16", "bf16"):
        wide = f"odd_f64({a})" if bits(source) == 64 else f"(f64){a}"
        return _to_small(ins, target, wide)
    return f"{target}_int({a}, {mode(ins)})" if mode(ins) else f"({target}){a}"


def _int_to_int(ins: Instruction, target: str, source: str, a: str) -> str:
    if not has(ins, "sat"):
        return f"({C_TYPE[target]}){a}"
    width = bits(target)
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if target[0] == "s" else (0, (1 << width) - 1)
    # The least s64 has no literal in C.
    least = f"(-{-low - 1}ll - 1)" if low else "0"
    return f"({C_TYPE[target]})clamped({a}, {least}, {high}{'ull' if target[0] == 'u' else 'll'})"


def _pack(ins: Instruction, scope: Scope) -> str:
    """cvt.pack.sat.u8.s32.b32 d, a, b, c: two saturated numbers in front of the shifted c."""
    part = next(part for part in ins.opcode if part in PACKED)
    width = PACKED[part]
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if part[0] == "s" else (0, (1 << width) - 1)
    a, b = (
        f"((u32)clamped({scope.value(operand, 's32', ins.line)}, {low}, {high}) & {(1 << width) - 1})"
        for operand in ins.operands[1:3]
    )
    text = f"({a} << {width} | {b})"
    if len(ins.operands) == 4:
        text = f"({text} | {scope.value(ins.operands[3], 'u32', ins.line)} << {2 * width})"
    return scope.assign(ins.operands[0], "u32", text)
