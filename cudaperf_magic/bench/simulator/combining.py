"""Which atomics ptxas lets one lane do for all that meet at an address, told from the PTX. It changes no result.

Two rules, read off the SASS for sm_90 (ptxas 13) and its counters on an H200: a whole-number atomic at an address that
is the same in the whole warp for certain is combined by a vote or REDUX; adding 1 in shared memory is ATOMS.POPC.INC,
which counts the lanes of each address at once. Floats are never combined. It sees no value that only the data makes
uniform.
"""

from __future__ import annotations

from collections.abc import Iterable

from cudaperf_magic.bench.simulator.liveness import registers_read, registers_written
from cudaperf_magic.bench.simulator.ptx import Address, Instruction, Integer, Reg

COMBINED = ("add", "min", "max", "and", "or", "xor")
WORDS = ("u32", "s32", "b32")
LONG_WORDS = ("u64", "s64")  # only when every lane adds the same constant: there is no REDUX of 64 bits
PURE = ("mov", "cvta", "cvt", "add", "sub", "mul", "mad", "shl", "shr", "and", "or", "xor", "not", "neg", "min", "max")
# Special registers that all lanes of a warp read alike.
OF_THE_BLOCK = ("%ctaid", "%nctaid", "%ntid", "%clusterid", "%gridid")


def uniform_registers(body: Iterable[Instruction]) -> frozenset[str]:
    """Registers that hold the same in every lane: made once, from parameters, block indices and constants alone."""
    makers: dict[str, list[Instruction]] = {}
    for ins in body:
        for name in registers_written(ins):
            makers.setdefault(name, []).append(ins)
    candidates = {n: made[0] for n, made in makers.items() if len(made) == 1 and _is_pure(made[0])}
    found: set[str] = set()
    grows = True
    while grows:
        new = {
            name
            for name, ins in candidates.items()
            if name not in found and all(r in found or r.startswith(OF_THE_BLOCK) for r in registers_read(ins))
        }
        found |= new
        grows = bool(new)
    return frozenset(found)


def lanes_are_combined(ins: Instruction, uniform: frozenset[str]) -> bool:
    """Of an atom or red: whether lanes that meet at an address cost no more than one."""
    kind, values = ins.opcode[-1], ins.operands[1:] if ins.opcode[0] == "red" else ins.operands[2:]
    if not set(ins.opcode) & set(COMBINED) or len(values) != 1:
        return False
    constant = values[0].value if isinstance(values[0], Integer) else None
    if kind in WORDS and constant == 1 and {"add", "shared"} <= {part.split("::")[0] for part in ins.opcode}:
        return True
    address = next((operand for operand in ins.operands[:2] if isinstance(operand, Address)), None)
    if address is None or (isinstance(address.base, Reg) and address.base.name not in uniform):
        return False
    return kind in WORDS or (kind in LONG_WORDS and constant is not None)


def _is_pure(ins: Instruction) -> bool:
    return ins.guard is None and (ins.opcode[0] in PURE or ins.opcode[:2] == ("ld", "param"))
