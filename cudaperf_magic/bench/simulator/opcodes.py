"""What the simulator runs of PTX: one row an opcode, with where its meaning stands, and what reaches it in the tests.

The table is the truth: lower.py asks `must_run` about every instruction, so an opcode without a row does not run, and a
row that is `refused` says why. It gives no meaning to any opcode. OPCODES.md beside it is written from the table by
`python -m cudaperf_magic.bench.simulator.opcodes`, and tests/test_simulator_opcodes.py holds both to the code.

To add an opcode: a row in opcodes_arithmetic.py or opcodes_memory.py with its forms, the module that translates it, a
file of kernels in tests/kernels/simulator whose PTX has it on architecture `since` (on sm_90 if that is newer), and the
test that runs those kernels, as file.py::function. Where some forms of an opcode are refused, a second row names the
parts that tell them: `cp.async.bulk` is met by every cp that has both .async and .bulk. Of several rows a refused one
counts, else the one with the most parts. A refused row needs an example in tests/kernels/simulator/refused.ptx instead.
"""

from __future__ import annotations

import functools
from pathlib import Path

from cudaperf_magic.bench.simulator.opcode_rows import TITLES, OpcodeRow
from cudaperf_magic.bench.simulator.opcodes_arithmetic import ARITHMETIC
from cudaperf_magic.bench.simulator.opcodes_memory import CONTROL_ROWS, MEMORY_ROWS, WARP_ROWS
from cudaperf_magic.bench.simulator.ptx import Instruction
from cudaperf_magic.errors import Unsupported

ROWS: tuple[OpcodeRow, ...] = (*ARITHMETIC, *CONTROL_ROWS, *MEMORY_ROWS, *WARP_ROWS)
PSEUDO = ("copyparam", "barresult")  # made by the inliner and the flow; no PTX
DOCUMENT = Path(__file__).with_name("OPCODES.md")
INTRODUCTION = """# PTX in the simulator

Written from the table of opcodes by `python -m cudaperf_magic.bench.simulator.opcodes`; a test says that it is current.
*Since* is the first architecture on which NVRTC emits or accepts the opcode. *Kernels* are files in
`tests/kernels/simulator` that use it, and the test runs them. An opcode that stands here as refused, or not at all,
ends a run with one sentence that names it and its line.

Integers, and floating-point operations with a rounding, are exact to the bit. Approximations (`ex2`, `sin`,
`rcp.approx` and the like) are the C library's results, closer than a GPU's, so that CUDA's math functions stay within
their documented bounds but need not have the same last bit. A product and a sum are fused where the PTX says `fma`;
what ptxas may fuse beyond that is not. A NaN of float arithmetic is 0x7fffffff, of half and bfloat16 0x7fff, as on a
GPU; one of double is what this processor makes of it. Dividing an integer by zero, which CUDA leaves open, gives all
ones.
"""
HEAD = "| opcode | forms | since | meaning | kernels | test |\n|---|---|---|---|---|---|\n"


@functools.cache
def find(opcode: tuple[str, ...]) -> OpcodeRow | None:
    """The row an opcode falls under: of those whose parts it all has, a refused one, else the most specific."""
    parts = set(opcode[1:])
    fitting = [row for row in ROWS if row.name == opcode[0] and set(row.parts) <= parts]
    return max(fitting, key=lambda row: (bool(row.refused), len(row.parts)), default=None)


def must_run(ins: Instruction) -> None:
    """Lets an instruction of the table pass.

    Raises:
        Unsupported: naming the instruction, its line, and why it is refused.
    """
    if ins.opcode[0] in PSEUDO:
        return
    row = find(ins.opcode)
    if row is None:
        raise Unsupported(ins.text, ins.line)
    if row.refused:
        raise Unsupported(f"{ins.text} ({row.refused})", ins.line)


def document() -> str:
    """The text of OPCODES.md."""
    parts = [INTRODUCTION]
    for title in TITLES:
        rows = [row for row in ROWS if row.title == title and not row.refused]
        parts.append(f"\n## {title}\n\n{HEAD}")
        parts += [
            f"| `{r.opcode}` | {r.forms} | {r.since} | `{r.module}` | `{r.kernels}` | `{r.test}` |\n" for r in rows
        ]
    parts.append("\n## Refused by name\n\n| opcode | why |\n|---|---|\n")
    parts += [f"| `{row.opcode}` | {row.refused} |\n" for row in ROWS if row.refused]
    return "".join(parts)


if __name__ == "__main__":
    DOCUMENT.write_text(document())
