"""The seven structural properties: each a score in [0, 1], the measured value, the line, the reason, the remedy.

    coalescing       ideal 32-byte sectors / sectors asked for, over global loads and stores
    occupancy        warps that may be resident / the most an SM holds (theoretical: registers, shared memory, block)
    intensity        compulsory bytes (each input once, each output once) / bytes asked of global memory, were every
                     access coalesced: so that it says how often data is fetched again, and coalescing the rest.
                     Its reason also says what the modelled caches leave to memory; the score does not depend on it
    synchronisation  1 - share of issue slots lost to waiting at barriers and to atomics on one address
    divergence       active lanes / 32 per warp instruction
    shared           the lesser of: ideal shared-memory wavefronts / wavefronts (bank conflicts), where it is used;
                     words that blocks read of global memory / the same, each counted once for every warp that reads
                     it, where several warps read the same words and a copy in shared memory would help (_sharing)
    balance          the lesser of: mean / busiest work of the warps, mean / busiest work of the multiprocessors when
                     blocks go round them in turn (so that the tail of the last wave costs what it lasts)

A property that does not apply is None: coalescing and intensity without global access, shared where no shared memory
is used and none would help, synchronisation without barrier or atomic, everything where nothing ran. Where it applies,
a score of 1 means: measured, and nothing is lost. A score below GOOD comes with a remedy and the line that costs most;
from GOOD on there is nothing to mend: the remedy is "", and the line is the one that does most of what was looked at.
Of atomics only those that meet within a warp's request count; what warps and blocks do to each other is not seen.
Counts are of requests, before any cache, where nothing else is said. Nothing here is a time; nothing runs a kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from cudaperf_magic.bench.architectures import WARP, Architecture
from cudaperf_magic.bench.occupancy import Occupancy, occupancy
from cudaperf_magic.bench.simulator.result import LaunchTotals
from cudaperf_magic.records import KernelResources, LineCost, Property

SECTOR_BYTES = 32
GOOD = 0.95  # from here on a property needs no remedy
COLLISION_SLOTS = 2  # issue slots that one more lane on an atomic's address costs its warp at the least
# A copy in shared memory has to be made and waited for. It pays when so many warps read a word of it, and when it holds
# this share of what the block reads: a short row that everyone reads (a bias) stays in L1 by itself.
WORTHWHILE_READERS, WORTHWHILE_SHARE = 1.5, 0.25
READERS = "warps a word"  # the unit of `shared` where warps' reading, not banks, decides


Resources = Mapping[str, KernelResources]  # by the name that a launch uses


def whole(launch: LaunchTotals) -> float:
    """How much the launches are altogether, in units of what was traced of them."""
    return _blocks(launch) * launch.times / launch.traced_blocks if launch.traced_blocks else 0.0


def work(launch: LaunchTotals) -> float:
    """Warp instructions of the launches altogether."""
    return launch.warp_instructions * whole(launch)


def coalescing(lines: Sequence[LineCost]) -> Property | None:
    sectors, ideal = sum(c.sectors for c in lines), sum(c.ideal_sectors for c in lines)
    if not sectors:
        return None
    worst = max(lines, key=lambda c: (c.sectors - c.ideal_sectors, c.sectors))
    score, each = ideal / sectors, sum(c.requests for c in lines)
    raw = sectors / each if each else 0.0
    if score >= 1.0:
        reason = "no request asks for more sectors than it needs"
        return _property("coalescing", 1.0, raw, "sectors a request", reason, line=worst.line)
    asked, needed = (count / max(worst.requests, 1) for count in (worst.sectors, worst.ideal_sectors))
    reason = f"line {worst.line} asks for {asked:.3g} sectors a request where {needed:.3g} would do"
    remedy = _coalescing_remedy(asked, needed)
    return _property("coalescing", score, raw, "sectors a request", reason, remedy, worst.line)


def _coalescing_remedy(asked: float, needed: float) -> str:
    if asked >= 2 * needed and asked >= 8:
        return (
            "neighbouring threads touch addresses a whole row or struct apart: interchange so that threadIdx.x runs "
            "along the last index, or stage a tile in shared memory and turn it there"
        )
    if asked >= 2 * needed:
        return "neighbouring threads touch every few elements: let neighbouring threads take neighbouring elements"
    return "a warp's accesses straddle rows or 32-byte boundaries: make blockDim.x a multiple of 32, or pad the rows"


def occupancy_of(launches: Sequence[LaunchTotals], resources: Resources, arch: Architecture) -> Property | None:
    found = [(launch, _resident(launch, resources, arch)) for launch in launches]
    score = _weighted([(work(launch), o.ratio) for launch, o in found])
    if score is None:
        return None
    launch, worst = min(found, key=lambda pair: (pair[1].ratio - 1.0) * work(pair[0]))
    raw = score * arch.warps
    if score >= 1.0:
        reason = f"all {arch.warps} warps of a multiprocessor may be resident"
        return _property("occupancy", 1.0, raw, "warps", reason, line=_launch_line(launch))
    reason, remedy = _occupancy_words(launch, _registers(launch, resources), worst, arch)
    return _property("occupancy", score, raw, "warps", reason, remedy, _launch_line(launch))


def _launch_line(launch: LaunchTotals) -> int | None:
    """Where it is launched; without a host function, the line that its kernel spends most on."""
    return launch.line or launch.costliest.issued or None


def _resident(launch: LaunchTotals, resources: Resources, arch: Architecture) -> Occupancy:
    return occupancy(arch, _threads(launch), _registers(launch, resources), launch.shared_bytes)


def _registers(launch: LaunchTotals, resources: Resources) -> int:
    return resources[launch.kernel].registers if launch.kernel in resources else 0


def _occupancy_words(launch: LaunchTotals, registers: int, found: Occupancy, arch: Architecture) -> tuple[str, str]:
    room = f"room for {found.warps} of {arch.warps} warps"
    if found.limit == "registers":
        return (
            f"{launch.kernel}: {registers} registers a thread leave {room}",
            "let each thread compute less, or bound the registers with __launch_bounds__",
        )
    if found.limit == "shared memory":
        return (
            f"{launch.kernel}: {launch.shared_bytes} bytes of shared memory a block leave {room}",
            "use a smaller tile, or let a block do more with the same tile",
        )
    if found.limit == "blocks":
        return (
            f"{launch.kernel}: blocks of {_threads(launch)} threads leave {room}, for an SM holds {arch.blocks} blocks",
            "use larger blocks: 128 to 256 threads",
        )
    return (
        f"{launch.kernel}: blocks of {_threads(launch)} threads leave {room}",
        f"use a multiple of {WARP} threads that divides {arch.threads}: 128, 256 or 512",
    )


def intensity(launches: Sequence[LaunchTotals], lines: Sequence[LineCost], compulsory_bytes: int) -> Property | None:
    moved = sum(launch.ideal_sectors * whole(launch) for launch in launches) * SECTOR_BYTES
    if not moved or not compulsory_bytes or not any(c.ideal_sectors for c in lines):
        return None
    again = moved / compulsory_bytes
    worst = max(lines, key=lambda c: c.ideal_sectors)
    if again < 1.005:
        reason = f"no byte is asked for more often than it must be{_past_caches(launches)}"
        return _property("intensity", 1.0 / again, again, "times", reason, line=worst.line)
    share = worst.ideal_sectors / sum(c.ideal_sectors for c in lines)
    reason = f"each byte is asked for {again:.3g} times; line {worst.line} does {share:.0%} of the asking"
    remedy = _intensity_remedy(launches)
    return _property("intensity", 1.0 / again, again, "times", reason + _past_caches(launches), remedy, worst.line)


def _past_caches(launches: Sequence[LaunchTotals]) -> str:
    """What of the traffic reaches memory by the cache model; nothing where that has not seen every block."""
    if not any(launch.l2_bytes for launch in launches) or any(whole(launch) > 1.0 for launch in launches):
        return ""
    asked = sum(launch.sectors for launch in launches) * SECTOR_BYTES
    reached = sum(launch.dram_read_bytes + launch.dram_write_bytes for launch in launches)
    return f"; of {in_bytes(asked)} in sectors, {in_bytes(reached)} reach DRAM (modelled)"


def in_bytes(count: float) -> str:
    for unit in ("bytes", "KB", "MB"):
        if count < 999.5:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"


def _intensity_remedy(launches: Sequence[LaunchTotals]) -> str:
    if any(launch.shared_bytes for launch in launches):
        return "use each staged value more often: larger tiles, or several outputs a thread in registers"
    if len(launches) > 1:
        return "fuse the kernels that read the same arrays, or stage what neighbouring threads share in shared memory"
    return "stage what neighbouring threads share in shared memory, so that a block reads each byte once"


def synchronisation(launches: Sequence[LaunchTotals], lines: Sequence[LineCost]) -> Property | None:
    issued = sum(work(launch) for launch in launches)
    if not issued or not any(launch.barriers or launch.atomics for launch in launches):
        return None
    waits = [launch.barrier_lost * whole(launch) for launch in launches]
    meetings = [_collisions(launch) * COLLISION_SLOTS * whole(launch) for launch in launches]
    waiting, colliding = sum(waits), sum(meetings)
    lost = (waiting + colliding) / (issued + waiting + colliding)
    if lost == 0.0:
        line = _most(lines, lambda c: c.barriers + c.atomics)
        reason = "no issue slot is lost to barriers or atomics"
        return _property("synchronisation", 1.0, 0.0, "share lost", reason, line=line)
    share = f"{lost:.0%}" if lost >= 0.005 else "less than 1%"
    if waiting >= colliding:
        line = launches[waits.index(max(waits))].costliest.waited or _most(lines, lambda c: c.barriers)
        reason = f"{share} of the issue slots are lost, most to waiting at the barrier{_at(line)} for a slower warp"
        remedy = "share the work before the barrier evenly over the warps, or finish within a warp by shuffles"
    else:
        line = launches[meetings.index(max(meetings))].costliest.collided or _most(lines, lambda c: c.atomics)
        reason = f"{share} of the issue slots are lost, most to atomics on one address{_at(line)}"
        remedy = "reduce within the warp or block first, by shuffles or in a private shared copy, then add once"
    return _property("synchronisation", 1.0 - lost, lost, "share lost", reason, remedy, line)


def _collisions(launch: LaunchTotals) -> int:
    """Of lanes that wait for each other; those that the hardware lets one lane do cost nothing."""
    return max(0, launch.collisions - launch.combined_collisions)


def divergence(launches: Sequence[LaunchTotals], lines: Sequence[LineCost]) -> Property | None:
    issued = sum(work(launch) for launch in launches)
    if not issued:
        return None
    active = sum(launch.thread_instructions * whole(launch) for launch in launches) / issued
    score, line = active / WARP, None
    reason = f"{active:.3g} of {WARP} lanes work, on average"
    if lines:
        worst = max(lines, key=lambda c: (c.executions * (WARP - c.active_lanes), c.executions))
        line = worst.line
        reason += f"; line {line} keeps {worst.active_lanes:.3g} busy" if score < 1.0 else ""
    remedy = (
        "choose by whole warps, not by lanes: sort the work, replace the branch by a select, or let more threads take "
        "part where only some do"
    )
    return _property("divergence", score, active, "lanes", reason, remedy, line)


def shared(launches: Sequence[LaunchTotals], lines: Sequence[LineCost]) -> Property | None:
    found = [p for p in (_banks(lines), _sharing(launches)) if p is not None]
    return min(found, key=lambda p: p.score, default=None)


def _banks(lines: Sequence[LineCost]) -> Property | None:
    wavefronts, ideal = sum(c.shared_wavefronts for c in lines), sum(c.ideal_wavefronts for c in lines)
    if not wavefronts:
        return None
    raw = wavefronts / ideal if ideal else 1.0
    worst = max(lines, key=lambda c: (c.shared_wavefronts - c.ideal_wavefronts, c.shared_wavefronts))
    if wavefronts <= ideal:
        reason = "no access to shared memory meets a bank conflict"
        return _property("shared", 1.0, raw, "wavefronts for 1", reason, line=worst.line)
    ways = worst.shared_wavefronts / max(worst.ideal_wavefronts, 1)
    reason = f"line {worst.line} needs {ways:.3g} shared-memory wavefronts where 1 would do: lanes meet in one bank"
    remedy = "pad each row of the tile by one element ([32][33]), or let neighbouring lanes read neighbouring words"
    return _property("shared", ideal / wavefronts, raw, "wavefronts for 1", reason, remedy, worst.line)


def _sharing(launches: Sequence[LaunchTotals]) -> Property | None:
    """What warps read of global memory that others of their block read too; None where a copy would not help."""
    helped = [launch for launch in launches if _would_help(launch)]
    if not helped:
        return None
    needed = sum(launch.block_words * whole(launch) for launch in launches)
    spared = sum((launch.warp_words / WORTHWHILE_READERS - launch.block_words) * whole(launch) for launch in helped)
    worst = max(helped, key=lambda launch: (launch.warp_words - launch.block_words) * whole(launch))
    raw, line = worst.warp_words / worst.block_words, worst.costliest.read_again or None
    place = f", most at line {line}" if line else ""
    reason = f"each word that a block of {worst.kernel} reads of global memory is read by {raw:.3g} of its warps{place}"
    remedy = "bring the tile that the warps of a block share into shared memory once, and let all of them read it there"
    return _property("shared", needed / (needed + spared), raw, READERS, reason, remedy, line)


def _would_help(launch: LaunchTotals) -> bool:
    words = launch.block_words
    return bool(
        whole(launch)
        and launch.warp_words > WORTHWHILE_READERS * words > 0
        and launch.met_words >= WORTHWHILE_SHARE * words
    )


def balance(launches: Sequence[LaunchTotals], arch: Architecture) -> Property | None:
    parts = [(launch, _warp_balance(launch), _grid_balance(launch, arch)) for launch in launches]
    score = _weighted([(work(launch), min(warps, grid)) for launch, warps, grid in parts])
    if score is None:
        return None
    launch, warps, grid = max(parts, key=lambda part: (1.0 - min(part[1:])) * work(part[0]))
    line = _launch_line(launch)
    if score >= 1.0:
        reason = "all warps and all multiprocessors do the same"
        return _property("balance", 1.0, 1.0, "of the busiest", reason, line=line)
    if warps < grid:
        line = launch.costliest.issued or line
        reason = f"{launch.kernel}: a warp does {warps:.0%} of what the busiest warp does, on average"
        remedy = "give each warp an equal share: pair long rows with short ones, or let a whole warp take a row"
    elif _blocks(launch) < arch.multiprocessors:
        reason = f"{launch.kernel}: {_count(launch)} for the {arch.multiprocessors} multiprocessors of an {arch.device}"
        remedy = "make more blocks: smaller tiles, another parallel loop on the grid, or split the reduction"
    else:
        busy = f"{grid:.0%} of {arch.multiprocessors} multiprocessors busy"
        reason = f"{launch.kernel}: {_count(launch)} keep {busy}, on average"
        remedy = "make more and smaller blocks, so that the last wave is short"
    return _property("balance", score, score, "of the busiest", reason, remedy, line)


def _warp_balance(launch: LaunchTotals) -> float:
    return min(1.0, launch.mean_warp / launch.busiest_warp) if launch.busiest_warp else 1.0


def _grid_balance(launch: LaunchTotals, arch: Architecture) -> float:
    """Mean / busiest multiprocessor, when blocks go round them in turn; one long block alone bounds it too."""
    if not launch.traced_blocks or not launch.busiest_block:
        return 1.0
    mean = launch.mean_block * _blocks(launch) / arch.multiprocessors
    busiest = max(launch.mean_block * -(-_blocks(launch) // arch.multiprocessors), float(launch.busiest_block))
    return min(1.0, mean / busiest) if busiest else 1.0


def _count(launch: LaunchTotals) -> str:
    blocks = _blocks(launch)
    return f"{blocks} block{'s' if blocks > 1 else ''}"


def _blocks(launch: LaunchTotals) -> int:
    return launch.grid[0] * launch.grid[1] * launch.grid[2]


def _threads(launch: LaunchTotals) -> int:
    return launch.block[0] * launch.block[1] * launch.block[2]


def _most(lines: Sequence[LineCost], count: Callable[[LineCost], int]) -> int | None:
    worst = max(lines, key=count, default=None)
    return worst.line if worst and count(worst) else None


def _at(line: int | None) -> str:
    return f" of line {line}" if line else ""


def _weighted(parts: Sequence[tuple[float, float]]) -> float | None:
    """Mean of (weight, value) pairs by weight; None when nothing weighs."""
    total = sum(weight for weight, _ in parts)
    return sum(weight * value for weight, value in parts) / total if total else None


def _property(
    name: str, score: float, raw: float, unit: str, reason: str, remedy: str = "", line: int | None = None
) -> Property:
    score = min(1.0, max(0.0, score))
    source: Literal["static", "simulator"] = "static" if name == "occupancy" else "simulator"
    return Property(name, score, raw, unit, source, reason, "" if score >= GOOD else remedy, line)
