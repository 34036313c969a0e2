"""PTX operands and types as C expressions. It knows registers and constants, no opcode."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, replace

from cudaperf_magic.bench.simulator.ptx import Instruction, Integer, Negated, Operand, Real, Reg, Symbol
from cudaperf_magic.errors import Unsupported

C_TYPE = {
    "pred": "u8", "b8": "u8", "u8": "u8", "s8": "s8", "b16": "u16", "u16": "u16", "s16": "s16", "b32": "u32",
    "u32": "u32", "s32": "s32", "b64": "u64", "u64": "u64", "s64": "s64", "f32": "f32", "f64": "f64", "f16": "u16",
    "bf16": "u16", "f16x2": "u32", "bf16x2": "u32", "b128": "u128", "u16x2": "u32", "s16x2": "u32", "tf32": "u32",
    "f32x2": "u64",
}  # fmt: skip
# What a register is in C, by its declared type: integers without sign, floats as floats.
REGISTER_TYPE = {
    "pred": "u8", "b8": "u8", "u8": "u8", "s8": "u8", "b16": "u16", "u16": "u16", "s16": "u16", "f16": "u16",
    "b32": "u32", "u32": "u32", "s32": "u32", "b64": "u64", "u64": "u64", "s64": "u64", "f32": "f32", "f64": "f64",
    "b128": "u128", "f16x2": "u32", "bf16x2": "u32",
}  # fmt: skip
SPECIAL = {
    "%tid.x": "w->tid[0][lane]", "%tid.y": "w->tid[1][lane]", "%tid.z": "w->tid[2][lane]",
    "%ntid.x": "launch->block[0]", "%ntid.y": "launch->block[1]", "%ntid.z": "launch->block[2]",
    "%ctaid.x": "block->id[0]", "%ctaid.y": "block->id[1]", "%ctaid.z": "block->id[2]",
    "%nctaid.x": "launch->grid[0]", "%nctaid.y": "launch->grid[1]", "%nctaid.z": "launch->grid[2]",
    "%laneid": "lane", "%warpid": "w->index", "%nwarpid": "64u", "%smid": "(u32)(block->index % 132)",
    "%nsmid": "132u", "%gridid": "0ull", "%lanemask_eq": "BIT(lane)", "%lanemask_lt": "(BIT(lane) - 1)",
    "%lanemask_le": "((BIT(lane) - 1) | BIT(lane))", "%lanemask_gt": "~((BIT(lane) - 1) | BIT(lane))",
    "%lanemask_ge": "~(BIT(lane) - 1)", "%clock": "(u32)(w->sim->clock += 32)", "%clock_hi": "0u",
    "%clock64": "(w->sim->clock += 32)", "%globaltimer": "(w->sim->clock += 32)",
    "%globaltimer_lo": "(u32)(w->sim->clock += 32)", "%globaltimer_hi": "0u",
    "%dynamic_smem_size": "launch->dynamic_shared",
    "%total_smem_size": "(STATIC_SHARED + launch->dynamic_shared + 127 & ~127u)",
    "%envreg1": "(u32)(launch->envreg >> 32)", "%envreg2": "(u32)launch->envreg", "%envreg0": "0u",
    "%cluster_ctarank": "0u", "%cluster_nctarank": "1u", "%is_explicit_cluster": "0",
    "%cluster_ctaid.x": "0u", "%cluster_ctaid.y": "0u", "%cluster_ctaid.z": "0u",
    "%cluster_nctaid.x": "1u", "%cluster_nctaid.y": "1u", "%cluster_nctaid.z": "1u",
    "%clusterid.x": "block->id[0]", "%clusterid.y": "block->id[1]", "%clusterid.z": "block->id[2]",
    "%nclusterid.x": "launch->grid[0]", "%nclusterid.y": "launch->grid[1]", "%nclusterid.z": "launch->grid[2]",
    "%warpsize": "32u", "WARP_SZ": "32u",
}  # fmt: skip


def is_type(part: str) -> bool:
    return part in C_TYPE


def types_of(ins: Instruction) -> list[str]:
    return [part for part in ins.opcode[1:] if part in C_TYPE]


def is_float(kind: str) -> bool:
    return kind in ("f16", "bf16", "f16x2", "bf16x2", "f32", "f64", "f32x2")


def bits(kind: str) -> int:
    return {"u8": 8, "s8": 8, "u16": 16, "s16": 16, "u32": 32, "s32": 32, "f32": 32, "f64": 64, "u128": 128}.get(
        C_TYPE[kind], 64
    )


@dataclass(frozen=True)
class Scope:
    """Where names of one kernel stand: registers (name -> declared type, C name) and addresses of symbols in C.

    `computed` are registers with results of float arithmetic: a NaN in them shows the GPU's bits (nans.py).
    """

    kinds: dict[str, str]
    c_names: dict[str, str]
    symbols: dict[str, str]
    computed: frozenset[str] = frozenset()

    def register_type(self, name: str) -> str:
        kind = self.kinds[name]
        if kind not in REGISTER_TYPE:
            raise Unsupported(f"registers of type .{kind}", 0)
        return REGISTER_TYPE[kind]

    def value(self, operand: Operand, kind: str, line: int = 0) -> str:
        """The C expression of `operand` read as PTX type `kind`."""
        if isinstance(operand, Reg):
            return self._register(operand, kind, line)
        if isinstance(operand, Negated):
            return f"(!{self.value(operand.register, 'pred', line)})"
        if isinstance(operand, Integer):
            return integer(operand.value, kind)
        if isinstance(operand, Real):
            return real(operand, kind)
        if isinstance(operand, Symbol):
            if operand.name in SPECIAL:
                return SPECIAL[operand.name]
            if operand.name in self.symbols:
                return self.symbols[operand.name]
            raise Unsupported(f"the address of {operand.name}", line)
        raise Unsupported(f"operand {operand!r}", line)

    def _register(self, operand: Reg, kind: str, line: int) -> str:
        if operand.name not in self.kinds:
            if operand.name in SPECIAL:
                return f"(({C_TYPE[kind]})({SPECIAL[operand.name]}))"
            raise Unsupported(f"special register {operand.name}", line)
        name, held = self.c_names[operand.name], self.register_type(operand.name)
        wanted = C_TYPE[kind]
        if operand.name in self.computed and wanted not in ("f32", "f64"):
            return f64_or(f"shown_f32({f'bits_f32({name})' if held == 'f32' else name})", wanted)
        if wanted == held:
            return name
        if held == "f32":
            return f64_or(f"bits_f32({name})", wanted)
        if held == "f64":
            return f64_or(f"bits_f64({name})", wanted)
        if wanted == "f32":
            return f"f32_bits((u32){name})"
        if wanted == "f64":
            return f"f64_bits({name})"
        return f"(({wanted}){name})"

    def copied(self, operand: Operand, kind: str, line: int = 0) -> str:
        """The value as it is, for a move into another register: nobody sees its bits yet."""
        return replace(self, computed=frozenset()).value(operand, kind, line)

    def assign(self, operand: Operand, kind: str, expression: str) -> str:
        """The C statement that puts `expression`, of PTX type `kind`, into a register. `_` takes nothing."""
        if not isinstance(operand, Reg) or operand.name not in self.kinds:
            return f"(void)({expression});"
        name, held = self.c_names[operand.name], self.register_type(operand.name)
        given = C_TYPE[kind]
        if held == given:
            return f"{name} = {expression};"
        if held in ("f32", "f64"):
            return f"{name} = {held}_bits(({'u32' if held == 'f32' else 'u64'})({expression}));"
        if given in ("f32", "f64"):
            return f"{name} = ({held})bits_{given}({expression});"
        return f"{name} = ({held})({given})({expression});"


def f64_or(expression: str, wanted: str) -> str:
    """The bits in `expression`, as the float or integer type `wanted`."""
    if wanted == "f32":
        return f"f32_bits((u32){expression})"
    if wanted == "f64":
        return f"f64_bits({expression})"
    return f"(({wanted}){expression})"


def integer(value: int, kind: str) -> str:
    if kind == "f32":
        return f"f32_bits({value & 0xFFFFFFFF}u)"
    if kind == "f64":
        return f"f64_bits({value & 0xFFFFFFFFFFFFFFFF}ull)"
    width = bits(kind)
    if width == 128:
        return f"((u128){value & (2**64 - 1)}ull)"
    return f"(({C_TYPE[kind]}){value & ((1 << width) - 1)}{'ull' if width == 64 else 'u'})"


def real(operand: Real, kind: str) -> str:
    if not is_float(kind) or kind in ("f16", "bf16"):
        return f"0x{operand.bits:x}{'ull' if operand.size == 8 else 'u'}"
    if operand.size == 4:
        (number,) = struct.unpack("<f", operand.bits.to_bytes(4, "little"))
    else:
        (number,) = struct.unpack("<d", operand.bits.to_bytes(8, "little"))
    if kind == "f32" and operand.size == 8:
        return f"((f32){real(operand, 'f64')})"
    if math.isfinite(number):
        return f"({float(number).hex()}{'f' if kind == 'f32' else ''})"
    return f"{kind}_bits(0x{operand.bits:x}{'ull' if operand.size == 8 else 'u'})"
