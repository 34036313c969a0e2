"""The table of arithmetic opcodes: integer, logic, floating point, comparison, selection. One instruction -> C statements.

Memory, control and warp instructions stand elsewhere (memory_ops.py, warp_ops.py). An opcode without a row is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable

from cudaperf_magic.bench.simulator.conversion import convert
from cudaperf_magic.bench.simulator.operands import C_TYPE, Scope, bits, is_float, types_of
from cudaperf_magic.bench.simulator.ptx import Instruction, Operand, Pair, Reg, Vector
from cudaperf_magic.errors import Unsupported

Row = Callable[[Instruction, Scope], str]
ROUNDING = {"rn": 0, "rna": 0, "rz": 1, "rm": 2, "rp": 3}
COMPARE = {
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">", "hs": ">=",
}  # fmt: skip
UNORDERED = {"equ": "==", "neu": "!=", "ltu": "<", "leu": "<=", "gtu": ">", "geu": ">="}
APPROXIMATE = {
    "ex2": "__builtin_exp2",
    "lg2": "__builtin_log2",
    "sin": "__builtin_sin",
    "cos": "__builtin_cos",
    "tanh": "__builtin_tanh",
}


def arithmetic(ins: Instruction, scope: Scope) -> str | None:
    """The C statements of an arithmetic instruction; None when the opcode is not in this table."""
    row = ROWS.get(ins.opcode[0])
    return row(ins, scope) if row else None


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


def _values(ins: Instruction, scope: Scope, kind: str, start: int = 1) -> list[str]:
    return [scope.value(operand, kind, ins.line) for operand in ins.operands[start:]]


def _mode(ins: Instruction) -> int:
    return next((ROUNDING[part] for part in ins.opcode if part in ROUNDING), 0)


def _has(ins: Instruction, part: str) -> bool:
    return part in ins.opcode[1:]


# ---- floating point in all widths ----


def _float_result(ins: Instruction, scope: Scope, build: Callable[..., str]) -> str:
    """Applies `build(kind, *values)` in float or double; half and bfloat16 go through float and are rounded once."""
    kind = types_of(ins)[-1]
    if kind in ("f32", "f64"):
        values = _values(ins, scope, kind)
        if _has(ins, "ftz"):
            values = [f"ftz({v})" for v in values]
        text = build(kind, *values)
        if _has(ins, "ftz"):
            text = f"ftz({text})"
        if _has(ins, "sat"):
            text = f"sat_{kind}({text})"
        return scope.assign(ins.operands[0], kind, text)
    small = kind.removesuffix("x2")
    values = _values(ins, scope, kind)
    if kind == small:
        return scope.assign(ins.operands[0], kind, _small(ins, small, build, values))
    low = _small(ins, small, build, [f"(u16){v}" for v in values])
    high = _small(ins, small, build, [f"(u16)({v} >> 16)" for v in values])
    return scope.assign(ins.operands[0], kind, f"pack16({low}, {high})")


def _small(ins: Instruction, small: str, build: Callable[..., str], values: list[str]) -> str:
    widened = [f"(f64)f32_{small}({v})" for v in values]
    text = build("f64", *widened)
    if _has(ins, "sat"):
        text = f"sat_f64({text})"
    if _has(ins, "relu"):
        text = f"max_f64({text}, 0.0)"
    return f"{small}_f64({text}, {_mode(ins)})"


def _binary(symbol: str, directed: str) -> Callable[[Instruction, Scope], str]:
    def row(ins: Instruction, scope: Scope) -> str:
        mode = _mode(ins)

        def build(kind: str, a: str, b: str) -> str:
            if mode and types_of(ins)[-1] == "f32":
                return f"{directed}_directed({a}, {f'-({b})' if symbol == '-' else b}, {mode})"
            if mode and types_of(ins)[-1] == "f64":
                return f"rt_directed_f64('{symbol}', {a}, {b}, 0.0, {mode})"
            return f"({a} {symbol} {b})"

        return _float_result(ins, scope, build)

    return row


FLOAT_BINARY = {
    "add": _binary("+", "add"),
    "sub": _binary("-", "add"),
    "mul": _binary("*", "mul"),
    "div": _binary("/", "div"),
}


def _fma(ins: Instruction, scope: Scope) -> str:
    mode = _mode(ins)

    def build(kind: str, a: str, b: str, c: str) -> str:
        if mode and types_of(ins)[-1] == "f32":
            return f"fma_directed({a}, {b}, {c}, {mode})"
        if mode and types_of(ins)[-1] == "f64":
            return f"rt_directed_f64('f', {a}, {b}, {c}, {mode})"
        return f"__builtin_fma{'f' if kind == 'f32' else ''}({a}, {b}, {c})"

    return _float_result(ins, scope, build)


def _unary(name: str) -> Row:
    def row(ins: Instruction, scope: Scope) -> str:
        mode = _mode(ins)

        def build(kind: str, a: str) -> str:
            if name == "sqrt" and mode:
                return (
                    f"sqrt_directed({a}, {mode})" if kind == "f32" else f"rt_directed_f64('s', {a}, 0.0, 0.0, {mode})"
                )
            if name == "sqrt":
                return f"__builtin_sqrt{'f' if kind == 'f32' else ''}({a})"
            if name == "rcp":
                if mode:
                    return (
                        f"div_directed(1.0f, {a}, {mode})"
                        if kind == "f32"
                        else f"rt_directed_f64('/', 1.0, {a}, 0.0, {mode})"
                    )
                return f"(({kind})1 / {a})"
            if name == "rsqrt":
                return f"(({kind})(1.0 / __builtin_sqrt((f64){a})))"
            return f"(({kind}){APPROXIMATE[name]}((f64){a}))"

        return _float_result(ins, scope, build)

    return row


# ---- integers ----


def _add(ins: Instruction, scope: Scope) -> str:
    kind = types_of(ins)[-1]
    if is_float(kind):
        return FLOAT_BINARY[ins.opcode[0]](ins, scope)
    symbol = "+" if ins.opcode[0] == "add" else "-"
    if kind.endswith("16x2"):
        a, b = _values(ins, scope, kind)
        return scope.assign(
            ins.operands[0], kind, f"pack16((u16)({a} {symbol} {b}), (u16)(({a} >> 16) {symbol} ({b} >> 16)))"
        )
    if _has(ins, "sat"):
        a, b = _values(ins, scope, "s32")
        return scope.assign(ins.operands[0], kind, f"sat_s32((s64){a} {symbol} (s64){b})")
    unsigned = f"u{bits(kind)}"
    a, b = _values(ins, scope, unsigned)
    if _has(ins, "cc"):
        return _with_carry(ins, scope, unsigned, a, b, symbol, use="0")
    return scope.assign(ins.operands[0], unsigned, f"({a} {symbol} {b})")


def _with_carry(ins: Instruction, scope: Scope, kind: str, a: str, b: str, symbol: str, use: str) -> str:
    """Extended precision: the carry (or borrow) of `a symbol b symbol use` goes to the condition code when .cc asks."""
    width = bits(kind)
    total = f"u128 x_ = (u128){a} {symbol} (u128){b} {symbol} {use};"
    keep = f"cc = (u8)(x_ >> {width} & 1);" if _has(ins, "cc") else ""
    return f"{{ {total} {scope.assign(ins.operands[0], kind, f'({kind})x_')} {keep} }}"


def _addc(ins: Instruction, scope: Scope) -> str:
    kind = f"u{bits(types_of(ins)[-1])}"
    a, b = _values(ins, scope, kind)
    return _with_carry(ins, scope, kind, a, b, "+" if ins.opcode[0] == "addc" else "-", use="cc")


def _product(ins: Instruction, scope: Scope, kind: str) -> tuple[str, str]:
    """The product part that mul or mad wants, and its type."""
    width, signed = bits(kind), kind.startswith("s")
    a, b = (scope.value(operand, kind, ins.line) for operand in ins.operands[1:3])
    if _has(ins, "wide"):
        wide = f"{'s' if signed else 'u'}{2 * width}"
        return f"(({wide}){a} * ({wide}){b})", wide
    if _has(ins, "hi"):
        double = {16: "s32" if signed else "u32", 32: "s64" if signed else "u64", 64: "__int128" if signed else "u128"}[
            width
        ]
        return f"(u{width})((({double}){a} * ({double}){b}) >> {width})", f"u{width}"
    unsigned = f"u{width}"
    return f"({unsigned})(({'u32' if width == 16 else unsigned}){a} * ({unsigned}){b})", unsigned


def _mul(ins: Instruction, scope: Scope) -> str:
    kind = types_of(ins)[-1]
    if is_float(kind):
        return FLOAT_BINARY["mul"](ins, scope)
    text, result = _product(ins, scope, kind)
    return scope.assign(ins.operands[0], result, text)


def _mad(ins: Instruction, scope: Scope) -> str:
    kind = types_of(ins)[-1]
    if is_float(kind):
        return _fma(ins, scope)
    text, result = _product(ins, scope, kind)
    unsigned = f"u{bits(result)}"
    c = scope.value(ins.operands[3], unsigned, ins.line)
    if _has(ins, "cc") or ins.opcode[0] == "madc":
        use = "cc" if ins.opcode[0] == "madc" else "0"
        return _with_carry(ins, scope, unsigned, f"({unsigned}){text}", c, "+", use)
    return scope.assign(ins.operands[0], unsigned, f"(({unsigned}){text} + {c})")


def _mul24(ins: Instruction, scope: Scope) -> str:
    kind = types_of(ins)[-1]
    shift = (lambda v: f"((s64)((s32)({v} << 8) >> 8))") if kind == "s32" else (lambda v: f"((u64)({v} & 0xffffffu))")
    a, b = (shift(scope.value(operand, kind, ins.line)) for operand in ins.operands[1:3])
    text = f"(u32)({a} * {b}{' >> 16' if _has(ins, 'hi') else ''})"
    if ins.opcode[0] == "mad24":
        text = f"({text} + {scope.value(ins.operands[3], 'u32', ins.line)})"
    return scope.assign(ins.operands[0], "u32", text)


def _div(ins: Instruction, scope: Scope) -> str:
    kind = types_of(ins)[-1]
    if is_float(kind):
        return FLOAT_BINARY["div"](ins, scope)
    a, b = _values(ins, scope, kind)
    return scope.assign(ins.operands[0], kind, f"{ins.opcode[0]}_{C_TYPE[kind]}({a}, {b})")


def _extreme(ins: Instruction, scope: Scope) -> str:
    """min and max."""
    kind, name = types_of(ins)[-1], ins.opcode[0]
    if is_float(kind):
        nan = "nan_" if _has(ins, "NaN") else ""

        def build(width: str, *values: str) -> str:
            if width == "f64" and nan:  # half types: their values are floats, so nothing is lost
                return f"(f64){nan}{name}_f32((f32)({values[0]}), (f32)({values[1]}))"
            text = f"{nan}{name}_{width}({values[0]}, {values[1]})"
            return text if len(values) == 2 else f"{nan}{name}_{width}({text}, {values[2]})"

        return _float_result(ins, scope, build)
    symbol = "<" if name == "min" else ">"
    if kind.endswith("16x2"):
        part = kind[0] + "16"
        a, b = _values(ins, scope, kind)
        low = f"(({part}){a} {symbol} ({part}){b} ? (u16){a} : (u16){b})"
        high = f"(({part})({a} >> 16) {symbol} ({part})({b} >> 16) ? (u16)({a} >> 16) : (u16)({b} >> 16))"
        return scope.assign(ins.operands[0], kind, f"pack16({low}, {high})")
    a, b = _values(ins, scope, kind)
    text = f"({a} {symbol} {b} ? {a} : {b})"
    if _has(ins, "relu"):
        text = f"({text} < 0 ? 0 : {text})"
    return scope.assign(ins.operands[0], kind, text)


def _abs_neg(ins: Instruction, scope: Scope) -> str:
    kind, name = types_of(ins)[-1], ins.opcode[0]
    (a,) = _values(ins, scope, kind)
    if kind in ("f32", "f64"):
        text = f"__builtin_fabs{'f' if kind == 'f32' else ''}({a})" if name == "abs" else f"(-{a})"
        return scope.assign(ins.operands[0], kind, f"ftz({text})" if _has(ins, "ftz") and kind == "f32" else text)
    if is_float(kind):
        sign = "0x80008000u" if kind.endswith("x2") else "0x8000u"
        return scope.assign(ins.operands[0], kind, f"({a} & ~{sign})" if name == "abs" else f"({a} ^ {sign})")
    unsigned = f"u{bits(kind)}"
    text = f"({unsigned})(0 - ({unsigned}){a})"
    return scope.assign(ins.operands[0], unsigned, f"({a} < 0 ? {text} : ({unsigned}){a})" if name == "abs" else text)


def _logic(ins: Instruction, scope: Scope) -> str:
    kind, name = types_of(ins)[-1], ins.opcode[0]
    values = _values(ins, scope, kind)
    if name == "not":
        return scope.assign(
            ins.operands[0], kind, f"(!{values[0]})" if kind == "pred" else f"({C_TYPE[kind]})(~{values[0]})"
        )
    if name == "cnot":
        return scope.assign(ins.operands[0], kind, f"({values[0]} == 0)")
    symbol = {"and": "&", "or": "|", "xor": "^"}[name]
    return scope.assign(ins.operands[0], kind, f"({values[0]} {symbol} {values[1]})")


def _shift(ins: Instruction, scope: Scope) -> str:
    """Amounts beyond the width shift everything out, where C leaves it undefined."""
    kind = types_of(ins)[-1]
    width, a = bits(kind), scope.value(ins.operands[1], kind, ins.line)
    n = scope.value(ins.operands[2], "u32", ins.line)
    if ins.opcode[0] == "shl":
        return scope.assign(ins.operands[0], kind, f"({n} >= {width} ? 0 : ({C_TYPE[kind]})((u{width}){a} << {n}))")
    if kind.startswith("s"):
        return scope.assign(ins.operands[0], kind, f"({C_TYPE[kind]})({a} >> ({n} >= {width} ? {width - 1} : {n}))")
    return scope.assign(ins.operands[0], kind, f"({n} >= {width} ? 0 : ({C_TYPE[kind]})((u{width}){a} >> {n}))")


def _funnel(ins: Instruction, scope: Scope) -> str:
    a, b, n = _values(ins, scope, "u32")
    n = f"({n} & 31)" if _has(ins, "wrap") else n
    return scope.assign(ins.operands[0], "u32", f"shf_{'l' if _has(ins, 'l') else 'r'}({a}, {b}, {n})")


def _call(template: str, kind: str = "u32") -> Row:
    """A row that is one C expression over operands {0}, {1}, ... of one type."""

    def row(ins: Instruction, scope: Scope) -> str:
        return scope.assign(ins.operands[0], kind, template.format(*_values(ins, scope, kind)))

    return row


def _by_width(template: str) -> Row:
    """A bit-counting row: operand of the instruction's type, {0} its value and {w} its width, 32-bit result."""

    def row(ins: Instruction, scope: Scope) -> str:
        width = bits(types_of(ins)[-1])
        a = scope.value(ins.operands[1], f"u{width}", ins.line)
        return scope.assign(ins.operands[0], "u32", template.format(a, w=width))

    return row


def _brev(ins: Instruction, scope: Scope) -> str:
    kind = f"u{bits(types_of(ins)[-1])}"
    return scope.assign(ins.operands[0], kind, f"brev{kind[1:]}({scope.value(ins.operands[1], kind, ins.line)})")


def _bfind(ins: Instruction, scope: Scope) -> str:
    kind = types_of(ins)[-1]
    a = scope.value(ins.operands[1], f"u{bits(kind)}", ins.line)
    shift = int(_has(ins, "shiftamt"))
    return scope.assign(ins.operands[0], "u32", f"bfind({a}, {bits(kind)}, {int(kind[0] == 's')}, {shift})")


def _bfe(ins: Instruction, scope: Scope) -> str:
    kind = types_of(ins)[-1]
    width = bits(kind)
    a = scope.value(ins.operands[1], f"u{width}", ins.line)
    b, c = _values(ins, scope, "u32", 2)
    return scope.assign(ins.operands[0], f"u{width}", f"(u{width})bfe({a}, {b}, {c}, {width}, {int(kind[0] == 's')})")


def _bfi(ins: Instruction, scope: Scope) -> str:
    width = bits(types_of(ins)[-1])
    a, b = (scope.value(operand, f"u{width}", ins.line) for operand in ins.operands[1:3])
    c, d = _values(ins, scope, "u32", 3)
    return scope.assign(ins.operands[0], f"u{width}", f"(u{width})bfi({a}, {b}, {c}, {d}, {width})")


def _prmt(ins: Instruction, scope: Scope) -> str:
    if len(ins.opcode) > 2:
        raise Unsupported(ins.text, ins.line)
    return _call("prmt({0}, {1}, {2})")(ins, scope)


def _dot(ins: Instruction, scope: Scope) -> str:
    kinds = types_of(ins)
    a, b, c = _values(ins, scope, "u32")
    high = f", {int(_has(ins, 'hi'))}" if ins.opcode[0] == "dp2a" else ""
    text = f"{ins.opcode[0]}({a}, {b}, {c}, {int(kinds[0][0] == 's')}, {int(kinds[1][0] == 's')}{high})"
    return scope.assign(ins.operands[0], "u32", text)


def _sad(ins: Instruction, scope: Scope) -> str:
    kind = types_of(ins)[-1]
    a, b, c = _values(ins, scope, kind)
    return scope.assign(ins.operands[0], kind, f"(({a} > {b} ? {a} - {b} : {b} - {a}) + {c})")


# ---- comparison and selection ----


def _comparison(ins: Instruction, scope: Scope, kind: str, a: Operand, b: Operand) -> str:
    relation = next(p for p in ins.opcode[1:] if p in COMPARE or p in UNORDERED or p in ("num", "nan"))
    x, y = scope.value(a, kind, ins.line), scope.value(b, kind, ins.line)
    if kind in ("f16", "bf16"):
        x, y = f"f32_{kind}({x})", f"f32_{kind}({y})"
    if _has(ins, "ftz") and kind == "f32":
        x, y = f"ftz({x})", f"ftz({y})"
    return compare(relation, x, y, is_float(kind))


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


def _setp(ins: Instruction, scope: Scope) -> str:
    kind = types_of(ins)[-1]
    target = ins.operands[0]
    if kind in ("f16x2", "bf16x2"):
        return _setp_halves(ins, scope, kind[:-2])
    text = _comparison(ins, scope, kind, ins.operands[1], ins.operands[2])
    if isinstance(target, Pair):
        first = scope.assign(target.first, "pred", _combine(ins, scope, "c_"))
        second = scope.assign(target.second, "pred", _combine(ins, scope, "!c_"))
        return f"{{ u8 c_ = {text}; {first} {second} }}"
    return scope.assign(target, "pred", _combine(ins, scope, text))


def _setp_halves(ins: Instruction, scope: Scope, small: str) -> str:
    relation = next(p for p in ins.opcode[1:] if p in COMPARE or p in UNORDERED or p in ("num", "nan"))
    a, b = _values(ins, scope, "u32")[:2]
    low = compare(relation, f"f32_{small}((u16){a})", f"f32_{small}((u16){b})", True)
    high = compare(relation, f"f32_{small}((u16)({a} >> 16))", f"f32_{small}((u16)({b} >> 16))", True)
    target = ins.operands[0]
    first, second = (target.first, target.second) if isinstance(target, Pair) else (target, Reg("_"))
    return f"{scope.assign(first, 'pred', _combine(ins, scope, low))} {scope.assign(second, 'pred', _combine(ins, scope, high))}"


def _set(ins: Instruction, scope: Scope) -> str:
    result, kind = types_of(ins)[-2:]
    one = {"f32": "1.0f", "f16": "(u16)0x3c00", "bf16": "(u16)0x3f80"}
    if kind.endswith("x2"):
        small = kind[:-2]
        relation = next(p for p in ins.opcode[1:] if p in COMPARE or p in UNORDERED or p in ("num", "nan"))
        a, b = _values(ins, scope, "u32")[:2]
        yes = one.get(small, "(u16)0xffff") if result.endswith("x2") and is_float(result) else "(u16)0xffff"
        parts = [
            f"({compare(relation, f'f32_{small}((u16)({a} >> {s}))', f'f32_{small}((u16)({b} >> {s}))', True)} ? {yes} : (u16)0)"
            for s in (0, 16)
        ]
        return scope.assign(ins.operands[0], "u32", f"pack16({parts[0]}, {parts[1]})")
    text = _combine(ins, scope, _comparison(ins, scope, kind, ins.operands[1], ins.operands[2]))
    return scope.assign(ins.operands[0], result, f"({text} ? {one.get(result, f'({C_TYPE[result]})-1')} : 0)")


def _selp(ins: Instruction, scope: Scope) -> str:
    kind = types_of(ins)[-1]
    a, b = (scope.value(operand, kind, ins.line) for operand in ins.operands[1:3])
    return scope.assign(ins.operands[0], kind, f"({scope.value(ins.operands[3], 'pred', ins.line)} ? {a} : {b})")


def _slct(ins: Instruction, scope: Scope) -> str:
    kind, by = types_of(ins)[-2:]
    a, b = (scope.value(operand, kind, ins.line) for operand in ins.operands[1:3])
    return scope.assign(ins.operands[0], kind, f"({scope.value(ins.operands[3], by, ins.line)} >= 0 ? {a} : {b})")


def _testp(ins: Instruction, scope: Scope) -> str:
    (a,) = _values(ins, scope, types_of(ins)[-1])
    tests = {
        "finite": f"__builtin_isfinite({a})", "infinite": f"__builtin_isinf({a}) != 0", "number": f"{a} == {a}",
        "notanumber": f"{a} != {a}", "normal": f"__builtin_isnormal({a})",
        "subnormal": f"(__builtin_isfinite({a}) && !__builtin_isnormal({a}) && {a} != 0)",
    }  # fmt: skip
    return scope.assign(ins.operands[0], "pred", f"({tests[ins.opcode[1]]})")


def _copysign(ins: Instruction, scope: Scope) -> str:
    kind = types_of(ins)[-1]
    a, b = _values(ins, scope, kind)
    return scope.assign(ins.operands[0], kind, f"copysign_{kind}({a}, {b})")


# ---- moves ----


def _mov(ins: Instruction, scope: Scope) -> str:
    """Plain moves, and packing into or unpacking from a vector of parts."""
    kind = types_of(ins)[-1]
    target, source = ins.operands[0], ins.operands[1]
    if isinstance(source, Vector):
        part = bits(kind) // len(source.items)
        wide = f"u{bits(kind)}"
        terms = [
            f"(({wide}){scope.value(item, f'u{part}', ins.line)} << {part * i})" for i, item in enumerate(source.items)
        ]
        return scope.assign(target, wide, " | ".join(terms).join("()"))
    if isinstance(target, Vector):
        part = bits(kind) // len(target.items)
        value = scope.value(source, f"u{bits(kind)}", ins.line)
        parts = [scope.assign(item, f"u{part}", f"(u{part})(v_ >> {part * i})") for i, item in enumerate(target.items)]
        return f"{{ u{bits(kind)} v_ = {value}; {' '.join(parts)} }}"
    return scope.assign(target, kind, scope.value(source, kind, ins.line))


ROWS: dict[str, Row] = {
    "add": _add, "sub": _add, "addc": _addc, "subc": _addc, "mul": _mul, "mad": _mad, "madc": _mad, "fma": _fma,
    "mul24": _mul24, "mad24": _mul24, "div": _div, "rem": _div, "min": _extreme, "max": _extreme, "abs": _abs_neg,
    "neg": _abs_neg, "and": _logic, "or": _logic, "xor": _logic, "not": _logic, "cnot": _logic, "shl": _shift,
    "shr": _shift, "shf": _funnel, "prmt": _prmt, "dp4a": _dot, "dp2a": _dot, "sad": _sad, "bfe": _bfe, "bfi": _bfi,
    "bfind": _bfind, "brev": _brev, "popc": _by_width("(u32)__builtin_popcountll({0})"), "clz": _by_width("clz{w}({0})"),
    "setp": _setp, "set": _set, "selp": _selp, "slct": _slct, "testp": _testp, "copysign": _copysign, "mov": _mov,
    "sqrt": _unary("sqrt"), "rsqrt": _unary("rsqrt"), "rcp": _unary("rcp"), "ex2": _unary("ex2"), "lg2": _unary("lg2"),
    "sin": _unary("sin"), "cos": _unary("cos"), "tanh": _unary("tanh"), "cvt": convert,
}  # fmt: skip


def _lop3(ins: Instruction, scope: Scope) -> str:
    a, b, c, lut = (scope.value(operand, "u32", ins.line) for operand in ins.operands[1:5])
    text = f"lop3({a}, {b}, {c}, {lut})"
    target = ins.operands[0]
    if isinstance(target, Pair):
        p = scope.value(ins.operands[5], "pred", ins.line)
        symbol = "&&" if _has(ins, "and") else "||"
        second = scope.assign(target.second, "pred", f"((v_ != 0) {symbol} {p})")
        return f"{{ u32 v_ = {text}; {scope.assign(target.first, 'u32', 'v_')} {second} }}"
    return scope.assign(target, "u32", text)


ROWS["lop3"] = _lop3
