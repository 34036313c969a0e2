"""What the hardware counted, from h200.json, under the names that simulate.py uses. Measures nothing.

Where one number of the simulator has several counters, they are added up here; where a counter counts something else
than its name says, the number comes from the executed instructions instead.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

STORED = Path(__file__).parent / "h200.json"
WARP = 32
# Of opcodes, only these are kept: memory, barriers, votes that ptxas puts before a combined atomic.
KEPT_OPCODES = ("LD", "ST", "ATOM", "RED", "BAR")
# Read, but compared with nothing: they say why a number is as it is, and stay in measure.py's own file.
LEFT_OUT = ("conflicts", "_instructions", "_on", "ideal", "async", "l1_output")
KEPT = ("warp_instructions", "thread_instructions")


@dataclass(frozen=True)
class Measured:
    """One case on the device: counters by their short names, digests of the arrays that it changed."""

    counters: dict[str, float]
    opcodes: dict[str, int]  # warp instructions
    thread_opcodes: dict[str, int]  # thread instructions whose predicate held
    digests: dict[str, str]

    def warps(self, *names: str) -> int:
        return sum(self.opcodes.get(name, 0) for name in names)

    def threads(self, *names: str) -> int:
        return sum(self.thread_opcodes.get(name, 0) for name in names)

    def counts(self) -> dict[str, float]:
        c = self.counters
        found: dict[str, float] = {}
        for what in ("load", "store"):
            for unit in ("requests", "sectors"):
                found[f"global_{what}_{unit}"] = c[f"global_{what}_{unit}"]
            found[f"shared_{what}_wavefronts"] = c[f"shared_{what}_wavefronts"]
            found[f"local_{what}_sectors"] = c[f"local_{what}_sectors"]
        for unit in ("requests", "sectors"):
            found[f"global_atomic_{unit}"] = c[f"global_atomic_{unit}"] + c[f"global_reduction_{unit}"]
        found["shared_atomic_wavefronts"] = c["shared_atomic_wavefronts"]
        if self.warps("LDGSTS"):  # no counter of its own; the instrumented code has their wavefronts in its total
            counted = sum(c[f"shared_{what}_wavefronts"] for what in ("load", "store", "atomic"))
            found["shared_store_wavefronts"] += c["source_wavefronts"] - counted
        # A 16-byte access to local memory is four requests to the counter, one to the program.
        found["local_load_requests"], found["local_store_requests"] = self.warps("LDL"), self.warps("STL")
        found["global_load_lanes"] = self.threads("LDG", "LDGSTS", "LD")
        found["global_store_lanes"] = self.threads("STG", "ST")
        # A barrier whose predicate is false in the whole warp is an executed instruction, but nobody waits.
        found["barriers"] = self.threads("BAR") / WARP
        limits = ("limit_registers", "limit_shared", "limit_warps", "limit_blocks")
        found["resident_blocks"] = min(c[limit] for limit in limits)
        found["dram_read_bytes"], found["dram_write_bytes"] = c["dram_read_bytes"], c["dram_write_bytes"]
        found["active_lanes"] = c["thread_instructions"] / max(c["warp_instructions"], 1.0)
        return found


def stored(path: Path = STORED) -> tuple[dict[str, Any], dict[str, Measured]]:
    """What is known of the machine, and every case by name. Counters that were zero are not in the file."""
    record = json.loads(path.read_text())
    cases = record.pop("cases")
    names = record.pop("counters")
    return record, {
        name: Measured(
            dict.fromkeys(names, 0.0) | case["counters"], case["opcodes"], case["thread_opcodes"], case["digests"]
        )
        for name, case in cases.items()
    }


def condensed(record: dict[str, Any]) -> str:
    """A file of measure.py as h200.json: without zeros and without opcodes that nothing is compared with."""
    cases, names = {}, set()
    for name, case in record["cases"].items():
        counters = dict(case["counters"])
        opcodes, threads = (_kept(counters.pop(kind, {})) for kind in ("opcodes", "thread_opcodes"))
        counters = {k: v for k, v in counters.items() if k in KEPT or not any(part in k for part in LEFT_OUT)}
        names |= set(counters)
        shown = {k: int(v) if v == int(v) else v for k, v in counters.items() if v}
        cases[name] = {"counters": shown, "opcodes": opcodes, "thread_opcodes": threads, "digests": case["digests"]}
    head = {k: v for k, v in record.items() if k != "cases"} | {"counters": sorted(names)}
    lines = [f" {json.dumps(name)}: {json.dumps(case)}" for name, case in cases.items()]
    return json.dumps(head, indent=1)[:-2] + ',\n "cases": {\n' + ",\n".join(lines) + "\n }\n}\n"


def _kept(opcodes: dict[str, int]) -> dict[str, int]:
    return {name: count for name, count in opcodes.items() if name.startswith(KEPT_OPCODES)}
