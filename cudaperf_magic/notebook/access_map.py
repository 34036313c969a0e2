"""An access map as a layout: rows of cells that say which lanes touch which bytes, or which banks in which wavefront.

Global memory: a row is consecutive bytes of the buffer, a box in it a 32-byte sector; only rows with a touched sector
are x"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import gcd
from typing import Literal

from ..records_inspection import LANES, AccessMap

SECTOR_BYTES = 32
BANKS = 32
WORD_BYTES = 4

# touched: asked for by the cell's lanes (in shared memory: in the first wavefront of its pass). waits: asked for, but
# in a later wavefront, for the bank was taken. moved: comes along in a touched sector, nobody asked. idle: nothing.
State = Literal["touched", "waits", "moved", "idle"]


@dataclass(frozen=True)
class Cell:
    """`width` neighbouring columns that the same lanes touch."""

    width: int
    state: State
    lanes: tuple[int, ...] = ()
    starts_box: bool = False  # a sector begins here


@dataclass(frozen=True)
class Row:
    """One line of the picture; the widths of its cells add up to the columns of the layout."""

    label: str
    cells: tuple[Cell, ...]
    skipped_bytes: int = 0  # of global memory, untouched between the row before and this one


@dataclass(frozen=True)
class Layout:
    """The picture: `columns` of `unit_bytes` each, in `rows`."""

    columns: int
    unit_bytes: int
    rows: tuple[Row, ...]


def layout(access: AccessMap, columns: int = 32) -> Layout:
    """The picture of one request.

    Args:
        columns: of a global picture; a shared one always has the 32 banks.
    """
    return _banks(access) if access.space == "shared" else _sectors(access, columns)


def passes(access: AccessMap) -> list[tuple[int, ...]]:
    """The active lanes that go over shared memory at once, as the simulator counts them (simulator/cost.c).

    Accesses of 8 bytes go by half warps, of 16 by quarters; loads whose neighbours meet by twice as many.
    """
    lanes_a_pass = LANES if access.size_bytes <= 4 else 16 if access.size_bytes == 8 else 8
    if access.size_bytes > 4 and access.operation == "load" and any(_neighbours_meet(access, n) for n in (1, 2)):
        lanes_a_pass *= 2
    parts = [range(first, first + lanes_a_pass) for first in range(0, LANES, lanes_a_pass)]
    return [active for part in parts if (active := tuple(i for i in part if access.lanes[i] is not None))]


def _neighbours_meet(access: AccessMap, apart: int) -> bool:
    pairs = ((access.lanes[lane], access.lanes[lane ^ apart]) for lane in range(LANES))
    return all(one is None or other is None or one == other for one, other in pairs)


def active(access: AccessMap) -> list[tuple[int, int]]:
    """(lane, offset) of each lane that takes part."""
    return [(lane, offset) for lane, offset in enumerate(access.lanes) if offset is not None]


def bytes_touched(access: AccessMap) -> set[int]:
    """Every byte that a lane asks for, by its offset."""
    return {byte for _, offset in active(access) for byte in range(offset, offset + access.size_bytes)}


# ---- global memory ----


def _sectors(access: AccessMap, columns: int) -> Layout:
    unit = gcd(WORD_BYTES, access.size_bytes, *(offset for _, offset in active(access)))
    owners: dict[int, list[int]] = {}
    for lane, offset in active(access):
        for place in range(offset // unit, (offset + access.size_bytes - 1) // unit + 1):
            owners.setdefault(place, []).append(lane)
    box = SECTOR_BYTES // unit
    touched = {place // box for place in owners}
    drawn = sorted({sector * box // columns + i for sector in touched for i in range(max(1, box // columns))})
    rows, before = [], None
    for number in drawn:
        places = range(number * columns, (number + 1) * columns)
        skipped = 0 if before is None else (number - before - 1) * columns * unit
        rows.append(Row(f"{places.start * unit:,}", _merge(_place(p, box, owners, touched) for p in places), skipped))
        before = number
    return Layout(columns, unit, tuple(rows))


def _place(place: int, box: int, owners: dict[int, list[int]], touched: set[int]) -> Cell:
    lanes = tuple(owners.get(place, ()))
    state: State = "touched" if lanes else "moved" if place // box in touched else "idle"
    return Cell(1, state, lanes, starts_box=state != "idle" and place % box == 0)


# ---- shared memory ----


def _banks(access: AccessMap) -> Layout:
    """Lanes that add to one word may go together or in turn; the picture follows what was counted."""
    together = wavefronts(access, is_word_shared=True)
    if access.operation != "atomic" or len(together) == access.units:
        return Layout(BANKS, WORD_BYTES, together)
    return Layout(BANKS, WORD_BYTES, wavefronts(access, is_word_shared=False))


def wavefronts(access: AccessMap, *, is_word_shared: bool) -> tuple[Row, ...]:
    """One row for each wavefront.

    Args:
        is_word_shared: lanes that want the same word get it at once; else each in its own wavefront.
    """
    rows: list[Row] = []
    for lanes in passes(access):
        words = bank_words(access, lanes)
        if not is_word_shared:
            words = [[(word, [lane]) for word, who in bank for lane in who] for bank in words]
        for depth in range(max(len(found) for found in words)):
            state: State = "waits" if depth else "touched"
            cells = (
                Cell(1, state, tuple(found[depth][1])) if depth < len(found) else Cell(1, "idle") for found in words
            )
            rows.append(Row(str(len(rows) + 1), _merge(cells)))
    return tuple(rows)


def bank_words(access: AccessMap, lanes: Iterable[int]) -> list[list[tuple[int, list[int]]]]:
    """For each bank the different words that these lanes want of it, each with its lanes, in the order of the lanes."""
    banks: list[dict[int, list[int]]] = [{} for _ in range(BANKS)]
    for lane in lanes:
        offset = access.lanes[lane]
        assert offset is not None
        for word in range(offset // WORD_BYTES, (offset + access.size_bytes - 1) // WORD_BYTES + 1):
            banks[word % BANKS].setdefault(word, []).append(lane)
    return [list(bank.items()) for bank in banks]


def _merge(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Neighbours with the same lanes become one wide cell; a sector's edge keeps them apart."""
    merged: list[Cell] = []
    for cell in cells:
        last = merged[-1] if merged else None
        if last and not cell.starts_box and (last.state, last.lanes) == (cell.state, cell.lanes):
            merged[-1] = Cell(last.width + cell.width, last.state, last.lanes, last.starts_box)
        else:
            merged.append(cell)
    return tuple(merged)
