"""A row of the table of opcodes. Rows stand in opcodes_arithmetic.py and opcodes_memory.py; opcodes.py uses them."""

from __future__ import annotations

from dataclasses import dataclass

INTEGER, FLOAT, COMPARE = "Integers and bits", "Floating point", "Comparison and selection"
MOVE, CONTROL, MEMORY, WARP = "Moves and conversions", "Control", "Memory", "Threads that meet"
TITLES = (INTEGER, FLOAT, COMPARE, MOVE, CONTROL, MEMORY, WARP)

Named = tuple[str, str] | tuple[str, str, str]


@dataclass(frozen=True)
class OpcodeRow:
    """One opcode, or some of its forms. Either it has a module, kernels and a test, or it says why it is refused."""

    opcode: str  # its name, then the parts that tell these forms from others: "cp.async.bulk"
    title: str
    forms: str = ""
    module: str = ""
    kernels: str = ""
    test: str = ""
    since: str = "sm_75"
    refused: str = ""

    def __post_init__(self) -> None:
        if bool(self.refused) == bool(self.module and self.kernels and self.test):
            raise ValueError(f"{self.opcode} is either refused or has a module, kernels and a test")

    @property
    def name(self) -> str:
        return self.opcode.split(".")[0]

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(self.opcode.split(".")[1:])


def rows(title: str, module: str, kernels: str, test: str, *named: Named) -> list[OpcodeRow]:
    """Rows that share their module, kernels and test: (opcode, forms) or (opcode, forms, since)."""
    return [OpcodeRow(n[0], title, n[1], module, kernels, test, *n[2:]) for n in named]


def refused(title: str, why: str, *opcodes: str) -> list[OpcodeRow]:
    return [OpcodeRow(opcode, title, refused=why) for opcode in opcodes]
