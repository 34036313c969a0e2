"""The nouns of a PTX module: variables, functions, instructions, operands. Reads no text (ptx_reader.py)."""

from __future__ import annotations

from dataclasses import dataclass, field

from cudaperf_magic.errors import Unsupported


class PtxError(Unsupported):
    """PTX that the reader does not understand: our fault, not the candidate's."""

    def __init__(self, what: str) -> None:
        super().__init__(f"PTX that it cannot read ({what})")


@dataclass(frozen=True)
class Reg:
    name: str  # "%r12", or a special register such as "%tid.x"


@dataclass(frozen=True)
class Negated:
    register: Reg


@dataclass(frozen=True)
class Integer:
    value: int


@dataclass(frozen=True)
class Real:
    """A floating-point constant by its bits, of 4 or 8 bytes."""

    bits: int
    size: int


@dataclass(frozen=True)
class Symbol:
    name: str


@dataclass(frozen=True)
class Address:
    base: Reg | Symbol | None
    offset: int


@dataclass(frozen=True)
class Vector:
    items: tuple[Operand, ...]


@dataclass(frozen=True)
class Pair:
    """`d|p`: a result and the predicate that comes with it."""

    first: Operand
    second: Operand


@dataclass(frozen=True)
class Group:
    """The parenthesised operands of a call."""

    items: tuple[Operand, ...]


Operand = Reg | Negated | Integer | Real | Symbol | Address | Vector | Pair | Group


@dataclass(frozen=True)
class Instruction:
    """`opcode` without dots, e.g. ("ld", "global", "v4", "f32"). `guard` is a predicate and whether it is negated."""

    opcode: tuple[str, ...]
    operands: tuple[Operand, ...] = ()
    guard: tuple[str, bool] | None = None
    line: int = 0
    is_foreign: bool = False  # from a header that was inlined at `line`

    @property
    def text(self) -> str:
        return ".".join(self.opcode)


@dataclass(frozen=True)
class Label:
    name: str


@dataclass(frozen=True)
class Variable:
    """A variable of module or function."""

    name: str
    space: str
    align: int
    size: int
    is_extern: bool = False
    initial: tuple[tuple[int, int | tuple[str, int]], ...] = ()  # (offset, byte or address of a symbol)


@dataclass
class Function:
    name: str
    is_kernel: bool
    results: tuple[Variable, ...] = ()
    parameters: tuple[Variable, ...] = ()
    registers: dict[str, str] = field(default_factory=dict)  # name -> type, e.g. "f32"
    variables: dict[str, Variable] = field(default_factory=dict)
    tables: dict[str, tuple[str, ...]] = field(default_factory=dict)  # .branchtargets
    body: list[Instruction | Label] = field(default_factory=list)
    has_body: bool = False
    cluster: int = 1  # blocks that run as one cluster
    most_threads: int = 0  # of a block, by __launch_bounds__; 0: it says nothing


@dataclass
class Module:
    variables: dict[str, Variable] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)


def size_of(kind: str) -> int:
    """Bytes of a PTX type name without its dot."""
    digits = kind.lstrip("abcdefghijklmnopqrstuvwxyz")
    if kind == "pred":
        return 1
    if kind in ("f16x2", "bf16x2"):
        return 4
    if digits not in ("8", "16", "32", "64", "128"):
        raise PtxError(f"the type .{kind[:40]}")
    return int(digits) // 8
