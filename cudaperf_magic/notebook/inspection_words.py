"""An inspection in words and rows: the sentences and numbers that its HTML and its text both show.

Pure: the record in, text out. It draws nothing; inspection_report.py and inspection_text.py do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from ..records import Fault, LineCost
from ..records_inspection import UNSEEN, AccessMap, Dim3, Inspection, LaunchReport, OccupancyLimit
from .words import Badge, number, plural

# Causes before what follows from them: a race is why another thread finds memory unwritten.
FAULT_TITLES = {
    "launch": "Launch refused",
    "out_of_bounds": "Out of bounds",
    "guard": "Out of bounds",
    "misaligned": "Misaligned",
    "divergence": "Not all threads come",
    "deadlock": "Deadlock",
    "shared_race": "Race in shared memory",
    "global_race": "Race in global memory",
    "uninitialised": "Reads what nobody has written",
    "trap": "Assertion or trap",
    "unwritten": "Output not written",
    "input_changed": "Input changed",
    "limit": "Limit reached",
}
ORIGINS = {
    "given": "given",
    "made up": "made up",
    "notebook": "from the notebook",
    "workspace": "allocated, with nothing in it at first",
}
KEPT = "\n\t\u00a0\u3000"  # not printable for Python, and harmless: white space
STILL_IN_L2 = "What was written and is still in L2 at the end has not reached DRAM."
VOWEL_LETTERS = "AEFHILMNORSX"  # "an H100", "an RTX 4090", but "a T4": the names of cards are spelt


@dataclass(frozen=True)
class Quote:
    """A line of the source that something is said about."""

    line: int
    text: str


@dataclass(frozen=True)
class Amount:
    """Bytes under a name that says where the number comes from."""

    name: str
    count: int
    how: str  # "counted" or "modelled"


def headline(inspection: Inspection) -> str:
    """One sentence: what ran, where, and what was found."""
    if not inspection.build.ok:
        return f"It does not compile for {inspection.arch}."
    names = list(dict.fromkeys(launch.kernel for launch in inspection.launches))
    what = ", ".join(names) if names else "The kernel"
    found = plural(len(inspection.faults), "fault") if inspection.faults else "no fault found"
    if not inspection.is_complete:
        found = f"{found}; a fault ended the run early" if inspection.faults else "the run was cut short"
    return f"{what}: {found}. {where(inspection)}"


def where(inspection: Inspection) -> str:
    return (
        f"Simulated as {article(inspection.device)} {inspection.device} ({inspection.arch}) on this machine's CPU; "
        "no time is measured."
    )


def badge(inspection: Inspection) -> Badge:
    if not inspection.build.ok:
        return Badge("bad", "✗", "does not compile")
    if inspection.faults:
        return Badge("bad", "✗", plural(len(inspection.faults), "fault"))
    return Badge("good", "✓", "no fault") if inspection.is_complete else Badge("bad", "✗", "cut short")


def article(noun: str) -> str:
    """`an` where the name is spoken with a vowel first: names in capitals are spelt, others read."""
    is_spelt = len(noun) < 2 or not noun[1].islower()
    return "an" if noun[:1].upper() in (VOWEL_LETTERS if is_spelt else "AEIOU") else "a"


def conditions(inspection: Inspection) -> tuple[str, ...]:
    """What the run stood on: the arrays, what was watched, what was not."""
    if not inspection.build.ok:
        return ()
    found = [given for given in (arrays(inspection), scalars(inspection)) if given]
    found += [note if note.endswith(".") else f"{note}." for note in inspection.notes]
    found.append(
        "Every access was watched: bounds, alignment, uninitialised reads, races in shared memory and barriers; "
        + (
            "races between blocks in global memory too."
            if inspection.checks_global_races
            else "races in global memory only with --races."
        )
    )
    partly = [launch for launch in inspection.launches if launch.traced_blocks < launch.blocks]
    if partly:
        traced = ", ".join(f"{x.traced_blocks:,} of {x.blocks:,} of {x.kernel}" for x in partly)
        found.append(f"Counted in a part of the blocks ({traced}); totals are scaled to all of them.")
    return tuple(found)


def warnings(inspection: Inspection) -> str:
    """What the compiler said of a program that it took."""
    log = inspection.build.log
    return log.partition("\nRemark: The warnings can be suppressed")[0].strip() if "warning" in log else ""


def arrays(inspection: Inspection) -> str:
    """`x: 1,024 float32 (n), made up; y: 1,024 float32, from the notebook.`"""
    texts = []
    for array in inspection.arrays:
        extent = f" ({array.extent})" if array.extent else ""
        texts.append(f"{array.name}: {array.elements:,} {array.dtype}{extent}, {ORIGINS[array.origin]}")
    return f"{'; '.join(texts)}." if texts else ""


def scalars(inspection: Inspection) -> str:
    """`n = 1024, given; a = 0.75, made up.`"""
    texts = (f"{scalar.name} = {scalar.value}, {ORIGINS[scalar.origin]}" for scalar in inspection.scalars)
    return f"{'; '.join(texts)}." if inspection.scalars else ""


def source_lines(source: str) -> list[str]:
    """The lines as a compiler counts them: only line feeds end one; see `plain` for what is in them."""
    return plain(source.replace("\r\n", "\n")).removesuffix("\n").split("\n")


def plain(text: str) -> str:
    """A text without what would move a terminal's cursor or turn the direction of writing."""
    return "".join(character if character.isprintable() or character in KEPT else "\ufffd" for character in text)


# ---- faults ----


def fault_groups(inspection: Inspection) -> list[tuple[str, list[Fault]]]:
    """(title, faults), in the order of the titles."""
    order = list(FAULT_TITLES)
    ranked = sorted(inspection.faults, key=lambda fault: order.index(fault.kind))
    return [(title, list(found)) for title, found in groupby(ranked, key=lambda fault: FAULT_TITLES[fault.kind])]


def unseen(inspection: Inspection) -> str:
    """What this run cannot show, faults or none."""
    races = () if inspection.checks_global_races else ("races in global memory, which --races looks for",)
    return f"Not seen by this run: {'; '.join((*races, *UNSEEN))}."


def fault_text(fault: Fault) -> str:
    """What went wrong and where; who did it stands in `culprits`."""
    place = f"line {fault.line}: " if fault.line else ""
    return f"{place}{fault.message}"


def culprits(fault: Fault, is_alone: bool = True) -> str:
    """Block and thread of both sides, as far as the message does not name them itself.

    Args:
        is_alone: there is no other kernel, so that its name can be left out.
    """
    sides = (
        ("", fault.thread, fault.block),
        ("the other: ", fault.other_thread, fault.other_block if fault.other_block != fault.block else None),
    )
    found = [] if is_alone or not fault.kernel else [f"kernel {fault.kernel}"]
    for title, thread, block in sides:
        told = [
            f"{noun} {dim3(place)}"
            for noun, place in (("thread", thread), ("block", block))
            if place is not None and f"{noun} {dim3(place)}" not in fault.message
        ]
        if told:
            found.append(title + " of ".join(told))
    return "; ".join(found)


def quotes(fault: Fault, source: list[str]) -> list[Quote]:
    """The lines of the source that the fault names, in their order."""
    lines = sorted({line for line in (fault.line, fault.other_line) if line and line <= len(source)})
    return [Quote(line, source[line - 1].strip()) for line in lines]


def fault_lines(inspection: Inspection) -> dict[int, list[str]]:
    """Line -> what went wrong there, for marks in the source."""
    found: dict[int, list[str]] = {}
    for fault in inspection.faults:
        for line in {fault.line, fault.other_line} - {None}:
            assert line is not None
            found.setdefault(line, []).append(FAULT_TITLES[fault.kind].lower())
    return {line: list(dict.fromkeys(kinds)) for line, kinds in found.items()}


# ---- launches ----


def dim3(value: Dim3) -> str:
    return f"({', '.join(map(str, value))})"


def shape(value: Dim3) -> str:
    """`256`, `32 x 8`: without the trailing ones."""
    shown = [value[0], *((value[1], value[2]) if value[2] > 1 else (value[1],) if value[1] > 1 else ())]
    return " x ".join(f"{part:,}" for part in shown)


def launch_title(launch: LaunchReport) -> str:
    times = f", {launch.times:,} times" if launch.times > 1 else ""
    line = f", line {launch.line}" if launch.line else ""
    blocks = f"{shape(launch.grid)} block{'s' if launch.blocks != 1 else ''}"
    return f"{launch.kernel}: {blocks} of {shape(launch.block)} threads{times}{line}"


def launch_facts(launch: LaunchReport) -> str:
    """Resources and totals of a launch in one sentence."""
    resources = launch.resources
    facts = [
        f"{resources.registers} registers a thread",
        f"{launch.shared_bytes:,} bytes of shared memory a block",
        f"{number(launch.warp_instructions)} warp instructions",
        f"{number(launch.flops)} floating-point operations",
    ]
    if resources.spill_bytes:
        facts.insert(1, f"{resources.spill_bytes:,} bytes spilt")
    rare = ((launch.barriers, "barrier"), (launch.atomics, "atomic"))
    facts += [plural(count, noun) for count, noun in rare if count]
    return f"{', '.join(facts)}."


def room(limit: OccupancyLimit, launch: LaunchReport) -> str:
    """How many blocks one resource leaves room for. Of shared memory a kernel without any still takes a little."""
    if limit.blocks >= 1024 or (limit.resource == "shared memory" and not launch.shared_bytes):
        return "no limit"
    return f"{limit.blocks:,} block{'' if limit.blocks == 1 else 's'}"


def occupancy_sentence(launch: LaunchReport) -> str:
    found = launch.occupancy
    if found.ratio >= 1:
        return f"All {found.most_warps} warps of a multiprocessor can be resident (theoretical)."
    names = {
        "block size": "the threads of a block",
        "registers": "registers",
        "shared memory": "shared memory",
        "blocks": "the number of blocks",
    }
    return (
        f"{found.warps} of {found.most_warps} warps can be resident ({found.ratio:.0%}, theoretical); "
        f"{names[found.limit]} allow{'' if found.limit in ('registers', 'block size') else 's'} no more."
    )


def amounts(launches: Iterable[LaunchReport]) -> list[Amount]:
    """Bytes of global memory over all launches, from what threads ask for to what memory sees."""
    found = tuple(launches)
    rows = (
        ("asked for by threads", "counted", sum(x.requested_bytes for x in found)),
        ("in whole sectors", "counted", sum(x.sector_bytes for x in found)),
        ("through L2", "modelled", sum(x.l2_bytes for x in found)),
        ("read from DRAM", "modelled", sum(x.dram_read_bytes for x in found)),
        ("written to DRAM", "modelled", sum(x.dram_write_bytes for x in found)),
    )
    return [Amount(name, count, how) for name, how, count in rows]


def bytes_text(count: int) -> str:
    """`96 B`, `12.5 KiB`, `1.21 MiB`."""
    size = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            return f"{number(size)} {unit}"
        size /= 1024
    raise AssertionError("the last unit returns")


# ---- access maps ----


def ranked_maps(inspection: Inspection) -> list[AccessMap]:
    """All maps: lines in the order of what is lost on them, and of a line the worst access first."""
    costs = {cost.line: cost for cost in inspection.structure.lines} if inspection.structure else {}

    def lost(access: AccessMap) -> tuple[int, int, int, int, int]:
        cost = costs.get(access.line, LineCost(access.line))
        whole = cost.sectors + cost.shared_wavefronts
        line_lost = whole - cost.ideal_sectors - cost.ideal_wavefronts
        return line_lost, whole, -access.line, access.units - access.ideal_units, access.units

    return sorted(inspection.maps, key=lost, reverse=True)


def chosen(inspection: Inspection, line: int | None) -> tuple[AccessMap | None, str]:
    """The map to show, and a sentence where the wanted line has none."""
    ranked = ranked_maps(inspection)
    if line is None:
        return (ranked[0] if ranked else None), ""
    wanted = inspection.map_of(line)
    if wanted is not None:
        return wanted, ""
    there = ", ".join(str(number) for number in sorted({access.line for access in ranked}))
    advice = f"lines with one: {there}" if there else "no line has one"
    return (ranked[0] if ranked else None), f"Line {line} has no access to memory that was recorded; {advice}."
