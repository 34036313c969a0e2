"""The cvt instruction: every pair of types and every rounding. A table in the shape of code."""

from __future__ import annotations

from cudaperf_magic.bench.simulator.operands import C_TYPE, Scope, bits, is_float, types_of
from cudaperf_magic.bench.simulator.ptx import Instruction
from cudaperf_magic.errors import Unsupported

TO_WHOLE = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
MODES = {"rn": 0, "rna": 0, "rz": 1, "rm": 2, "rp": 3}


def convert(ins: Instruction, scope: Scope) -> str:
    kinds = types_of(ins)
    if ins.opcode[1] == "pack":
        return _pack(ins, scope)
    if len(kinds) != 2 or "e4m3x2" in ins.opcode or "e5m2x2" in ins.opcode:
        raise Unsupported(ins.text, ins.line)
    target, source = kinds
    if target in ("f16x2", "bf16x2"):
        return _two_halves(ins, scope, target[:-2])
    a = scope.value(ins.operands[1], source, ins.line)
    if is_float(source):
        text = _from_float(ins, target, source, a)
    elif is_float(target):
        text = _int_to_float(ins, target, source, a)
    else:
        text = _int_to_int(ins, target, source, a)
    if is_float(target) and "sat" in ins.opcode and target in ("f32", "f64"):
        text = f"sat_{target}({text})"
    if not is_float(target) and bits(target) < 32:
        # The register is wider than the type: a signed result fills it with its sign.
        return scope.assign(ins.operands[0], "s32" if target[0] == "s" else "u32", f"({C_TYPE[target]})({text})")
    return scope.assign(ins.operands[0], target, text)


def _mode(ins: Instruction) -> int:
    return next((MODES[part] for part in ins.opcode if part in MODES), 0)


def _two_halves(ins: Instruction, scope: Scope, small: str) -> str:
    """cvt.rn.f16x2.f32 d, a, b: a is the upper half."""
    a, b = (scope.value(operand, "f32", ins.line) for operand in ins.operands[1:3])
    if "relu" in ins.opcode:
        a, b = f"max_f32({a}, 0.0f)", f"max_f32({b}, 0.0f)"
    return scope.assign(
        ins.operands[0], "u32", f"pack16({small}_f64({b}, {_mode(ins)}), {small}_f64({a}, {_mode(ins)}))"
    )


def _widen(source: str, a: str) -> str:
    return f"f32_{source}({a})" if source in ("f16", "bf16") else a


def _from_float(ins: Instruction, target: str, source: str, a: str) -> str:
    a = _widen(source, a)
    if "ftz" in ins.opcode and source == "f32":
        a = f"ftz({a})"
    whole = next((TO_WHOLE[part] for part in ins.opcode if part in TO_WHOLE), "")
    if whole and is_float(target):
        a = f"__builtin_{whole}{'f' if source == 'f32' else ''}({a})"
    if target == "tf32":
        half = "0x1000u" if "rna" in ins.opcode else f"0xfffu + (bits_f32({a}) >> 13 & 1)"
        return f"((bits_f32({a}) + {half}) & 0xffffe000u)"
    if target in ("f16", "bf16"):
        inner = f"max_f64((f64){a}, 0.0)" if "relu" in ins.opcode else f"(f64){a}"
        inner = f"sat_f64({inner})" if "sat" in ins.opcode else inner
        return f"{target}_f64({inner}, {_mode(ins)})"
    if target == "f32" and source == "f64":
        return f"f32_directed({a}, 0, {_mode(ins)})" if _mode(ins) else f"(f32){a}"
    if is_float(target):
        return f"({target})({a})"
    return f"{C_TYPE[target]}_real(__builtin_{whole or 'trunc'}((f64){a}))"


def _int_to_float(ins: Instruction, target: str, source: str, a: str) -> str:
    if target in ("f16", "bf16"):
        return f"{target}_f64((f64){a}, {_mode(ins)})"
    return f"{target}_int({a}, {_mode(ins)})" if _mode(ins) else f"({target}){a}"


def _int_to_int(ins: Instruction, target: str, source: str, a: str) -> str:
    if "sat" not in ins.opcode:
        return f"({C_TYPE[target]}){a}"
    width = bits(target)
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if target[0] == "s" else (0, (1 << width) - 1)
    c_type, bound = C_TYPE[target], "(__int128){}ll" if target[0] == "s" else "(__int128){}ull"
    below = bound.format(low) if low > -(2**63) else "-((__int128)1 << 63)"
    above = bound.format(high)
    return (
        f"((__int128){a} < {below} ? ({c_type}){below} : (__int128){a} > {above} ? ({c_type}){above} : ({c_type}){a})"
    )


def _pack(ins: Instruction, scope: Scope) -> str:
    """cvt.pack.sat.u8.s32.b32 d, a, b, c: two saturated bytes in front of the shifted c."""
    kinds = types_of(ins)
    part = kinds[0]
    width = bits(part)
    a, b = (
        f"({C_TYPE[part]}){part}_real((f64){scope.value(operand, 's32', ins.line)})" for operand in ins.operands[1:3]
    )
    text = f"((u32)(u{width}){a} << {width} | (u32)(u{width}){b})"
    if len(ins.operands) == 4:
        text = f"({text} | {scope.value(ins.operands[3], 'u32', ins.line)} << {2 * width})"
    return scope.assign(ins.operands[0], "u32", text)
