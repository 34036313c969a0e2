"""The table of arithmetic opcodes: integer, logic, floating point, comparison, selection, moves, conversion.

Memory, control and warp instructions stand elsewhere (memory_ops.py, warp_ops.py). An opcode without a row is refused
by name.
"""

from __future__ import annotations

from cudaperf_magic.bench.simulator import bits, floats, integers, selection, video
from cudaperf_magic.bench.simulator.conversion import FORMATS, convert
from cudaperf_magic.bench.simulator.operands import C_TYPE, Scope, is_float, types_of
from cudaperf_magic.bench.simulator.ptx import Instruction
from cudaperf_magic.bench.simulator.rows import Row
from cudaperf_magic.errors import Unsupported


def arithmetic(ins: Instruction, scope: Scope) -> str | None:
    """The C statements of an arithmetic instruction; None when the opcode is not in this table."""
    row = ROWS.get(ins.opcode[0])
    if row is None:
        return None
    if any(part not in KNOWN for part in ins.opcode[1:]):
        raise Unsupported(ins.text, ins.line)  # a modifier that nobody has heard of changes the result
    return row(ins, scope)


def flops(ins: Instruction) -> int:
    """Floating-point operations of one execution: a fused multiply-add counts two, a half2 operation twice."""
    if ins.opcode[0] not in (
        "add",
        "sub",
        "mul",
        "fma",
        "mad",
        "div",
        "sqrt",
        "rcp",
        "rsqrt",
        "ex2",
        "lg2",
        "sin",
        "cos",
        "tanh",
    ):
        return 0
    kinds = types_of(ins)
    if not kinds or not is_float(kinds[-1]):
        return 0
    return (2 if ins.opcode[0] in ("fma", "mad") else 1) * (2 if kinds[-1].endswith("x2") else 1)


MODIFIERS = """
    rn rz rm rp rna rni rzi rmi rpi ftz sat satfinite relu NaN xorsign abs approx full 2pi lo hi wide cc wrap clamp l r
    and or xor eq ne lt le gt ge ls hs equ neu ltu leu gtu geu num nan shiftamt po shr7 shr15 add min max pack
    f4e b4e rc8 ecl ecr rc16 finite infinite number notanumber normal subnormal u4 s4 u2 s2
"""
KNOWN = {*MODIFIERS.split(), *FORMATS, *C_TYPE}
ROWS: dict[str, Row] = {
    "add": integers.add, "sub": integers.add, "addc": integers.addc, "subc": integers.addc, "mul": integers.mul,
    "mad": integers.mad, "madc": integers.mad, "fma": floats.fma, "mul24": integers.mul24, "mad24": integers.mul24,
    "div": integers.div, "rem": integers.div, "min": floats.extreme, "max": floats.extreme, "abs": integers.abs_neg,
    "neg": integers.abs_neg, "and": integers.logic, "or": integers.logic, "xor": integers.logic,
    "not": integers.logic, "cnot": integers.logic, "shl": integers.shift, "shr": integers.shift,
    "shf": bits.funnel, "prmt": bits.prmt, "dp4a": integers.dot, "dp2a": integers.dot, "sad": integers.sad,
    "bfe": bits.bfe, "bfi": bits.bfi, "bfind": bits.bfind, "brev": bits.brev,
    "popc": bits.by_width("(u32)__builtin_popcountll({0})"), "clz": bits.by_width("clz{w}({0})"),
    "setp": selection.setp,
    "set": selection.set, "selp": selection.selp, "slct": selection.slct, "testp": selection.testp,
    "copysign": selection.copysign, "mov": selection.mov, "sqrt": floats.unary("sqrt"),
    "rsqrt": floats.unary("rsqrt"), "rcp": floats.unary("rcp"), "ex2": floats.unary("ex2"),
    "lg2": floats.unary("lg2"), "sin": floats.unary("sin"), "cos": floats.unary("cos"), "tanh": floats.unary("tanh"),
    "cvt": convert, "lop3": bits.lop3, "fns": bits.fns, "bmsk": bits.bmsk, "szext": bits.szext,
    **dict.fromkeys(video.SCALAR, video.scalar), **dict.fromkeys(video.PACKED, video.packed),
}  # fmt: skip
