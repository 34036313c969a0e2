"""Small random programs, printed as CUDA and run on NumPy arrays: a second opinion on what the simulator computes.

Every operation has a text in CUDA whose result C++ defines (unsigned where it would wrap, masked where it would shift
too far) and a function of NumPy arrays, one element a thread. Threads that a branch leaves out keep their variables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

Array = NDArray[Any]
Names = dict[str, str]  # of the variables in sight: their kinds
DTYPE = {"u32": "u4", "s32": "i4", "u64": "u8", "s64": "i8", "f32": "f4", "f64": "f8", "f16": "f2", "bool": "?"}
C_NAME = {
    "u32": "unsigned", "s32": "int", "u64": "unsigned long long", "s64": "long long", "f32": "float", "f64": "double",
    "f16": "__half",
}  # fmt: skip
INTEGERS, FLOATS = ("u32", "s32", "u64", "s64"), ("f32", "f64")
VARIABLES = {f"{kind}_{i}": kind for kind in C_NAME for i in range(2)}
LOOP_LIMIT = 7


@dataclass(frozen=True)
class Operation:
    operands: tuple[str, ...]
    cuda: str
    function: Callable[..., Array]


def unsigned(kind: str) -> str:
    return f"u{kind[1:]}"


def wrap(kind: str, symbol: str, function: Callable[[Array, Array], Array]) -> Operation:
    c_type, wide = C_NAME[kind], C_NAME[unsigned(kind)]
    return Operation((kind, kind), f"({c_type})(({wide})({{0}}) {symbol} ({wide})({{1}}))", function)


def truncated_quotient(a: Array, b: Array) -> Array:
    floor = a // b
    return floor + ((a - floor * b != 0) & ((a < 0) != (b < 0))).astype(a.dtype)


def divisor(b: Array) -> Array:
    return b & b.dtype.type(255) | b.dtype.type(1)


def bits_set(a: Array) -> Array:
    return np.array([int(v).bit_count() for v in a.tolist()], "u4")


def leading_zeros(a: Array) -> Array:
    return np.array([32 - int(v).bit_length() for v in a.tolist()], "i4")


def high_half(a: Array, b: Array) -> Array:
    return (a.astype("u8") * b.astype("u8") >> np.uint64(32)).astype("u4")


def reversed_bits(a: Array) -> Array:
    return np.array([int(f"{v:032b}"[::-1], 2) for v in a.tolist()], "u4")


def smaller(a: Array, b: Array) -> Array:
    """A NaN gives way; of two zeros the negative one is the smaller."""
    either = np.where(np.signbit(a), a, b)
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, np.where(a == b, either, np.where(a < b, a, b))))


def to_integer(kind: str) -> Callable[[Array], Array]:
    low, high = (-(2**31), 2**31 - 1) if kind == "s32" else (0, 2**32 - 1)
    return lambda a: np.clip(np.where(np.isnan(a), 0, np.trunc(a.astype("f8"))), low, high).astype(DTYPE[kind])


def cast(kind: str, other: str) -> Operation:
    return Operation((other,), f"({C_NAME[kind]})({{0}})", lambda a: a.astype(DTYPE[kind]))


def of_integers(kind: str) -> list[Operation]:
    width, word = int(kind[1:]), DTYPE[unsigned(kind)]
    mask = width - 1

    def shifted(a: Array, b: Array) -> Array:
        return (a.astype(word) << (b.astype(word) & np.array(mask, word))).astype(DTYPE[kind])

    return [
        wrap(kind, "+", lambda a, b: a + b), wrap(kind, "-", lambda a, b: a - b), wrap(kind, "*", lambda a, b: a * b),
        Operation((kind, kind), "({0} & {1})", np.bitwise_and), Operation((kind, kind), "({0} | {1})", np.bitwise_or),
        Operation((kind, kind), "({0} ^ {1})", np.bitwise_xor), Operation((kind,), "(~{0})", np.invert),
        Operation((kind, kind), f"({C_NAME[kind]})(({C_NAME[unsigned(kind)]})({{0}}) << ({{1}} & {mask}))", shifted),
        Operation((kind, kind), f"({{0}} >> ({{1}} & {mask}))", lambda a, b: a >> (b & a.dtype.type(mask))),
        Operation((kind, kind), "({0} / (({1} & 255) | 1))", lambda a, b: truncated_quotient(a, divisor(b))),
        Operation((kind, kind), "({0} % (({1} & 255) | 1))",
                  lambda a, b: a - truncated_quotient(a, divisor(b)) * divisor(b)),
        Operation((kind, kind), "min({0}, {1})", np.minimum), Operation((kind, kind), "max({0}, {1})", np.maximum),
        Operation(("bool", kind, kind), "({0} ? {1} : {2})", np.where),
        *(cast(kind, other) for other in INTEGERS if other != kind),
    ]  # fmt: skip


def of_floats(kind: str) -> list[Operation]:
    end = "f" if kind == "f32" else ""
    return [
        Operation((kind, kind), "({0} + {1})", np.add), Operation((kind, kind), "({0} - {1})", np.subtract),
        Operation((kind, kind), "({0} * {1})", np.multiply), Operation((kind, kind), "({0} / {1})", np.divide),
        Operation((kind,), f"sqrt{end}(fabs{end}({{0}}))", lambda a: np.sqrt(np.abs(a))),
        Operation((kind,), "(-{0})", np.negative), Operation((kind,), f"rint{end}({{0}})", np.rint),
        Operation((kind,), f"floor{end}({{0}})", np.floor), Operation((kind,), f"trunc{end}({{0}})", np.trunc),
        Operation((kind, kind), f"fmin{end}({{0}}, {{1}})", smaller),
        Operation((kind, kind), f"fmax{end}({{0}}, {{1}})", lambda a, b: -smaller(-a, -b)),
        Operation(("bool", kind, kind), "({0} ? {1} : {2})", np.where),
        *(cast(kind, other) for other in (*INTEGERS, *FLOATS) if other != kind),
    ]  # fmt: skip


def relations() -> list[Operation]:
    found = []
    for kind in (*INTEGERS, *FLOATS):
        for symbol, function in (("<", np.less), ("<=", np.less_equal), ("==", np.equal), ("!=", np.not_equal)):
            found.append(Operation((kind, kind), f"({{0}} {symbol} {{1}})", function))
    found.append(Operation(("f16", "f16"), "__hlt({0}, {1})", np.less))
    return [
        *found, Operation(("bool", "bool"), "({0} && {1})", np.logical_and),
        Operation(("bool", "bool"), "({0} || {1})", np.logical_or), Operation(("bool",), "(!{0})", np.logical_not),
    ]  # fmt: skip


OPERATIONS: dict[str, list[Operation]] = {
    **{kind: of_integers(kind) for kind in INTEGERS}, **{kind: of_floats(kind) for kind in FLOATS},
    "bool": relations(),
    "f16": [
        Operation(("f16", "f16"), "__hadd({0}, {1})", np.add),
        Operation(("f16", "f16"), "__hsub({0}, {1})", np.subtract),
        Operation(("f16", "f16"), "__hmul({0}, {1})", np.multiply), Operation(("f16",), "__hneg({0})", np.negative),
        Operation(("f16",), "__habs({0})", np.abs),
        Operation(("f32",), "__float2half_rn({0})", lambda a: a.astype("f2")),
    ],
}  # fmt: skip
OPERATIONS["u32"] += [
    Operation(("u32", "u32"), "__umulhi({0}, {1})", high_half),
    Operation(("u32",), "(unsigned)__popc({0})", bits_set), Operation(("u32",), "__brev({0})", reversed_bits),
    Operation(("f32",), "__float2uint_rz({0})", to_integer("u32")),
]  # fmt: skip
OPERATIONS["s32"] += [
    Operation(("s32",), "__clz({0})", lambda a: leading_zeros(a.view("u4"))),
    Operation(("f32",), "__float2int_rz({0})", to_integer("s32")),
]  # fmt: skip
OPERATIONS["f32"].append(Operation(("f16",), "__half2float({0})", lambda a: a.astype("f4")))


@dataclass(frozen=True)
class Variable:
    name: str

    def cuda(self) -> str:
        return self.name

    def value(self, state: Mapping[str, Array]) -> Array:
        return state[self.name]


@dataclass(frozen=True)
class Constant:
    kind: str
    number: int

    def cuda(self) -> str:
        if self.kind == "f16":
            return f"__float2half_rn({self.number}.0f)"
        return f"({C_NAME[self.kind]}){self.number}{'ull' if self.kind == 'u64' else ''}"

    def value(self, state: Mapping[str, Array]) -> Array:
        return np.full(len(next(iter(state.values()))), self.number).astype(DTYPE[self.kind])


@dataclass(frozen=True)
class Applied:
    operation: Operation
    given: tuple[Expression, ...]

    def cuda(self) -> str:
        return self.operation.cuda.format(*(part.cuda() for part in self.given))

    def value(self, state: Mapping[str, Array]) -> Array:
        return self.operation.function(*(part.value(state) for part in self.given))


Expression = Variable | Constant | Applied


@dataclass(frozen=True)
class Assign:
    name: str
    expression: Expression

    def cuda(self, depth: int) -> str:
        return f"{self.name} = {self.expression.cuda()};\n"

    def run(self, state: dict[str, Array], active: Array, depth: int) -> Array:
        old = state[self.name]
        state[self.name] = np.where(active, self.expression.value(state), old).astype(old.dtype)
        return active


@dataclass(frozen=True)
class Continue:
    condition: Expression

    def cuda(self, depth: int) -> str:
        return f"if ({self.condition.cuda()}) continue;\n"

    def run(self, state: dict[str, Array], active: Array, depth: int) -> Array:
        return active & ~self.condition.value(state)


@dataclass(frozen=True)
class If:
    condition: Expression
    yes: tuple[Statement, ...]
    no: tuple[Statement, ...]

    def cuda(self, depth: int) -> str:
        branches = ["".join(s.cuda(depth) for s in body) for body in (self.yes, self.no)]
        return f"if ({self.condition.cuda()}) {{\n{branches[0]}}} else {{\n{branches[1]}}}\n"

    def run(self, state: dict[str, Array], active: Array, depth: int) -> Array:
        holds = self.condition.value(state)
        return run_all(self.yes, state, active & holds, depth) | run_all(self.no, state, active & ~holds, depth)


@dataclass(frozen=True)
class Loop:
    """Runs while the condition holds, at most LOOP_LIMIT times; its counter is a variable."""

    condition: Expression
    body: tuple[Statement, ...]

    def cuda(self, depth: int) -> str:
        inside = "".join(s.cuda(depth + 1) for s in self.body)
        name = f"i{depth}"
        return f"for (unsigned {name} = 0; {name} < {LOOP_LIMIT} && {self.condition.cuda()}; {name}++) {{\n{inside}}}\n"

    def run(self, state: dict[str, Array], active: Array, depth: int) -> Array:
        looping = active
        for i in range(LOOP_LIMIT):
            state[f"i{depth}"] = np.full(len(active), i, "u4")
            looping = looping & self.condition.value(state)
            run_all(self.body, state, looping, depth + 1)
        return active


Statement = Assign | Continue | If | Loop


def run_all(body: tuple[Statement, ...], state: dict[str, Array], active: Array, depth: int) -> Array:
    for statement in body:
        active = statement.run(state, active, depth)
    return active


@dataclass(frozen=True)
class Program:
    body: tuple[Statement, ...]

    def cuda(self, name: str) -> str:
        """A kernel whose thread t takes variable j from given[j][t] and leaves it in out[j][t], as bits."""
        load = {"f32": "__uint_as_float((unsigned)({}))", "f64": "__longlong_as_double({})",
                "f16": "__ushort_as_half((unsigned short)({}))"}  # fmt: skip
        store = {"f32": "__float_as_uint({})", "f64": "__double_as_longlong({})", "f16": "__half_as_ushort({})"}
        head, tail = "", ""
        for j, (variable, kind) in enumerate(VARIABLES.items()):
            taken = load.get(kind, f"({C_NAME[kind]})({{}})").format(f"given[{j} * n + t]")
            head += f"{C_NAME[kind]} {variable} = {taken};\n"
            tail += f"out[{j} * n + t] = {store.get(kind, '{}').format(variable)};\n"
        body = "".join(statement.cuda(0) for statement in self.body)
        return (
            f"__global__ void {name}(const unsigned long long* given, unsigned long long* out, int n) {{\n"
            f"int t = blockIdx.x * blockDim.x + threadIdx.x;\nif (t >= n) return;\n{head}{body}{tail}}}\n"
        )

    def run(self, given: NDArray[np.uint64]) -> dict[str, Array]:
        """The variables at the end."""
        state: dict[str, Array] = {}
        for j, (variable, kind) in enumerate(VARIABLES.items()):
            width = np.dtype(DTYPE[kind]).itemsize
            state[variable] = given[j].astype(f"u{width}").view(DTYPE[kind])
        with np.errstate(all="ignore"):
            run_all(self.body, state, np.ones(given.shape[1], bool), 0)
        return state


@st.composite
def expressions(draw: st.DrawFn, kind: str, names: Names, depth: int) -> Expression:
    leaves = [name for name, of in names.items() if of == kind]
    if kind != "bool" and (depth == 0 or draw(st.integers(0, 3)) == 0):
        if leaves and draw(st.integers(0, 4)):
            return Variable(draw(st.sampled_from(leaves)))
        return Constant(kind, draw(st.sampled_from([0, 1, 2, 3, 7, 31, 100, 255, 40000])))
    operation = draw(st.sampled_from(OPERATIONS[kind]))
    if depth == 0:  # a condition at the bottom compares variables
        operation = draw(st.sampled_from([o for o in OPERATIONS[kind] if "bool" not in o.operands]))
    return Applied(operation, tuple(draw(expressions(of, names, max(depth - 1, 0))) for of in operation.operands))


@st.composite
def statements(draw: st.DrawFn, names: Names, depth: int, in_loop: bool) -> Statement:
    loops = sum(name.startswith("i") for name in names)
    choices = ["assign"] * 4 + (["if", "loop"] if depth else []) + (["continue"] if in_loop else [])
    choice = draw(st.sampled_from(choices))
    if choice == "assign":
        name = draw(st.sampled_from(sorted(VARIABLES)))
        return Assign(name, draw(expressions(VARIABLES[name], names, 3)))
    condition = draw(expressions("bool", names | ({f"i{loops}": "u32"} if choice == "loop" else {}), 2))
    if choice == "continue":
        return Continue(condition)
    if choice == "if":
        return If(condition, draw(bodies(names, depth - 1, in_loop)), draw(bodies(names, depth - 1, in_loop)))
    return Loop(condition, draw(bodies(names | {f"i{loops}": "u32"}, depth - 1, True)))


def bodies(names: Names, depth: int, in_loop: bool) -> st.SearchStrategy[tuple[Statement, ...]]:
    return st.lists(statements(names, depth, in_loop), min_size=1, max_size=3).map(tuple)


def programs() -> st.SearchStrategy[Program]:
    return st.lists(statements(dict(VARIABLES), 3, False), min_size=2, max_size=6).map(
        lambda body: Program(tuple(body))
    )
