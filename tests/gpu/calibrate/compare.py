"""Compares the simulator with the stored counters of an H200 and writes the table.

    python -m calibrate.compare [--table FILE] [--only WORD...] [--take COUNTERS.json]

--take first makes a new h200.json from what measure.py wrote. Exit status 1 when a count differs without a reason.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path

from .hardware import STORED, condensed, stored
from .launch_all import digests, selected
from .simulate import simulated
from .verdicts import EXCEPTIONS, TOLERANCE, WORDS, Verdict, verdicts

# Of the long table, in this order.
COLUMNS = {
    "global_load_requests": "load requests",
    "global_load_sectors": "load sectors",
    "global_store_requests": "store requests",
    "global_store_sectors": "store sectors",
    "global_atomic_requests": "atomic requests",
    "global_atomic_sectors": "atomic sectors",
    "local_load_sectors": "local load sectors",
    "local_store_sectors": "local store sectors",
    "shared_load_wavefronts": "shared load wavefronts",
    "shared_store_wavefronts": "shared store wavefronts",
    "shared_atomic_wavefronts": "shared atomic wavefronts",
    "barriers": "barriers",
    "resident_blocks": "blocks an SM",
    "dram_read_bytes": "DRAM read",
    "dram_write_bytes": "DRAM written",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--take", type=Path)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--builds", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    if options.take:
        STORED.write_text(condensed(json.loads(options.take.read_text())))
    machine, hardware = stored()
    found: list[Verdict] = []
    bits: dict[str, bool] = {}
    lanes: dict[str, tuple[float, float]] = {}
    for case in selected(options.only):
        ours, theirs = simulated(case, options.builds), hardware[case.name]
        measured = theirs.counts()
        found += verdicts(case.name, ours.counts, measured)
        lanes[case.name] = (ours.counts["active_lanes"], measured["active_lanes"])
        if case.is_exact:
            bits[case.name] = digests(case, ours.after) == theirs.digests
    lines = summary(found, bits, lanes)
    print("\n".join(lines))
    if options.table:
        options.table.write_text("\n".join(document(machine, found, bits, lanes)) + "\n")
    bad = [v for v in found if not v.agrees and not v.reason]
    for v in bad:
        print(f"{v.case}: {WORDS[v.count]}: {v.simulated:g} simulated, {v.measured:g} measured ({v.difference:+.1%})")
    for name in (name for name, same in bits.items() if not same):
        print(f"{name}: other bits than the GPU")
    return 1 if bad or not all(bits.values()) else 0


def summary(found: list[Verdict], bits: dict[str, bool], lanes: dict[str, tuple[float, float]]) -> list[str]:
    """A Markdown table: for each count, in how many cases it agrees."""
    by_count: dict[str, list[Verdict]] = defaultdict(list)
    for v in found:
        by_count[v.count].append(v)
    lines = ["| count | cases | equal | within its tolerance | with a reason | differ |", "|---|---|---|---|---|---|"]
    for count, tolerance in TOLERANCE.items():
        rows = by_count[count]
        equal = sum(v.simulated == v.measured for v in rows)
        within = sum(v.agrees for v in rows)
        excused = sum(not v.agrees and bool(v.reason) for v in rows)
        shown = f"{within} ({tolerance:.0%})" if tolerance else f"{within}"
        differ = len(rows) - within - excused
        lines.append(f"| {WORDS[count]} | {len(rows)} | {equal} | {shown} | {excused} | {differ} |")
    near = sum(abs(a - b) <= 0.02 * b for a, b in lanes.values())
    lines.append(f"| active lanes, all instructions | {len(lanes)} | | {near} (2%) | {len(lanes) - near} | 0 |")
    same = sum(bits.values())
    lines.append(f"| every bit of the results | {len(bits)} | {same} | {same} | 0 | {len(bits) - same} |")
    return lines


def document(
    machine: dict[str, object],
    found: list[Verdict],
    bits: dict[str, bool],
    lanes: dict[str, tuple[float, float]],
) -> list[str]:
    """The page with every number, as Markdown."""
    lines = [
        "# The simulator against hardware counters",
        "",
        f"{len(lanes)} launches on one {machine['device']} (driver of CUDA {machine['driver']}, Nsight Compute: "
        f"{machine['ncu']}), {machine['date']}, and the PTX of the same builds in the simulator. Written by "
        "`python -m calibrate.compare --table FILE` in `tests/gpu`; measured by "
        "`CALIBRATE=1 sh tests/gpu/run.sh`.",
        "",
        *summary(found, bits, lanes),
        "",
        "Counts that cannot agree, and why:",
        "",
    ]
    where: dict[str, list[str]] = defaultdict(list)
    for name, counts, why in EXCEPTIONS:
        where[why].append(f"{name} ({', '.join(WORDS[c] for c in counts)})")
    lines += [f"- {', '.join(names)}: {why}." for why, names in where.items()]
    lines += [
        "- Active lanes over all instructions: the hardware counts those of the SASS. Guards that ptxas turns into "
        "predicates, loops that it unrolls and the exit of each thread change the mean; lanes of each access do agree.",
        "- A model of the caches gives the bytes of DRAM: what a launch itself moves (up to 64 KB) and what ncu leaves "
        "dirty in L2 (up to 3 MB of writes) is not counted as a difference.",
        "",
        "A cell with two numbers: simulated, then measured. Bytes of DRAM in KB.",
        "",
        f"| case | {' | '.join(COLUMNS.values())} | active lanes |",
        "|---" * (len(COLUMNS) + 2) + "|",
    ]
    by_case: dict[str, dict[str, Verdict]] = defaultdict(dict)
    for v in found:
        by_case[v.case][v.count] = v
    for name, (ours, theirs) in lanes.items():
        cells = [_cell(by_case[name].get(count)) for count in COLUMNS]
        lines.append(f"| {name} | {' | '.join(cells)} | {_pair(f'{ours:.1f}', f'{theirs:.1f}')} |")
    return lines


def _cell(v: Verdict | None) -> str:
    if v is None:
        return ""
    unit = 1000 if v.count.startswith("dram") else 1
    return _pair(f"{v.simulated / unit:,.0f}", f"{v.measured / unit:,.0f}")


def _pair(ours: str, theirs: str) -> str:
    return ours if ours == theirs else f"{ours} / {theirs}"


if __name__ == "__main__":
    sys.exit(main())
