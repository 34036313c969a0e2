"""What PTX says of integer and bit opcodes, on Python's unbounded integers: the reference of tests of the simulator.

`reference(opcode)` gives a function of the operands, as unsigned numbers, whose result is cut to the result's width.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Function = Callable[..., int]


def signed(value: int, width: int) -> int:
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def as_type(value: int, kind: str) -> int:
    width = int(kind[1:])
    return signed(value, width) if kind[0] == "s" else value & ((1 << width) - 1)


def quotient(x: int, y: int) -> int:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def clamp(value: int, kind: str) -> int:
    width = int(kind[1:])
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if kind[0] == "s" else (0, (1 << width) - 1)
    return min(max(value, low), high)


def lowest_bits(n: int) -> int:
    return (1 << n) - 1


def bfind(x: int, kind: str, amount: bool) -> int:
    width = int(kind[1:])
    value = as_type(x, kind)
    value = ~value if value < 0 else value
    if not value:
        return lowest_bits(32)
    at = value.bit_length() - 1
    return width - 1 - at if amount else at


def bfe(x: int, at: int, length: int, kind: str) -> int:
    width = int(kind[1:])
    at, length = at & 255, length & 255
    if not length:
        return 0
    top = min(at + length - 1, width - 1)
    sign = kind[0] == "s" and x >> top & 1
    found = [x >> (at + i) & 1 if i < length and at + i < width else sign for i in range(width)]
    return sum(bit << i for i, bit in enumerate(found))


def bfi(x: int, y: int, at: int, length: int, width: int) -> int:
    for i in range(length & 255):
        if (at & 255) + i < width:
            y = y & ~(1 << (at + i)) | (x >> i & 1) << (at + i)
    return y


def fns(mask: int, base: int, offset: int) -> int:
    offset = signed(offset, 32)
    order = range(base, 32) if offset > 0 else range(base, -1, -1)
    places = [i for i in order if mask >> i & 1]
    if offset == 0:
        return base if mask >> base & 1 else lowest_bits(32)
    return places[abs(offset) - 1] if abs(offset) <= len(places) else lowest_bits(32)


def bmsk(a: int, b: int, is_clamp: bool) -> int:
    if is_clamp:
        return sum(1 << i for i in range(a, min(a + b, 32))) if a < 32 else 0
    start, length = a & 31, b & 31
    return sum(1 << i for i in range(start, min(start + length, 32)))


def szext(a: int, n: int, is_clamp: bool, is_signed: bool) -> int:
    if is_clamp and n > 31:
        return a
    n &= 31
    kept = a & lowest_bits(n)
    return signed(kept, n) if is_signed and n else kept


def prmt(x: int, y: int, z: int, way: str) -> int:
    pool = [(x | y << 32) >> 8 * i & 255 for i in range(8)]
    n = z & 3
    picks = {
        "f4e": [n + i for i in range(4)], "b4e": [(n - i) % 8 for i in range(4)], "rc8": [n] * 4,
        "ecl": [max(i, n) for i in range(4)], "ecr": [min(i, n) for i in range(4)],
        "rc16": [n % 2 * 2 + i % 2 for i in range(4)],
    }.get(way)  # fmt: skip
    if picks is not None:
        return sum(pool[p] << 8 * i for i, p in enumerate(picks))
    nibbles = [z >> 4 * i & 15 for i in range(4)]
    return sum((255 * (pool[s & 7] >> 7) if s & 8 else pool[s & 7]) << 8 * i for i, s in enumerate(nibbles))


def lop3(x: int, y: int, z: int, table: int) -> int:
    return sum((table >> ((x >> i & 1) << 2 | (y >> i & 1) << 1 | z >> i & 1) & 1) << i for i in range(32))


def dot(x: int, y: int, z: int, kinds: Sequence[str], width: int, start: int) -> int:
    """dp4a, and dp2a whose second operand's bytes begin at `start`."""
    a = [as_type(x >> width * i, f"{kinds[0][0]}{width}") for i in range(32 // width)]
    b = [as_type(y >> 8 * (start + i), f"{kinds[1][0]}8") for i in range(32 // width)]
    return z + sum(p * q for p, q in zip(a, b, strict=True))


ORDER: dict[str, Function] = {
    "lt": lambda a, b: int(a < b), "ge": lambda a, b: int(a >= b), "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b), "gt": lambda a, b: int(a > b), "le": lambda a, b: int(a <= b),
}  # fmt: skip
WIDE: dict[str, Function] = {
    "vadd": lambda a, b: a + b, "vsub": lambda a, b: a - b, "vabsdiff": lambda a, b: abs(a - b), "vmin": min,
    "vavrg": lambda a, b: (a + b + (a + b >= 0)) >> 1,
    "vmax": max, "vshl": lambda a, b: a << b, "vshr": lambda a, b: a >> b,
}  # fmt: skip
SECOND: dict[str, Function] = {"add": lambda v, c: v + c, "min": min, "max": max}


def video(parts: list[str], x: int, y: int, z: int = 0) -> int:
    name = parts[0]
    kinds = [p for p in parts[1:] if p[0] in "us" and p[1:].isdigit()]
    if name == "vset":
        kinds = ["u32", *kinds]
    a, b, c = as_type(x, kinds[1]), as_type(y, kinds[2]), as_type(z, kinds[0])
    if name in ("vshl", "vshr"):
        b = min(b, 32) if "clamp" in parts else b & 31
    scale = next((int(p[3:]) for p in parts if p.startswith("shr")), 0)
    order = next((ORDER[p] for p in parts if p in ORDER), ORDER["eq"])
    value = (a * b + c) >> scale if name == "vmad" else order(a, b) if name == "vset" else WIDE[name](a, b)
    value = as_type(clamp(value, kinds[0]) if "sat" in parts else value, kinds[0])
    second = next((SECOND[p] for p in parts if p in SECOND), None)
    return second(value, c) if second else value


def packed_video(parts: list[str], x: int, y: int, z: int) -> int:
    name, lanes = parts[0][:-1], int(parts[0][-1])
    width = 32 // lanes
    kinds = [p[0] for p in parts[1:] if p[0] in "us" and p[1:].isdigit()]
    result, left, right = ["u", *kinds] if name == "vset" else kinds
    operation = next((ORDER[p] for p in parts if p in ORDER), None) or WIDE[name]
    found = []
    for i in range(lanes):
        value = operation(as_type(x >> i * width, f"{left}{width}"), as_type(y >> i * width, f"{right}{width}"))
        found.append(as_type(clamp(value, f"{result}{width}") if "sat" in parts else value, f"{result}{width}"))
    if "add" in parts:
        return z + sum(found)
    return sum((v & lowest_bits(width)) << i * width for i, v in enumerate(found))


def simple(name: str, kind: str) -> Function | None:
    """Opcodes of one type whose result is one expression over typed operands."""
    width = int(kind[1:])

    def number(v: int) -> int:
        return as_type(v, kind if kind[0] != "b" else f"u{width}")

    table: dict[str, Function] = {
        "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "and": lambda a, b: a & b, "or": lambda a, b: a | b,
        "xor": lambda a, b: a ^ b, "min": min, "max": max, "abs": abs, "neg": lambda a: -a, "not": lambda a: ~a,
        "cnot": lambda a: int(a == 0), "div": lambda a, b: quotient(a, b) if b else -1,
        "rem": lambda a, b: a - quotient(a, b) * b if b else a, "popc": lambda a: a.bit_count(),
        "clz": lambda a: width - a.bit_length(), "brev": lambda a: int(f"{a:0{width}b}"[::-1], 2),
        "shl": lambda a, n: a << n, "shr": lambda a, n: a >> n,
    }  # fmt: skip
    found = table.get(name)
    if name in ("shl", "shr") and found:
        return lambda a, n: found(number(a), n)
    return (lambda *operands: found(*map(number, operands))) if found else None


def product(parts: list[str], kind: str) -> Function:
    """mul and mad: what is kept of the product, and what is added."""
    width = int(kind[1:])
    is_24 = parts[0].endswith("24")

    def number(v: int) -> int:
        return as_type(v, f"{kind[0]}24" if is_24 else kind)

    def function(x: int, y: int, z: int = 0) -> int:
        whole = number(x) * number(y)
        kept = whole >> (16 if is_24 else width) if "hi" in parts else whole
        if "sat" in parts:
            return clamp(signed(kept, 32) + signed(z, 32), "s32")
        return kept + z

    return function


def reference(opcode: str, table: int = 0) -> Function:
    """The function of an opcode of PTX; `table` is the immediate of lop3."""
    parts = opcode.split(".")
    name, kind = parts[0], next((p for p in reversed(parts) if p[0] in "usb" and p[1:].isdigit()), "b32")
    width = int(kind[1:])
    if name[:1] == "v":
        return lambda *given: (packed_video if name[-1].isdigit() else video)(parts, *given)
    kinds = [p for p in parts if p in ("u32", "s32")]
    special: dict[str, Function] = {
        "bfind": lambda x: bfind(x, kind, "shiftamt" in parts), "bfe": lambda x, y, z: bfe(x, y, z, kind),
        "bfi": lambda x, y, z, w: bfi(x, y, z, w, width), "fns": fns,
        "bmsk": lambda x, y: bmsk(x, y, "clamp" in parts),
        "szext": lambda x, y: szext(x, y, "clamp" in parts, kind[0] == "s"),
        "prmt": lambda x, y, z: prmt(x, y, z, parts[-1]), "lop3": lambda x, y, z: lop3(x, y, z, table),
        "dp4a": lambda x, y, z: dot(x, y, z, kinds, 8, 0),
        "dp2a": lambda x, y, z: dot(x, y, z, kinds, 16, 2 if "hi" in parts else 0),
        "sad": lambda x, y, z: abs(as_type(x, kind) - as_type(y, kind)) + z,
        "slct": lambda x, y, z: x if signed(z, 32) >= 0 else y,
    }  # fmt: skip
    if name in special:
        return special[name]
    if name == "shf":
        return lambda x, y, z: funnel(x, y, z & 31 if "wrap" in parts else min(z, 32), "l" in parts)
    if name in ("mul", "mad", "mul24", "mad24"):
        return product(parts, kind)
    found = simple(name, kind)
    assert found is not None, f"no reference for {opcode}"
    return (lambda x, y: clamp(found(x, y), "s32")) if "sat" in parts else found


def funnel(x: int, y: int, n: int, is_left: bool) -> int:
    whole = y << 32 | x
    return whole << n >> 32 if is_left else whole >> n
