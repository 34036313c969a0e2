"""An access map as a layout: rows of cells that say which lanes touch which bytes, or which banks in which wavefront.

Global memory: a row is consecutive bytes of the buffer, a box in it a 32-byte sector; only rows with a touched sector
are there. Shared memory: a column is one of the 32 banks, a row one wavefront. Geometry and its words only; HTML and
text are drawn from the same layout in access_picture.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
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
    """The active lanes that one pass over shared memory serves: 128 bytes, thus half or quarter warps if wide."""
    lanes_a_pass = LANES if access.size_bytes <= 4 else 16 if access.size_bytes == 8 else 8
    parts = [range(first, first + lanes_a_pass) for first in range(0, LANES, lanes_a_pass)]
    return [active for part in parts if (active := tuple(i for i in part if access.lanes[i] is not None))]


# ---- global memory ----


def _sectors(access: AccessMap, columns: int) -> Layout:
    unit = gcd(WORD_BYTES, access.size_bytes, *(offset for _, offset in _active(access)))
    owners: dict[int, list[int]] = {}
    for lane, offset in _active(access):
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
    rows: list[Row] = []
    for lanes in passes(access):
        words = bank_words(access, lanes)
        for depth in range(max(len(found) for found in words)):
            state: State = "waits" if depth else "touched"
            cells = (
                Cell(1, state, tuple(found[depth][1])) if depth < len(found) else Cell(1, "idle") for found in words
            )
            rows.append(Row(str(len(rows) + 1), _merge(cells)))
    return Layout(BANKS, WORD_BYTES, tuple(rows))


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


# ---- in words ----


def sentences(access: AccessMap) -> tuple[str, ...]:
    """What the picture shows: cost, pattern, what is wasted and where it happened."""
    found = [_cost(access), _pattern(access)]
    found.append(_conflict(access) if access.space == "shared" else _waste(access))
    block = ", ".join(map(str, access.block))
    found.append(f"The worst request of the line: warp {access.warp} of block ({block}), kernel {access.kernel}.")
    return tuple(sentence for sentence in found if sentence)


def _cost(access: AccessMap) -> str:
    verb, of = {"load": ("reads", "from"), "store": ("writes", "to"), "atomic": ("updates", "of")}[access.operation]
    unit = "wavefront" if access.space == "shared" else "sector"
    where = "shared memory" if access.space == "shared" else access.buffer or "global memory"
    needs = f"{_count(access.units, unit)} a warp"
    would = (
        f", where {access.ideal_units} would do" if access.ideal_units < access.units else ", the least there can be"
    )
    return f"Line {access.line} {verb} {_bytes(access.size_bytes)} a lane {of} {where}: {needs}{would}."


def _pattern(access: AccessMap) -> str:
    active = _active(access)
    part = "" if len(active) == LANES else f"{len(active)} of {LANES} lanes take part. "
    steps = {b - a for (_, a), (_, b) in pairwise(active)}
    neighbours = all(b - a == 1 for (a, _), (b, _) in pairwise(active))
    if len(active) < 2:
        return part.strip()
    if len(steps) > 1:
        return f"{part}The distance from lane to lane changes."
    (step,) = steps
    who = "Neighbouring lanes" if neighbours else "Active lanes that follow each other"
    if step == 0:
        return f"{part}All{' of them' if part else ' lanes'} touch the same address."
    if step == access.size_bytes:
        start = access.lanes[active[0][0]] or 0
        off = start % SECTOR_BYTES if access.space == "global" else 0
        return f"{part}{who} touch neighbouring elements" + (
            f", but the first one lies {_bytes(off)} past a sector's edge." if off else "."
        )
    return f"{part}{who} are {_bytes(abs(step))} apart{', backwards' if step < 0 else ''}."


def _waste(access: AccessMap) -> str:
    asked = len({byte for _, offset in _active(access) for byte in range(offset, offset + access.size_bytes)})
    moved = access.units * SECTOR_BYTES
    return f"It moves {_bytes(moved)} to use {_bytes(asked)} of them." if moved > asked else "No byte moves unused."


def _conflict(access: AccessMap) -> str:
    depth, bank, lanes = 0, 0, 0
    for group in passes(access):
        for number, words in enumerate(bank_words(access, group)):
            if len(words) > depth:
                depth, bank, lanes = len(words), number, len({lane for _, who in words for lane in who})
    if depth < 2:
        return "No bank is asked for two different words at once."
    return f"{lanes} lanes want {depth} different words of bank {bank}: a {depth}-way conflict, served one by one."


def listing(access: AccessMap) -> tuple[str, ...]:
    """The picture for ears: each sector with its lanes, or the banks with how many words are asked of each."""
    return _bank_listing(access) if access.space == "shared" else _sector_listing(access)


def _sector_listing(access: AccessMap) -> tuple[str, ...]:
    sectors: dict[int, set[int]] = {}
    used: dict[int, set[int]] = {}
    for lane, offset in _active(access):
        for byte in range(offset, offset + access.size_bytes):
            sectors.setdefault(byte // SECTOR_BYTES, set()).add(lane)
            used.setdefault(byte // SECTOR_BYTES, set()).add(byte)
    return tuple(
        f"sector at byte {sector * SECTOR_BYTES:,}: {len(used[sector])} of {SECTOR_BYTES} bytes, "
        f"by {spans(sorted(lanes), 'lane')}"
        for sector, lanes in sorted(sectors.items())
    )


def _bank_listing(access: AccessMap) -> tuple[str, ...]:
    found = []
    groups = passes(access)
    for group in groups:
        words = bank_words(access, group)
        who = f"{spans(group, 'lane')}: " if len(groups) > 1 else ""
        for count, banks in groupby(range(BANKS), key=lambda bank: len(words[bank])):
            if count:
                found.append(f"{who}{spans(list(banks), 'bank')}: {_count(count, 'word')} each")
    return tuple(found)


def spans(numbers: Sequence[int], noun: str) -> str:
    """`lanes 0 to 7 and 9` of ascending numbers."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    texts = [str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]
    joined = texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}" if texts else "none"
    return f"{noun}{'' if len(numbers) == 1 else 's'} {joined}"


def _active(access: AccessMap) -> list[tuple[int, int]]:
    return [(lane, offset) for lane, offset in enumerate(access.lanes) if offset is not None]


def _bytes(count: int) -> str:
    return _count(count, "byte")


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
