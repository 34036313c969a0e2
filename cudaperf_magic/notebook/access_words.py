"""An access map in words: what it costs, how the lanes follow each other, and the picture told line by line.

The geometry is that of access_map.py; nothing is drawn here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

from ..records_inspection import LANES, AccessMap
from .access_map import BANKS, SECTOR_BYTES, active, bank_words, bytes_touched, passes, wavefronts

VERBS = {"load": "reads", "store": "writes", "atomic": "updates"}


def sentences(access: AccessMap) -> tuple[str, ...]:
    """What the picture shows: cost, pattern, what is wasted and where it happened."""
    found = [_cost(access), _pattern(access)]
    found.append(_conflict(access) if access.space == "shared" else _waste(access))
    block = ", ".join(map(str, access.block))
    found.append(f"The worst request of the line: warp {access.warp} of block ({block}), kernel {access.kernel}.")
    return tuple(sentence for sentence in found if sentence)


def _cost(access: AccessMap) -> str:
    of = {"load": "from", "store": "to", "atomic": "of"}[access.operation]
    unit = "wavefront" if access.space == "shared" else "turn of a sector" if _turns(access) else "sector"
    where = place_of(access)
    needs = f"{_count(access.units, unit)} a warp"
    would = (
        f", where {access.ideal_units} would do" if access.ideal_units < access.units else ", the least there can be"
    )
    return (
        f"Line {access.line} {VERBS[access.operation]} {_bytes(access.size_bytes)} a lane {of} {where}: {needs}{would}."
    )


def _pattern(access: AccessMap) -> str:
    taking = active(access)
    part = "" if len(taking) == LANES else f"{len(taking)} of {LANES} lanes take part. "
    steps = {b - a for (_, a), (_, b) in pairwise(taking)}
    neighbours = all(b - a == 1 for (a, _), (b, _) in pairwise(taking))
    if len(taking) < 2:
        return part.strip()
    if len(steps) > 1:
        return f"{part}The distance from lane to lane changes."
    (step,) = steps
    who = "Neighbouring lanes" if neighbours else "Active lanes that follow each other"
    if step == 0:
        return f"{part}All{' of them' if part else ' lanes'} touch the same address."
    if step == access.size_bytes:
        start = access.lanes[taking[0][0]] or 0
        off = start % SECTOR_BYTES if access.space == "global" else 0
        return f"{part}{who} touch neighbouring elements" + (
            f", but the first one lies {_bytes(off)} past a sector's edge." if off else "."
        )
    return f"{part}{who} are {_bytes(abs(step))} apart{', backwards' if step < 0 else ''}."


def place_of(access: AccessMap) -> str:
    return "shared memory" if access.space == "shared" else access.buffer or "global memory"


def _turns(access: AccessMap) -> int:
    """Turns of an atomic beyond one for each sector: lanes that meet at an address go one after the other."""
    sectors = {byte // SECTOR_BYTES for byte in bytes_touched(access)}
    return access.units - len(sectors) if access.operation == "atomic" and access.space == "global" else 0


def _waste(access: AccessMap) -> str:
    touched = bytes_touched(access)
    if _turns(access):
        return "Lanes that meet at an address go one after the other."
    moved = len({byte // SECTOR_BYTES for byte in touched}) * SECTOR_BYTES
    if moved == len(touched):
        return "No byte moves unused."
    return f"It moves {_bytes(moved)} to use {_bytes(len(touched))} of them."


def _conflict(access: AccessMap) -> str:
    if access.operation == "atomic" and len(wavefronts(access, is_word_shared=True)) != access.units:
        return "Lanes that meet in a bank, at one word too, go one after the other."
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
    for lane, offset in active(access):
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


def _bytes(count: int) -> str:
    return _count(count, "byte")


def _count(count: int, noun: str) -> str:
    first, *rest = noun.split(" ", 1)
    return " ".join([f"{count:,} {first}{'' if count == 1 else 's'}", *rest])
