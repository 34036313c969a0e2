"""Where an instruction touches memory: its site, its address in C, the host pointer it leads to. Counts nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

from cudaperf_magic.bench.simulator.combining import lanes_are_combined
from cudaperf_magic.bench.simulator.operands import Scope
from cudaperf_magic.bench.simulator.ptx import Address, Instruction, Operand, PtxError, Reg, Symbol
from cudaperf_magic.errors import Unsupported

# In the order of sim.h.
SPACES = ("global", "shared", "local", "const", "param", "generic")
OPERATIONS = ("load", "store", "atomic", "barrier", "collective", "fence", "other")
TRACED = ("global", "shared", "local", "generic")
PAST_L1 = ("cg", "cv", "L1::no_allocate")
STRONG = ("volatile", "relaxed", "acquire", "release", "acq_rel", "mmio")


@dataclass(frozen=True)
class SiteInfo:
    """One instruction that touches memory or at which threads meet."""

    space: str
    operation: str
    size: int  # bytes a lane
    is_strong: bool
    line: int
    is_release: bool = False
    is_past_l1: bool = False  # a load that takes nothing from L1, and leaves nothing there
    is_volatile: bool = False
    orders_warps: bool = False  # threads of different warps may be ordered by it, as by no barrier of the whole block
    orders_lanes: bool = False  # __syncwarp
    is_late: bool = False  # a store whose bytes are there only after a wait: cp.async
    is_foreign: bool = False  # from a header
    is_combined: bool = False  # an atomic whose lanes cost no more than one where they meet
    is_matrix: bool = False  # ldmatrix and stmatrix: a pass for each matrix of eight rows
    opcode: tuple[str, ...] = ()

    @property
    def flags(self) -> int:
        """As sim.h numbers them."""
        claims = (
            self.is_strong, self.is_release, self.is_past_l1, self.orders_lanes, self.is_volatile, self.is_late,
            self.is_combined, self.is_matrix, self.is_foreign,
        )  # fmt: skip
        return sum(bool(claim) << i for i, claim in enumerate(claims))


@dataclass
class Sites:
    """The sites of a kernel, numbered as they are met, and those of the segment at hand."""

    all: list[SiteInfo] = field(default_factory=list)
    here: list[int] = field(default_factory=list)
    uniform: frozenset[str] = frozenset()  # registers that hold the same in every lane

    def add(self, space: str, operation: str, size: int, ins: Instruction, is_late: bool = False) -> int:
        strong = any(part in STRONG for part in ins.opcode) and operation != "atomic"
        is_release = "release" in ins.opcode or "acq_rel" in ins.opcode
        is_past_l1 = any(part in PAST_L1 for part in ins.opcode)
        orders_lanes = operation == "collective" and ins.opcode[0] in ("bar", "barrier")
        self.all.append(
            SiteInfo(
                space,
                operation,
                size,
                strong,
                ins.line,
                is_release,
                is_past_l1,
                is_volatile="volatile" in ins.opcode,
                orders_warps=_orders_warps(operation, ins),
                orders_lanes=orders_lanes,
                opcode=ins.opcode,
                is_late=is_late,
                is_foreign=ins.is_foreign,
                is_matrix=ins.opcode[0] in ("ldmatrix", "stmatrix"),
                is_combined=operation == "atomic" and lanes_are_combined(ins, self.uniform),
            )
        )
        number = len(self.all) - 1
        if space in TRACED and operation in ("load", "store", "atomic", "fence"):
            self.here.append(number)
        return number


def _orders_warps(operation: str, ins: Instruction) -> bool:
    """Fences, acquires, releases, and barriers that not all threads of a block need to reach."""
    if operation == "barrier":
        return "arrive" in ins.opcode or len(ins.operands) - ("red" in ins.opcode) > 1
    return operation == "fence" or any(part in ("acquire", "release", "acq_rel") for part in ins.opcode)


@dataclass(frozen=True)
class Frame:
    """Where a kernel's variables lie: parameters in the launch's block of arguments, the rest in each lane's memory."""

    parameters: dict[str, int]
    local: dict[str, int]
    sizes: dict[str, int]  # bytes, of both

    def at(self, name: str, size: int, offset: int = 0) -> int:
        """Where bytes [offset, offset + size) of a variable in a lane's memory lie.

        Raises:
            PtxError: the variable has no such bytes.
        """
        if name not in self.local or not 0 <= offset <= self.sizes[name] - size:
            raise PtxError(f"bytes {offset} to {offset + size} of the parameter {name[:80]}")
        return self.local[name] + offset


def space_of(ins: Instruction) -> str:
    for part in ins.opcode[1:]:
        base = part.split("::")[0]
        if base in SPACES:
            if part == "shared::cluster":
                return "generic"
            return base
        if base in ("tex", "surf"):
            raise Unsupported(ins.text, ins.line)
    return "generic"


def address_of(operand: Operand, scope: Scope, space: str, line: int) -> str:
    if isinstance(operand, Reg | Symbol):
        operand = Address(operand, 0)
    assert isinstance(operand, Address)
    if operand.base is None:
        return f"{operand.offset & (2**64 - 1)}ull"
    narrow = (
        space in ("shared", "local")
        and isinstance(operand.base, Reg)
        and scope.kinds.get(operand.base.name, "b64")[-2:] == "32"
    )
    base = scope.value(operand.base, "u32" if narrow else "u64", line)
    return f"({base} + ({'s32' if narrow else 's64'}){operand.offset})" if operand.offset else f"{base}"


def place(
    ins: Instruction, operand: Operand, operation: str, size: int, scope: Scope, sites: Sites, frame: Frame
) -> tuple[str, int]:
    """The C expression of the host pointer that an address operand leads to, and its site."""
    space = space_of(ins)
    if space == "param" and isinstance(operand, Address | Symbol):
        base = operand.base if isinstance(operand, Address) else operand
        offset = operand.offset if isinstance(operand, Address) else 0
        if isinstance(base, Symbol) and base.name in frame.local:
            return f"(frame_ + {frame.at(base.name, size, offset)})", -1
        if operation != "load":
            raise PtxError(f"a store to a kernel's own parameters, line {ins.line}")
        if isinstance(base, Symbol) and base.name in frame.parameters:
            if not 0 <= offset <= frame.sizes[base.name] - size:
                raise PtxError(f"bytes {offset} to {offset + size} of the parameter {base.name[:80]}")
            return f"(params + {frame.parameters[base.name] + offset})", -1
    site = sites.add(space, operation, size, ins)
    return f"{space.upper()}_AT({site}, {address_of(operand, scope, space, ins.line)}, {size})", site
