"""Rows of floating-point opcodes, in float, double, half and bfloat16, single or two in one register."""

from __future__ import annotations

from collections.abc import Callable

from cudaperf_magic.bench.simulator.operands import Scope, bits, is_float, types_of
from cudaperf_magic.bench.simulator.ptx import Instruction
from cudaperf_magic.bench.simulator.rows import Row, has, mode, values

APPROXIMATE = {"ex2": "exp2", "lg2": "log2", "sin": "sin", "cos": "cos", "tanh": "tanh"}
SMALL = ("f16", "bf16")

Build = Callable[..., str]  # (C type to compute in, operands...) -> C expression


def _float_result(ins: Instruction, scope: Scope, build: Build) -> str:
    """Applies `build` to the operands of each lane of the instruction's type."""
    kinds = types_of(ins)
    if len(kinds) == 2 and kinds[1] in SMALL:
        return _mixed(ins, scope, build, kinds[1])
    kind = kinds[-1]
    parts = values(ins, scope, kind)
    if not kind.endswith("x2"):
        return scope.assign(ins.operands[0], kind, _lane(ins, kind, build, parts))
    low, high = (_lane(ins, kind[:-2], build, lane) for lane in halves_of(kind, parts))
    packed = f"(bits_f32({low}) | (u64)bits_f32({high}) << 32)" if kind == "f32x2" else f"pack16({low}, {high})"
    return scope.assign(ins.operands[0], kind, packed)


def halves_of(kind: str, parts: list[str]) -> tuple[list[str], list[str]]:
    """The C expressions of the lower and of the upper lane of packed operands."""
    if kind == "f32x2":
        return [f"f32_bits((u32){v})" for v in parts], [f"f32_bits((u32)({v} >> 32))" for v in parts]
    return [f"(u16){v}" for v in parts], [f"(u16)({v} >> 16)" for v in parts]


def _mixed(ins: Instruction, scope: Scope, build: Build, small: str) -> str:
    """add, sub and fma in float whose factors are half or bfloat16 and whose last operand is float."""
    parts = [f"f32_{small}({scope.value(operand, small, ins.line)})" for operand in ins.operands[1:-1]]
    text = build("f32", *parts, scope.value(ins.operands[-1], "f32", ins.line))
    return scope.assign(ins.operands[0], "f32", f"sat_f32({text})" if has(ins, "sat") else text)


def _lane(ins: Instruction, kind: str, build: Build, parts: list[str]) -> str:
    """One lane: half and bfloat16 are computed in double, which is exact or nearly so, and rounded once."""
    flush = f"ftz_{kind}" if has(ins, "ftz") and kind != "f64" else ""
    if flush:
        parts = [f"{flush}({v})" for v in parts]
    if kind in SMALL:
        text = build("f64", *(f"(f64)f32_{kind}({v})" for v in parts))
        text = f"sat_f64({text})" if has(ins, "sat") else text
        text = f"relu_f64({text})" if has(ins, "relu") else text
        text = f"{kind}_f64({text}, {mode(ins)})"
        return f"{flush}({text})" if flush else text
    text = build(kind, *parts)
    text = f"{flush}({text})" if flush else text
    return f"sat_{kind}({text})" if has(ins, "sat") else text


def _directed(ins: Instruction, width: str) -> int:
    """The rounding to obey when computing in type `width`; 0 where it is to nearest or done afterwards."""
    return mode(ins) if types_of(ins)[-1] not in ("f16", "bf16", "f16x2", "bf16x2") or width == "f32" else 0


def _binary(symbol: str, directed: str) -> Row:
    def row(ins: Instruction, scope: Scope) -> str:
        def build(width: str, a: str, b: str) -> str:
            rounding = _directed(ins, width)
            if symbol == "/" and has(ins, "approx"):
                return f"div_approx({a}, {b})"
            if rounding and width == "f32":
                return f"{directed}_directed({a}, {f'-({b})' if symbol == '-' else b}, {rounding})"
            if rounding:
                return f"rt_directed_f64('{symbol}', {a}, {b}, 0.0, {rounding})"
            return f"({a} {symbol} {b})"

        return _float_result(ins, scope, build)

    return row


FLOAT_BINARY = {
    "add": _binary("+", "add"),
    "sub": _binary("-", "add"),
    "mul": _binary("*", "mul"),
    "div": _binary("/", "div"),
}


def fma(ins: Instruction, scope: Scope) -> str:
    is_small = types_of(ins)[0].startswith(SMALL)

    def build(width: str, a: str, b: str, c: str) -> str:
        rounding = _directed(ins, width)
        if is_small:
            return f"fma_odd({a}, {b}, {c})"
        if rounding:
            directed = f"fma_directed({a}, {b}, {c}, {rounding})"
            return directed if width == "f32" else f"rt_directed_f64('f', {a}, {b}, {c}, {rounding})"
        return f"__builtin_fma{'f' if width == 'f32' else ''}({a}, {b}, {c})"

    return _float_result(ins, scope, build)


def _root(ins: Instruction, width: str, a: str) -> str:
    rounding = _directed(ins, width)
    if rounding:
        return (
            f"sqrt_directed({a}, {rounding})" if width == "f32" else f"rt_directed_f64('s', {a}, 0.0, 0.0, {rounding})"
        )
    return f"__builtin_sqrt{'f' if width == 'f32' else ''}({a})"


def _reciprocal(ins: Instruction, width: str, a: str) -> str:
    rounding = _directed(ins, width)
    if width == "f64" and has(ins, "approx"):
        return f"high_f64(1.0 / high_f64({a}))"
    if rounding:
        return (
            f"div_directed(1.0f, {a}, {rounding})"
            if width == "f32"
            else f"rt_directed_f64('/', 1.0, {a}, 0.0, {rounding})"
        )
    return f"(({width})1 / {a})"


def _reciprocal_root(ins: Instruction, width: str, a: str) -> str:
    if width == "f64" and has(ins, "ftz"):
        return f"high_f64(1.0 / __builtin_sqrt(high_f64({a})))"
    return f"(({width})(1.0 / __builtin_sqrt((f64){a})))"


UNARY = {"sqrt": _root, "rcp": _reciprocal, "rsqrt": _reciprocal_root}


def unary(name: str) -> Row:
    """A row of one operand. Approximations are computed as well as the C library can: closer than the GPU's."""

    def row(ins: Instruction, scope: Scope) -> str:
        def build(width: str, a: str) -> str:
            if name in UNARY:
                return UNARY[name](ins, width, a)
            if has(ins, "2pi"):
                return f"(({width}){name}_turns((f64){a}))"
            return f"(({width})__builtin_{APPROXIMATE[name]}{'f' if width == 'f32' else ''}({a}))"

        return _float_result(ins, scope, build)

    return row


def abs_neg(ins: Instruction, scope: Scope) -> str:
    """abs and neg change a bit, of NaN too."""
    kind, name = types_of(ins)[-1], ins.opcode[0]
    (a,) = values(ins, scope, kind)
    if kind in ("f32", "f64"):
        text = f"__builtin_fabs{'f' if kind == 'f32' else ''}({a})" if name == "abs" else f"(-{a})"
        return scope.assign(ins.operands[0], kind, f"ftz_f32({text})" if has(ins, "ftz") and kind == "f32" else text)
    sign = {"f32x2": "0x8000000080000000ull", "f16x2": "0x80008000u", "bf16x2": "0x80008000u"}.get(kind, "0x8000u")
    text = f"({a} & ~{sign})" if name == "abs" else f"({a} ^ {sign})"
    if has(ins, "ftz") and kind == "f16x2":
        text = f"pack16(ftz_f16((u16){text}), ftz_f16((u16)({text} >> 16)))"
    elif has(ins, "ftz"):
        text = f"ftz_{kind}({text})"
    return scope.assign(ins.operands[0], kind, text)


def extreme(ins: Instruction, scope: Scope) -> str:
    """min and max, of two or three operands."""
    kind, name = types_of(ins)[-1], ins.opcode[0]
    if not is_float(kind):
        return _integer_extreme(ins, scope, kind)
    nan = "nan_" if has(ins, "NaN") else ""

    def build(width: str, *given: str) -> str:
        parts = (
            [f"__builtin_fabs{'f' if width == 'f32' else ''}({v})" for v in given] if has(ins, "abs") else list(given)
        )
        text = parts[0]
        for part in parts[1:]:
            text = f"{nan}{name}_{width}({text}, {part})"
        if has(ins, "xorsign"):
            return f"xorsign_{width}({text}, {given[0]}, {given[1]})"
        return text

    return _float_result(ins, scope, build)


def _integer_extreme(ins: Instruction, scope: Scope, kind: str) -> str:
    symbol = "<" if ins.opcode[0] == "min" else ">"
    parts = values(ins, scope, kind)
    lane = kind[0] + "16" if kind.endswith("16x2") else kind
    type_ = f"{lane[0]}{bits(lane)}"

    def one(given: list[str]) -> str:
        text = given[0]
        for part in given[1:]:
            text = f"({text} {symbol} {part} ? {text} : {part})"
        return f"({text} < 0 ? ({type_})0 : {text})" if has(ins, "relu") else text

    if lane == kind:
        return scope.assign(ins.operands[0], kind, one(parts))
    low = one([f"({lane}){v}" for v in parts])
    high = one([f"({lane})({v} >> 16)" for v in parts])
    return scope.assign(ins.operands[0], kind, f"pack16((u16){low}, (u16){high})")
