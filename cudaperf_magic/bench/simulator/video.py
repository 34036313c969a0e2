"""Rows of the video opcodes: one wide result with saturation and a second operation, or lanes of bytes and halfwords.

Operands are whole registers; forms that select, mask or negate parts of one are refused.
"""

from __future__ import annotations

from cudaperf_magic.bench.simulator.operands import Scope, types_of
from cudaperf_magic.bench.simulator.ptx import Instruction, Reg
from cudaperf_magic.bench.simulator.rows import has
from cudaperf_magic.bench.simulator.selection import COMPARE, compare
from cudaperf_magic.errors import Unsupported

WIDE = {
    "vadd": "a_ + b_", "vsub": "a_ - b_", "vabsdiff": "(a_ > b_ ? a_ - b_ : b_ - a_)", "vmin": "(a_ < b_ ? a_ : b_)",
    "vmax": "(a_ > b_ ? a_ : b_)",
    "vavrg": "(a_ + b_ + (a_ + b_ >= 0) >> 1)", "vshl": "(s64)((u64)a_ << b_)", "vshr": "(a_ >> b_)",
}  # fmt: skip
SECOND = {"add": "(v_ + c_)", "min": "(v_ < c_ ? v_ : c_)", "max": "(v_ > c_ ? v_ : c_)"}
SCALAR = ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vmad", "vset")
PACKED = tuple(f"{name}{n}" for name in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset") for n in (2, 4))


def _whole(ins: Instruction, scope: Scope, kinds: list[str]) -> str:
    """Declares a_, b_ and c_, the operands as 64-bit numbers."""
    text = ""
    for name, operand, kind in zip("abc", ins.operands[1:], kinds, strict=False):
        if isinstance(operand, Reg) and operand.name not in scope.kinds and "." in operand.name:
            raise Unsupported(f"{ins.text} of a part of a register", ins.line)
        text += f"s64 {name}_ = (s64){scope.value(operand, kind, ins.line)}; "
    return text


def _types(ins: Instruction) -> tuple[str, str, str]:
    """Of the result and of both operands; vset leaves out the first."""
    kinds = types_of(ins)
    result, a, b = ("u32", *kinds) if len(kinds) == 2 else kinds
    return result, a, b


def _comparison(ins: Instruction, a: str, b: str) -> str:
    return compare(next(part for part in ins.opcode if part in COMPARE), a, b, False)


def scalar(ins: Instruction, scope: Scope) -> str:
    name = ins.opcode[0]
    result, a, b = _types(ins)
    if isinstance(ins.operands[0], Reg) and ins.operands[0].name not in scope.kinds:
        raise Unsupported(f"{ins.text} into a part of a register", ins.line)
    text = _whole(ins, scope, [a, b, result])
    if name in ("vshl", "vshr"):
        text += "b_ &= 31; " if has(ins, "wrap") else "if ((u64)b_ > 32) b_ = 32; "
    if name == "vmad":
        scale = next((part[3:] for part in ins.opcode if part.startswith("shr")), "0")
        text += f"s64 v_ = (s64)(((__int128)a_ * b_ + c_ + {int(has(ins, 'po'))}) >> {scale}); "
    else:
        text += f"s64 v_ = {_comparison(ins, 'a_', 'b_') if name == 'vset' else WIDE[name]}; "
    if has(ins, "sat"):
        text += f"v_ = {result}_clamped(v_); "
    second = next((SECOND[part] for part in ins.opcode if part in SECOND), "v_")
    cut = "(s64)(s32)" if result == "s32" else "(s64)(u32)"
    return f"{{ {text} v_ = {cut}v_; {scope.assign(ins.operands[0], 'u32', f'(u32){second}')} }}"


def packed(ins: Instruction, scope: Scope) -> str:
    name, lanes = ins.opcode[0][:-1], int(ins.opcode[0][-1])
    result, *sources = (kind[0] for kind in _types(ins))
    width = 32 // lanes
    if not isinstance(ins.operands[0], Reg) or ins.operands[0].name not in scope.kinds:
        raise Unsupported(f"{ins.text} into a part of a register", ins.line)
    operation = _comparison(ins, "a_", "b_") if name == "vset" else WIDE[name]
    lane = f"{result}{width}_clamped(v_)" if has(ins, "sat") else "v_"
    a, b = (f"(s64)({kind}{width})({n}w_ >> j_)" for kind, n in zip(sources, "ab", strict=True))
    each = f"s64 a_ = {a}, b_ = {b}, v_ = {operation}; v_ = {lane};"
    mask = (1 << width) - 1
    cut = f"({'s64' if result == 's' else 'u64'})({result}{width})v_"
    gather = f"r_ += (u32){cut};" if has(ins, "add") else f"r_ |= (u32)(v_ & {mask}) << j_;"
    words = _whole(ins, scope, ["u32", "u32", "u32"]).replace("_ =", "w_ =")
    start = "(u32)cw_" if has(ins, "add") else "0"
    loop = f"for (u32 j_ = 0; j_ < 32; j_ += {width}) {{ {each} {gather} }}"
    return f"{{ {words} u32 r_ = {start}; {loop} {scope.assign(ins.operands[0], 'u32', 'r_')} }}"
