"""Device functions that kernels call (block sums, atomic minima, scans), made from the templates in cuda/*.cuh.

The CUDA text lives in the template files; here are the operators, their neutral elements and the names.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from string import Template

from cudaperf_magic.compiler.loops import Call, Const, Expr, Unary

FOLDER = Path(__file__).parent / "cuda"
COMBINE = {
    "+": "{a} + {b}",
    "*": "{a} * {b}",
    "min": "{b} < {a} ? {b} : {a}",
    "max": "{b} > {a} ? {b} : {a}",
    "&": "{a} & {b}",
    "|": "{a} | {b}",
    "^": "{a} ^ {b}",
    "&&": "{a} && {b}",
    "||": "{a} || {b}",
}
WORDS = {
    "+": "sum", "*": "product", "min": "min", "max": "max", "&": "and", "|": "or", "^": "xor", "&&": "all", "||": "any",
    "argmin": "argmin", "argmax": "argmax",
}  # fmt: skip
FLOATS = {"float", "double"}
BYTES = {
    "bool": 1, "char": 1, "signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2,
    "int": 4, "unsigned int": 4, "float": 4,
    "long": 8, "unsigned long": 8, "long long": 8, "unsigned long long": 8, "double": 8,
}  # fmt: skip
SMALLEST = {
    "int": "-2147483648", "unsigned int": "0u", "long": "-9223372036854775808", "long long": "-9223372036854775808",
    "unsigned long": "0ull", "unsigned long long": "0ull",
}  # fmt: skip
LARGEST = {
    "int": "2147483647", "unsigned int": "4294967295u", "long": "9223372036854775807",
    "long long": "9223372036854775807", "unsigned long": "18446744073709551615ull",
    "unsigned long long": "18446744073709551615ull",
}  # fmt: skip
# NVRTC has no INFINITY without a header; this is how CUDA's own math_constants.h spells it.
INFINITY: dict[str, Expr] = {
    "float": Call("__int_as_float", (Const("0x7f800000"),)),
    "double": Call("__longlong_as_double", (Const("0x7ff0000000000000LL", "long long"),)),
}
SMALL = {"bool", "char", "signed char", "unsigned char", "short", "unsigned short"}


@dataclass(frozen=True)
class Snippet:
    """A device function by its template's name and the values filled in."""

    template: str
    values: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        return dict(self.values)["name"]

    @property
    def text(self) -> str:
        """The function as CUDA."""
        return Template((FOLDER / f"{self.template}.cuh").read_text()).substitute(dict(self.values))


def neutral(operator: str, type: str) -> Expr | None:
    """The element that changes nothing; None for operators where the running value itself serves (min, and, ...)."""
    number = {"+": "0", "*": "1", "^": "0"}.get(operator)
    return None if number is None else literal(number, type)


def identity(operator: str, type: str) -> Expr | None:
    """The element that changes nothing, for every operator and type that has an atomic; None for other types."""
    if operator in ("+", "*", "^", "|", "||"):
        return literal("1" if operator == "*" else "0", type)
    if operator == "&&":
        return literal("1", type)
    if type in FLOATS:
        unbounded = INFINITY[type]
        return {"min": unbounded, "max": Unary("-", unbounded)}.get(operator)
    if type not in LARGEST:
        return None
    if operator == "&":
        return Unary("~", literal("0", type))
    return Const((LARGEST if operator == "min" else SMALLEST)[type], type)


def literal(number: str, type: str) -> Expr:
    """A whole number written in a type."""
    if type == "float":
        return Const(f"{number}.0f", "float")
    if type == "double":
        return Const(f"{number}.0", "double")
    return Unary("-", Const(number[1:])) if number.startswith("-") else Const(number)


def combined(operator: str, left: str, right: str) -> str:
    return COMBINE[operator].format(a=left, b=right)


def wide(type: str) -> str:
    """The type in which shuffles and sums of a small type run."""
    return "int" if type in SMALL else type


def type_word(type: str) -> str:
    return wide(type).replace("unsigned ", "u").replace("long long", "int64").replace("long", "int64").replace(" ", "_")


def reducer(operator: str, type: str, scope: str, style: str = "shuffle") -> Snippet:
    """The function that combines one value of every thread of a block or warp (`scope`); all get the result."""
    type = wide(type)
    template = {"warp": "warp_reduce", "block": "block_reduce"}[scope]
    if scope == "block" and style == "tree":
        template = "block_reduce_tree"
    values = [
        ("name", f"{scope}_{WORDS[operator]}" + ("" if type == "float" else f"_{type_word(type)}")),
        ("type", type),
        ("combine", combined(operator, "value", "other")),
        ("combine_tree", combined(operator, "partial[threadIdx.x]", "other")),
    ]
    return Snippet(template, tuple(values))


def arg_reducer(operator: str, value_type: str, index_type: str, scope: str, first_wins: bool) -> Snippet:
    """Like `reducer`, for the best value together with where it stands; of equals the first (or last) wins."""
    better = ">" if operator == "argmax" else "<"
    earlier = "<" if first_wins else ">"
    values = [
        ("name", f"{scope}_{operator}" + ("" if value_type == "float" else f"_{type_word(value_type)}")),
        ("value_type", wide(value_type)),
        ("index_type", index_type),
        ("better", better),
        ("earlier", earlier),
        ("which", "first" if first_wins else "last"),
    ]
    return Snippet(f"{scope}_arg", tuple(values))


def vector(type: str, count: int) -> Snippet:
    """A struct of `count` neighbouring elements that is loaded and stored in one access, or in a few of 16 bytes."""
    word = type.replace("unsigned ", "u").replace("signed ", "s").replace("long long", "longlong").replace(" ", "")
    size = count * BYTES[type]
    access = min(size & -size, 16)  # the widest power of two that divides it
    words = {2: "Two", 4: "Four", 8: "Eight", 16: "Sixteen"}.get(count, str(count))
    how = f"in one access of {size} bytes" if access == size else f"in accesses of {access} bytes"
    values = (("name", f"{word}_x{count}"), ("type", type), ("count", str(count)), ("words", words), ("how", how))
    return Snippet("vector", (*values, ("bytes", str(access))))
