"""Rows of floating-point opcodes, in float, double, half and bfloat16."""

from __future__ import annotations

from collections.abc import Callable

from cudaperf_magic.bench.simulator.operands import Scope, is_float, types_of
from cudaperf_magic.bench.simulator.ptx import Instruction
from cudaperf_magic.bench.simulator.rows import Row, has, mode, values

APPROXIMATE = {
    "ex2": "__builtin_exp2",
    "lg2": "__builtin_log2",
    "sin": "__builtin_sin",
    "cos": "__builtin_cos",
    "tanh": "__builtin_tanh",
}


def _float_result(ins: Instruction, scope: Scope, build: Callable[..., str]) -> str:
    """Applies `build(kind, *parts)` in float or double; half and bfloat16 go through float and are rounded once."""
    kind = types_of(ins)[-1]
    if kind in ("f32", "f64"):
        parts = values(ins, scope, kind)
        if has(ins, "ftz"):
            parts = [f"ftz({v})" for v in parts]
        text = build(kind, *parts)
        if has(ins, "ftz"):
            text = f"ftz({text})"
        if has(ins, "sat"):
            text = f"sat_{kind}({text})"
        return scope.assign(ins.operands[0], kind, text)
    small = kind.removesuffix("x2")
    parts = values(ins, scope, kind)
    if kind == small:
        return scope.assign(ins.operands[0], kind, _small(ins, small, build, parts))
    low = _small(ins, small, build, [f"(u16){v}" for v in parts])
    high = _small(ins, small, build, [f"(u16)({v} >> 16)" for v in parts])
    return scope.assign(ins.operands[0], kind, f"pack16({low}, {high})")


def _small(ins: Instruction, small: str, build: Callable[..., str], parts: list[str]) -> str:
    widened = [f"(f64)f32_{small}({v})" for v in parts]
    text = build("f64", *widened)
    if has(ins, "sat"):
        text = f"sat_f64({text})"
    if has(ins, "relu"):
        text = f"max_f64({text}, 0.0)"
    return f"{small}_f64({text}, {mode(ins)})"


def _binary(symbol: str, directed: str) -> Callable[[Instruction, Scope], str]:
    def row(ins: Instruction, scope: Scope) -> str:
        rounding = mode(ins)

        def build(kind: str, a: str, b: str) -> str:
            if rounding and types_of(ins)[-1] == "f32":
                return f"{directed}_directed({a}, {f'-({b})' if symbol == '-' else b}, {rounding})"
            if rounding and types_of(ins)[-1] == "f64":
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
    rounding = mode(ins)

    def build(kind: str, a: str, b: str, c: str) -> str:
        if rounding and types_of(ins)[-1] == "f32":
            return f"fma_directed({a}, {b}, {c}, {rounding})"
        if rounding and types_of(ins)[-1] == "f64":
            return f"rt_directed_f64('f', {a}, {b}, {c}, {rounding})"
        return f"__builtin_fma{'f' if kind == 'f32' else ''}({a}, {b}, {c})"

    return _float_result(ins, scope, build)


def unary(name: str) -> Row:
    def row(ins: Instruction, scope: Scope) -> str:
        rounding = mode(ins)

        def build(kind: str, a: str) -> str:
            if name == "sqrt" and rounding:
                return (
                    f"sqrt_directed({a}, {rounding})"
                    if kind == "f32"
                    else f"rt_directed_f64('s', {a}, 0.0, 0.0, {rounding})"
                )
            if name == "sqrt":
                return f"__builtin_sqrt{'f' if kind == 'f32' else ''}({a})"
            if name == "rcp":
                if rounding:
                    return (
                        f"div_directed(1.0f, {a}, {rounding})"
                        if kind == "f32"
                        else f"rt_directed_f64('/', 1.0, {a}, 0.0, {rounding})"
                    )
                return f"(({kind})1 / {a})"
            if name == "rsqrt":
                return f"(({kind})(1.0 / __builtin_sqrt((f64){a})))"
            suffix = "f" if types_of(ins)[-1] == "f32" else ""
            return f"(({kind}){APPROXIMATE[name]}{suffix}({a}))"

        return _float_result(ins, scope, build)

    return row


def extreme(ins: Instruction, scope: Scope) -> str:
    """min and max."""
    kind, name = types_of(ins)[-1], ins.opcode[0]
    if is_float(kind):
        nan = "nan_" if has(ins, "NaN") else ""

        def build(width: str, *values: str) -> str:
            if width == "f64" and nan:  # half types: their values are floats, so nothing is lost
                return f"(f64){nan}{name}_f32((f32)({values[0]}), (f32)({values[1]}))"
            text = f"{nan}{name}_{width}({values[0]}, {values[1]})"
            return text if len(values) == 2 else f"{nan}{name}_{width}({text}, {values[2]})"

        return _float_result(ins, scope, build)
    symbol = "<" if name == "min" else ">"
    if kind.endswith("16x2"):
        part = kind[0] + "16"
        a, b = values(ins, scope, kind)
        low = f"(({part}){a} {symbol} ({part}){b} ? (u16){a} : (u16){b})"
        high = f"(({part})({a} >> 16) {symbol} ({part})({b} >> 16) ? (u16)({a} >> 16) : (u16)({b} >> 16))"
        return scope.assign(ins.operands[0], kind, f"pack16({low}, {high})")
    a, b = values(ins, scope, kind)
    text = f"({a} {symbol} {b} ? {a} : {b})"
    if has(ins, "relu"):
        text = f"({text} < 0 ? 0 : {text})"
    return scope.assign(ins.operands[0], kind, text)
