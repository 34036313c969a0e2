"""An address -> the element's name as the person wrote it: `tile[3][32]`, `x[7]`, and how many elements there are.

Names come from the plan (buffers), from PTX (arrays in shared memory, variables) and from the kernel's own text (types
and dimensions). Where the text does not say, elements are as wide as the access.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from cudaperf_magic.bench.simulator.faults.context import Context, Extent, SharedArray, counted
from cudaperf_magic.bench.simulator.faults.declared import Declared


@dataclass(frozen=True)
class Element:
    """`name` with its indices; `array` without; `index` counts from the array's start and may lie outside of it."""

    name: str
    array: str
    index: int
    count: int  # elements of the array
    size: int  # bytes of an element
    is_guessed: bool = False  # its size is the access's

    @property
    def holds(self) -> str:
        """`x holds 100 elements`, with their size when the person may not know it."""
        return f"{self.array} holds {counted(self.count, 'element')}" + (
            f" of {self.size} bytes" if self.is_guessed else ""
        )


def plain_name(symbol: str) -> str:
    """The last name of a mangled symbol: `_ZZ6kernelPfE4tile` -> `tile`; any other symbol as it is."""
    if not symbol.startswith("_Z"):
        return symbol
    for at in range(2, len(symbol)):  # the first length whose name reaches the end is that of the innermost name
        if not symbol[at].isdigit() or symbol[at - 1].isdigit():
            continue
        digits = at
        while digits < len(symbol) and symbol[digits].isdigit():
            digits += 1
        end = digits + int(symbol[at:digits])
        rest = symbol[end:] if end <= len(symbol) else "?"
        if rest in ("", "E") or (rest[0] == "_" and rest.strip("_").isdigit()):
            return symbol[digits:end]
    return symbol


def indexed(name: str, index: int, dims: Sequence[int]) -> str:
    """`name[i][j]` for the element at `index`; the first dimension takes what is outside."""
    parts: list[int] = []
    for length in reversed(dims[1:]):
        parts.append(index % length)
        index //= length
    parts.append(index)
    return name + "".join(f"[{part}]" for part in reversed(parts))


def _shaped(name: str, offset: int, size: int, access: int, declared: Declared | None) -> Element:
    """The element at byte `offset` of an array of `size` bytes."""
    dims = declared.dims if declared is not None else (None,)
    width = declared.element_bytes if declared is not None else 0
    known = prod(d for d in dims if d is not None)
    if not width and None not in dims and known and size % known == 0:
        width = size // known
    is_guessed = not width
    width = width or access or 1
    missing = [i for i, d in enumerate(dims) if d is None]
    if len(missing) == 1:
        dims = tuple(d if d is not None else max(1, size // (width * max(1, known))) for d in dims)
    lengths = [d for d in dims if d is not None]
    fits = len(lengths) == len(dims) and prod(lengths) * width == size and all(lengths)
    index = offset // width
    if declared is not None and not declared.dims:
        shown = name if index == 0 else indexed(name, index, (1,))
    else:
        shown = indexed(name, index, lengths if fits else (1,))
    return Element(shown, name, index, size // width, width, is_guessed)


def _of(context: Context, name: str, space: str, symbol: str) -> Declared | None:
    found = [d for d in context.declared if d.name == name and d.space == space]
    inside = [d for d in found if d.function and f"{len(d.function)}{d.function}" in symbol]
    return next(iter(inside or found), None)


def buffer_element(extent: Extent, address: int, access: int, context: Context) -> Element:
    name = plain_name(extent.name.removeprefix("::"))
    declared = _of(context, name, "device", "") if extent.name.startswith("::") else None
    if declared is not None:
        return _shaped(name, address - extent.start, extent.size, access, declared)
    width = extent.itemsize or access or 1
    index = (address - extent.start) // width
    own = context.parameters.get(extent.name, name)
    also = "" if own == name else f" (the array {name})"
    return Element(f"{own}[{index}]{also}", own, index, extent.size // width, width, not extent.itemsize)


def nearest(extents: Sequence[Extent], address: int) -> Extent | None:
    def distance(extent: Extent) -> int:
        return max(extent.start - address, address - (extent.start + extent.size) + 1, 0)

    return min(extents, key=distance, default=None)


def shared_element(address: int, access: int, context: Context) -> tuple[Element, SharedArray] | None:
    """The element of the __shared__ array that is nearest to an offset in the block's shared memory."""
    address = address - (1 << 32) if 1 << 31 <= address < 1 << 32 else address  # before its start
    arrays = [Extent(a.symbol, a.start, a.size) for a in context.shared]
    closest = nearest(arrays, address)
    if closest is None:
        return None
    array = context.shared[arrays.index(closest)]
    name = plain_name(array.symbol)
    declared = _of(context, name, "shared", array.symbol)
    return _shaped(name, address - array.start, array.size, access, declared), array


def local_element(address: int, access: int, context: Context) -> Element | None:
    """The element of the kernel's local array, if it keeps just one."""
    name = context.kernel.split("<")[0].rsplit("::", 1)[-1]
    found = [d for d in context.declared if d.space == "local"]
    own = [d for d in found if d.function == name] or found
    if len(own) != 1 or own[0].element_bytes == 0 or None in own[0].dims:
        return None
    size = own[0].element_bytes * prod(d for d in own[0].dims if d is not None)
    return _shaped(own[0].name, address, size, access, own[0])
