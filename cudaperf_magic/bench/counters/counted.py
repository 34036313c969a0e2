"""The structure of a run from hardware counters, beside what the simulator saw of the same kernels on a smaller case.

Raw values and scores are counted; a property's line, and what to do about it, are the simulator's. What no counter
tells (atomics that meet at one address, words that several warps of a block read) stays the simulator's own, and says
so by its `source`. Nothing runs here; what the counters mean is in `metrics.py`.
"""

from __future__ import annotations

from cudaperf_magic.bench.architectures import WARP, Architecture
from cudaperf_magic.bench.counters.metrics import Counts
from cudaperf_magic.bench.properties import GOOD, READERS, SECTOR_BYTES, in_bytes
from cudaperf_magic.records import Case, Property, Structure

# Where the simulator has no advice of its own, because the smaller case did not show the loss.
REMEDIES = {
    "coalescing": "let neighbouring threads take neighbouring elements, or stage a tile in shared memory",
    "occupancy": "make more blocks, or blocks of equal work: multiprocessors wait for the last ones",
    "intensity": "stage what neighbouring threads share in shared memory, so that a block reads each byte once",
    "synchronisation": "share the work before the barrier evenly over the warps, or finish within a warp by shuffles",
    "divergence": "choose by whole warps, not by lanes",
    "shared": "pad each row of the tile by one element, or let neighbouring lanes read neighbouring words",
    "balance": "make more and smaller blocks, so that every multiprocessor works until the end",
}


def structure(
    counts: Counts,
    arch: Architecture,
    *,
    compulsory_bytes: int,
    simulated: Structure | None,
    launches: int,
    case: Case | None = None,
) -> Structure:
    """The seven properties of what was counted.

    Args:
        counts: of one whole run of the plan.
        arch: of the device that ran it.
        compulsory_bytes: of the case that was counted; see `bench.structure.compulsory`.
        simulated: of the same kernels on any case. Without it coalescing and intensity are absent: a counter does not
            know how many sectors a request needed.
        launches: that the counts are of.
        case: that was counted.
    """
    found = (
        coalescing(counts, _of(simulated, "coalescing")),
        occupancy(counts, arch, _of(simulated, "occupancy")),
        intensity(counts, compulsory_bytes, _of(simulated, "coalescing"), _of(simulated, "intensity")),
        synchronisation(counts, _of(simulated, "synchronisation")),
        divergence(counts, _of(simulated, "divergence")),
        shared(counts, _of(simulated, "shared")),
        balance(counts, _of(simulated, "balance")),
    )
    lines = simulated.lines if simulated else ()
    return Structure(tuple(p for p in found if p is not None), lines, launches, case)


def needed_sectors(coalescing: Property) -> float:
    """Sectors that a request needs on average, from the simulator's coalescing: its raw value is what one asks for."""
    return coalescing.score * coalescing.raw


def coalescing(counts: Counts, simulated: Property | None) -> Property | None:
    requests, sectors = counts.requests, counts.sectors
    if simulated is None or not requests or not sectors:
        return simulated
    raw = sectors / requests
    words = f"{raw:.3g} sectors a request, where {needed_sectors(simulated):.3g} would do"
    return _counted("coalescing", needed_sectors(simulated) / raw, raw, "sectors a request", words, simulated)


def occupancy(counts: Counts, arch: Architecture, simulated: Property | None) -> Property | None:
    warp_cycles, sm_cycles = counts.get("resident_warp_cycles"), counts.get("sm_cycles")
    if warp_cycles is None or not sm_cycles:
        return simulated
    raw = warp_cycles / sm_cycles
    words = f"{raw:.3g} of {arch.warps} warps are resident on a working multiprocessor, on average"
    return _counted("occupancy", raw / arch.warps, raw, "warps", words, simulated)


def intensity(
    counts: Counts, compulsory_bytes: int, coalescing: Property | None, simulated: Property | None
) -> Property | None:
    accesses = counts.accesses
    if coalescing is None or not accesses or not compulsory_bytes:
        return simulated
    again = accesses * needed_sectors(coalescing) * SECTOR_BYTES / compulsory_bytes
    words = f"each byte is asked for {again:.3g} times"
    if counts.dram_bytes is not None:
        dram = counts.dram_bytes
        words += f"; {in_bytes(dram)} pass between L2 and memory, {dram / compulsory_bytes:.3g} times the least"
    return _counted("intensity", 1.0 / again, again, "times", words, simulated)


def synchronisation(counts: Counts, simulated: Property | None) -> Property | None:
    """Absent without a barrier; where the simulator lays more to atomics than is spent at barriers, its word stands."""
    waiting, resident = counts.get("barrier_warp_cycles"), counts.get("resident_warp_cycles")
    if waiting is None or not resident:
        return simulated
    lost = waiting / resident
    if simulated is None and lost == 0.0:
        return None
    if simulated is not None and simulated.raw > lost and "atomics" in simulated.reason:
        return simulated
    words = f"resident warps spend {_share(lost)} of their cycles at a barrier"
    return _counted("synchronisation", 1.0 - lost, lost, "share lost", words, simulated)


def divergence(counts: Counts, simulated: Property | None) -> Property | None:
    threads, warps = counts.get("thread_instructions"), counts.get("warp_instructions")
    if threads is None or not warps:
        return simulated
    active = threads / warps
    words = f"{active:.3g} of {WARP} lanes work, on average"
    return _counted("divergence", active / WARP, active, "lanes", words, simulated)


def shared(counts: Counts, simulated: Property | None) -> Property | None:
    """Absent where no shared memory was accessed and, as the simulator saw it, none would help."""
    wavefronts, conflicts = counts.wavefronts, counts.get("conflicts")
    if wavefronts is None or conflicts is None:
        return simulated
    would_help = simulated if simulated is not None and simulated.unit == READERS else None
    if not wavefronts:
        return would_help
    ideal = max(wavefronts - conflicts, 1.0)
    raw = wavefronts / ideal
    if would_help is not None and would_help.score < 1.0 / raw:
        return would_help
    words = f"{raw:.3g} wavefronts of shared memory for each that would do without bank conflicts"
    return _counted("shared", 1.0 / raw, raw, "wavefronts for 1", words, simulated)


def balance(counts: Counts, simulated: Property | None) -> Property | None:
    mean, busiest = counts.get("mean_sm_cycles"), counts.get("busiest_sm_cycles")
    if mean is None or not busiest:
        return simulated
    share = mean / busiest
    words = f"a multiprocessor works {share:.0%} as long as the busiest one, on average"
    return _counted("balance", share, share, "of the busiest", words, simulated)


def _counted(name: str, score: float, raw: float, unit: str, words: str, simulated: Property | None) -> Property:
    score = min(1.0, max(0.0, score))
    line, remedy, reason = simulated.line if simulated else None, "", f"{words} (counted)"
    if score < GOOD:
        remedy = (simulated.remedy if simulated else "") or REMEDIES[name]
        if simulated is not None and simulated.score < GOOD:
            reason += f"; simulated: {simulated.reason}"
    return Property(name, score, raw, unit, "counters", reason, remedy, line)


def _of(simulated: Structure | None, name: str) -> Property | None:
    return simulated.get(name) if simulated else None


def _share(part: float) -> str:
    return f"{part:.0%}" if part >= 0.005 or part == 0.0 else "less than 1%"
