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

from .hardware import STORED, Measured, condensed, stored
from .launch_all import digests, selected
from .simulate import simulated
from .verdicts import EXCEPTIONS, TOLERANCE, WORDS, Verdict, verdicts


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
        options.table.write_text("\n".join(document(machine, hardware, found, bits, lanes)) + "\n")
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
    hardware: dict[str, Measured],
    found: list[Verdict],
    bits: dict[str, bool],
    lanes: dict[str, tuple[float, float]],
) -> list[str]:
    """The page with every number, as Markdown."""
    lines = [
        "# The simulator against hardware counters",
        "",
        f"{len(bits)} launches on one {machine['device']} (driver of CUDA {machine['driver']}, Nsight Compute "
        f"{machine['ncu']}), {machine['date']}, and the same cubins' PTX in the simulator. Written by "
        "`python -m calibrate.compare --table FILE` in `tests/gpu`; measured by "
        "`CALIBRATE=1 sh tests/gpu/run.sh`.",
        "",
        *summary(found, bits, lanes),
        "",
        "Counts that cannot agree, and why:",
        "",
    ]
    for name, counts, why in EXCEPTIONS:
        lines.append(f"- {name}: {', '.join(WORDS[c] for c in counts)}: {why}.")
    lines += [
        "- Active lanes over all instructions: the hardware counts those of the SASS. Guards that ptxas turns into "
        "predicates, loops that it unrolls and the exit of each thread change the mean; lanes of each access do agree.",
        "- A model of the caches gives the bytes of DRAM: what a launch itself moves (up to 64 KB) and what ncu leaves "
        "dirty in L2 (up to 3 MB of writes) is not counted as a difference.",
        "",
        "| case | count | simulated | measured | difference |",
        "|---|---|---|---|---|",
    ]
    for v in found:
        mark = "" if v.agrees else " (reason above)" if v.reason else " **differs**"
        shown = "0" if v.simulated == v.measured else f"{v.difference:+.2%}"
        lines.append(f"| {v.case} | {WORDS[v.count]} | {v.simulated:,.0f} | {v.measured:,.0f} | {shown}{mark} |")
    for name, (ours, theirs) in lanes.items():
        lines.append(f"| {name} | active lanes | {ours:.2f} | {theirs:.2f} | {(ours - theirs) / theirs:+.2%} |")
    return lines


if __name__ == "__main__":
    sys.exit(main())
