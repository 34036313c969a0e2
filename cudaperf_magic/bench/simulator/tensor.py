"""Instructions on matrices that a warp holds together -> C: mma, wmma, ldmatrix, stmatrix, movmatrix.

tensor.c multiplies. Memory is reached as rows of at most 16 bytes, one a lane, so that bounds, races and bank conflicts
show as those of any other access. Shapes whose fragments it does not know are refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cudaperf_magic.bench.simulator.access import Sites, address_of, space_of
from cudaperf_magic.bench.simulator.operands import Scope
from cudaperf_magic.bench.simulator.ptx import Instruction, Operand, Vector
from cudaperf_magic.bench.simulator.rows import ROUNDING
from cudaperf_magic.errors import Unsupported

MATRIX = ("mma", "wmma", "ldmatrix", "stmatrix", "movmatrix")
# In the order of tensor.c, with their bits.
KINDS = {
    "f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "f32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4,
    "b1": 1, "s32": 32,
}  # fmt: skip
NUMBER = {kind: i for i, kind in enumerate(KINDS)}
SATURATES, IS_OPAQUE, AND = 1, 2, 4
ROW_BYTES = 16
DEPTHS = (4, 8, 16, 32, 64, 128, 256)  # of m16n8
WMMA_SHAPES = ((16, 16, 16), (32, 8, 16), (8, 32, 16), (16, 16, 8), (8, 8, 4), (8, 8, 32), (8, 8, 128))
SMALL = {"m8n8k16": ("s8", "u8"), "m8n8k32": ("s4", "u4"), "m8n8k128": ("b1",), "m8n8k4": ("f64",)}


def matrix(ins: Instruction, scope: Scope, sites: Sites, collect: str, site: int) -> str:
    """The C statements of a matrix instruction; `collect` gathers the whole warp and its collective site is `site`."""
    head = f"{collect} rt_whole_warp(w, {site});\n"
    name = ins.opcode[0]
    if name == "movmatrix":
        return head + _transpose(ins, scope)
    if name in ("ldmatrix", "stmatrix"):
        return head + _rows(ins, scope, sites)
    if name == "wmma" and ins.opcode[1] in ("load", "store"):
        return head + _fragment(ins, scope, sites)
    return head + _product(ins, scope)


def _shape(ins: Instruction) -> tuple[int, int, int]:
    for part in ins.opcode:
        head, _, depth = part.partition("k")
        rows, _, columns = head[1:].partition("n")
        if part[:1] == "m" and rows.isdecimal() and columns.isdecimal() and depth.isdecimal():
            shape = int(rows), int(columns), int(depth)
            if ins.opcode[0] == "mma" or shape in WMMA_SHAPES:
                return shape
    raise Unsupported(ins.text, ins.line)


def _items(operand: Operand) -> tuple[Operand, ...]:
    return operand.items if isinstance(operand, Vector) else (operand,)


def _words(kind: str, registers: Sequence[Operand]) -> int:
    return len(registers) * (2 if kind == "f64" else 1)


def _gather(name: str, kind: str, registers: Sequence[Operand], scope: Scope, line: int) -> str:
    """Declares `name[lane][word]` and fills it from registers."""
    words = _words(kind, registers)
    if kind == "f64":
        parts = [f"u64 v{i}_ = {scope.value(r, 'b64', line)};" for i, r in enumerate(registers)]
        parts += [
            f"{name}[lane][{2 * i}] = (u32)v{i}_; {name}[lane][{2 * i + 1}] = (u32)(v{i}_ >> 32);"
            for i in range(len(registers))
        ]
    else:
        parts = [f"{name}[lane][{i}] = {scope.value(r, 'b32', line)};" for i, r in enumerate(registers)]
    return f"u32 {name}[32][{words}] = {{{{0}}}}; FOR_LANES(mask) {{ {' '.join(parts)} }}\n"


def _scatter(name: str, kind: str, registers: Sequence[Operand], scope: Scope) -> str:
    """Fills registers from `name[lane][word]`."""
    if kind == "f64":
        texts = [f"({name}[lane][{2 * i}] | (u64){name}[lane][{2 * i + 1}] << 32)" for i in range(len(registers))]
        parts = [scope.assign(r, "b64", text) for r, text in zip(registers, texts, strict=True)]
    else:
        parts = [scope.assign(r, "b32", f"{name}[lane][{i}]") for i, r in enumerate(registers)]
    return f"FOR_LANES(mask) {{ {' '.join(parts)} }}"


# ---- products ----


def _kinds(ins: Instruction) -> tuple[str, str, str, str]:
    """Element types of a, b, c and d. An opcode of two types has those of d and c, and f16 factors."""
    given = [part for part in ins.opcode if part in KINDS]
    if len(given) == 2:
        return "f16", "f16", given[1], given[0]
    if len(given) == 1 and given[0] == "s32":
        raise Unsupported(ins.text, ins.line)
    if len(given) != 4:
        raise Unsupported(ins.text, ins.line)
    return given[1], given[2], given[3], given[0]


def _check(ins: Instruction, kinds: tuple[str, str, str, str], mnk: tuple[int, int, int]) -> None:
    """Refuses what tensor.c would not get right."""
    is_wmma = ins.opcode[0] == "wmma"
    odd = any(part.startswith("kind::mx") or part in ("sp", "block_scale") for part in ins.opcode) or "sp::" in ins.text
    whole = kinds[3] == "s32"
    known = whole == (kinds[2] == "s32") and whole == (kinds[0] in ("s8", "u8", "s4", "u4", "b1"))
    if not is_wmma:
        small = kinds[0] in SMALL.get(f"m{mnk[0]}n{mnk[1]}k{mnk[2]}", ())
        known = known and (small or (mnk[:2] == (16, 8) and mnk[2] in DEPTHS))
    if odd or not known or ("satfinite" in ins.opcode and not whole):
        raise Unsupported(ins.text, ins.line)


def _product(ins: Instruction, scope: Scope) -> str:
    kinds, mnk = _kinds(ins), _shape(ins)
    _check(ins, kinds, mnk)
    d, a, b, c = (_items(operand) for operand in ins.operands[:4])
    given = list(zip("abc", kinds, (a, b, c), strict=False))
    _check_counts(ins, kinds, mnk, (a, b, c, d))
    flags = (
        SATURATES * ("satfinite" in ins.opcode) | IS_OPAQUE * (ins.opcode[0] == "wmma") | AND * ("and" in ins.opcode)
    )
    mode = next((ROUNDING[part] for part in ins.opcode if part in ROUNDING), 0)
    words = [_words(kind, registers) for kind, registers in zip(kinds, (a, b, c, d), strict=True)]
    loads = "".join(_gather(f"{name}_", kind, registers, scope, ins.line) for name, kind, registers in given)
    listed = [", ".join(map(str, row)) for row in ([NUMBER[kind] for kind in kinds], words, mnk)]
    return (
        f"{loads}u32 d_[32][{words[3]}] = {{{{0}}}}; rt_mma((const u8[]){{{listed[0]}}}, (const u8[]){{{listed[1]}}},"
        f" (const u16[]){{{listed[2]}}}, {flags}, {mode}, a_[0], b_[0], c_[0], d_[0]);\n"
        + _scatter("d_", kinds[3], d, scope)
    )


def _check_counts(
    ins: Instruction,
    kinds: tuple[str, str, str, str],
    mnk: tuple[int, int, int],
    registers: tuple[tuple[Operand, ...], ...],
) -> None:
    """Refuses a product whose registers do not hold just its matrices (wmma may hold each element several times)."""
    m, n, k = mnk
    for kind, elements, held in zip(kinds, (m * k, k * n, m * n, m * n), registers, strict=True):
        bits = 32 * 32 * _words(kind, held)
        wanted = elements * KINDS[kind]
        if bits % wanted or (ins.opcode[0] == "mma" and bits != wanted):
            raise Unsupported(ins.text, ins.line)


# ---- rows of memory ----


@dataclass(frozen=True)
class _Place:
    """The space and operation of a matrix instruction's accesses, and how to write one access of `size` bytes."""

    space: str
    operation: str
    sites: Sites
    ins: Instruction

    def access(self, size: int, lanes: str, address: str, move: Callable[[str], str]) -> str:
        """One request of the warp: each lane of `lanes`, a C condition, moves `size` bytes at `address`."""
        site = self.sites.add(self.space, self.operation, size, self.ins)
        pointer = f"{self.space.upper()}_AT({site}, {address}, {size})"
        return (
            f"{{ SITE({site}); FOR_LANES(mask) if ({lanes}) {{ u8 *p_ = {pointer}; {move('p_')} }} REPORT({site}); }}\n"
        )


def _rows(ins: Instruction, scope: Scope, sites: Sites) -> str:
    """ldmatrix and stmatrix: 8 x 8 matrices of 16-bit elements, whose rows the lanes name eight by eight."""
    count = next((int(part[1]) for part in ins.opcode if part in ("x1", "x2", "x4")), 0)
    if not count or "m8n8" not in ins.opcode or "b16" not in ins.opcode:
        raise Unsupported(ins.text, ins.line)
    is_store = ins.opcode[0] == "stmatrix"
    address, vector = ins.operands[:2] if is_store else ins.operands[1::-1]
    place = _Place(space_of(ins), "store" if is_store else "load", sites, ins)
    registers = _items(vector)
    if len(registers) != count:
        raise Unsupported(ins.text, ins.line)
    row = "&rows_[lane >> 3][lane & 7]"
    move = (lambda p: f"memcpy({p}, {row}, 16);") if is_store else (lambda p: f"memcpy({row}, {p}, 16);")
    access = place.access(ROW_BYTES, f"lane < {8 * count}", address_of(address, scope, place.space, ins.line), move)
    near, far = "rows_[{0}][lane >> 2][2 * (lane & 3)]", "rows_[{0}][lane >> 2][2 * (lane & 3) + 1]"
    if "trans" in ins.opcode:
        near, far = "rows_[{0}][2 * (lane & 3)][lane >> 2]", "rows_[{0}][2 * (lane & 3) + 1][lane >> 2]"
    declared = "u16 rows_[4][8][8];"
    if is_store:
        parts = [
            f"{{ u32 v_ = {scope.value(r, 'b32', ins.line)}; {near.format(i)} = (u16)v_;"
            f" {far.format(i)} = (u16)(v_ >> 16); }}"
            for i, r in enumerate(registers)
        ]
        return f"{declared} FOR_LANES(mask) {{ {' '.join(parts)} }} {access}"
    parts = [
        scope.assign(r, "b32", f"((u32){near.format(i)} | (u32){far.format(i)} << 16)") for i, r in enumerate(registers)
    ]
    return f"{declared} {access} FOR_LANES(mask) {{ {' '.join(parts)} }}"


def _transpose(ins: Instruction, scope: Scope) -> str:
    target, source = (_items(operand)[0] for operand in ins.operands[:2])
    moved = "(cell_[2 * (lane & 3)][lane >> 2] | (u32)cell_[2 * (lane & 3) + 1][lane >> 2] << 16)"
    return (
        f"u16 cell_[8][8]; FOR_LANES(mask) {{ u32 v_ = {scope.value(source, 'b32', ins.line)};"
        " cell_[lane >> 2][2 * (lane & 3)] = (u16)v_; cell_[lane >> 2][2 * (lane & 3) + 1] = (u16)(v_ >> 16); }\n"
        f"FOR_LANES(mask) {{ {scope.assign(target, 'b32', moved)} }}"
    )


def _fragment(ins: Instruction, scope: Scope, sites: Sites) -> str:
    """wmma.load and wmma.store: a tile of memory, its rows (or columns) a stride apart."""
    is_store, role = ins.opcode[1] == "store", ins.opcode[2]
    m, n, k = _shape(ins)
    rows, columns = {"a": (m, k), "b": (k, n)}.get(role, (m, n))
    kind = next(part for part in reversed(ins.opcode) if part in KINDS)
    by_column, bits = int("col" in ins.opcode), KINDS[kind]
    vector, address = ins.operands[1::-1] if is_store else ins.operands[:2]
    majors, minor = (columns, rows) if by_column else (rows, columns)
    stride = scope.value(ins.operands[2], "u32", ins.line) if len(ins.operands) > 2 else str(minor)
    minor_bytes = minor * bits // 8
    size = min(ROW_BYTES, minor_bytes)
    each = minor_bytes // size  # accesses a row
    place = _Place(space_of(ins), "store" if is_store else "load", sites, ins)
    base = address_of(address, scope, place.space, ins.line)
    requests = []
    for first in range(0, majors * each, 32):
        number = f"({first} + lane)"
        tile = f"tile_ + {number} * {size}"
        at = f"({base} + (u64)({number} / {each}) * {stride} * {bits} / 8 + {number} % {each} * {size})"
        move = (
            (lambda p, t=tile: f"memcpy({p}, {t}, {size});")
            if is_store
            else (lambda p, t=tile: f"memcpy({t}, {p}, {size});")
        )
        requests.append(place.access(size, f"{number} < {majors * each}", at, move))
    registers = _items(vector)
    words = _words(kind, registers)
    if words * 32 * 32 % (rows * columns * bits):  # each element equally often, and none left out
        raise Unsupported(ins.text, ins.line)
    between = f"rt_fragment(x_[0], tile_, {words}, {bits}, {rows}, {columns}, {by_column}, {int(is_store)});\n"
    tile_text = f"u8 tile_[{majors * minor_bytes}] __attribute__((aligned(16)));\n"
    if is_store:
        return tile_text + _gather("x_", kind, registers, scope, ins.line) + between + "".join(requests)
    declared = f"u32 x_[32][{words}] = {{{{0}}}};\n"
    return tile_text + declared + "".join(requests) + between + _scatter("x_", kind, registers, scope)
