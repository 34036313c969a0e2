"""How closely each count has to agree, which cannot, and why. Pure: numbers in, verdicts out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# Counts that the hardware makes by rule, whatever the timing: they agree exactly, or there is a reason below.
EXACT = (
    "global_load_requests", "global_load_sectors", "global_load_lanes", "global_store_requests",
    "global_store_sectors", "global_store_lanes", "global_atomic_requests", "local_load_requests", "local_load_sectors",
    "local_store_requests", "local_store_sectors", "shared_load_wavefronts", "shared_store_wavefronts", "barriers",
    "resident_blocks",
)  # fmt: skip
TOLERANCE = dict.fromkeys(EXACT, 0.0) | {
    "global_atomic_sectors": 0.02,
    "shared_atomic_wavefronts": 0.0,
    "dram_read_bytes": 0.15,
    "dram_write_bytes": 0.15,
}
# Bytes that a launch itself moves (code, arguments), and what ncu leaves dirty in L2: not what the kernel asks for.
SLACK = {"dram_read_bytes": 64 << 10, "dram_write_bytes": 3 << 20}
WORDS = {name: name.replace("_", " ") for name in TOLERANCE}

MERGED = "ptxas joins accesses to neighbouring words of shared memory into one of 8 or 16 bytes; the PTX has them apart"
UNROLLED = "ptxas unrolls the loop, whose length differs by lane; left-over steps go in other company than the PTX's"
RACING = "how often a lane has to swap again depends on who came first"
SPIN = "there is no such atomic in shared memory: ptxas makes a loop of reads and swaps, as long as lanes collide"
CONTENDED = "the counter also counts what is done again because several warps add to one word"
ARBITRATED = "the counter also has what is lost to other traffic of a full multiprocessor; the instrumented code agrees"
SPILLED = "what ptxas spills is not in the PTX; the build's report has its bytes"
BY_TARGET = "the counter has cp.async's sectors by the places in shared memory they go to, not by those they come from"
EARLIER = (
    "hardware reads the rest of a partly written sector some time before it writes it; the model does both at once"
)
LANE_BY_LANE = "cp.async goes a lane at a time where source and target do not run in parallel; the model has only banks"

# (beginning of a case's name, counts) -> why they cannot agree.
EXCEPTIONS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("reduce strided", ("shared_load_wavefronts",), MERGED),
    ("scan blelloch<0>", ("shared_load_wavefronts", "shared_store_wavefronts"), MERGED),
    ("bitonic_sort", ("shared_load_wavefronts", "shared_store_wavefronts"), MERGED),
    ("gemm tiled", ("shared_load_wavefronts",), MERGED),
    ("nearest_centre", ("shared_load_wavefronts",), MERGED),
    ("shared_at_one_place", ("shared_load_wavefronts", "shared_store_wavefronts"), MERGED),
    ("shared_at_one_place", ("shared_atomic_wavefronts",), CONTENDED),
    ("counted_places", ("shared_atomic_wavefronts",), CONTENDED),
    ("sparse row_a_thread", ("global_load_requests", "global_load_sectors"), UNROLLED),
    ("maximum_by_swap", ("global_load_requests", "global_load_sectors", "global_load_lanes"), RACING),
    ("maximum_by_swap", ("global_atomic_requests", "global_atomic_sectors"), RACING),
    ("add_in_shared<float>", ("shared_load_wavefronts", "shared_atomic_wavefronts"), SPIN),
    ("shared_atomic_long", ("shared_load_wavefronts", "shared_atomic_wavefronts"), SPIN),
    ("transpose tiled<1> 4096", ("shared_load_wavefronts", "shared_store_wavefronts"), ARBITRATED),
    ("spilled", ("local_load_requests", "local_load_sectors", "local_store_requests", "local_store_sectors"), SPILLED),
    ("copy_async", ("global_load_sectors",), BY_TARGET),
    ("copy_async", ("shared_store_wavefronts",), LANE_BY_LANE),
    ("write_stride 8 of 24 MB", ("dram_read_bytes", "dram_write_bytes"), EARLIER),
)


@dataclass(frozen=True)
class Verdict:
    case: str
    count: str
    simulated: float
    measured: float
    reason: str = ""  # why this count cannot agree in this case; empty: it has to

    @property
    def difference(self) -> float:
        """Relative to what was measured."""
        if self.measured == self.simulated:
            return 0.0
        return (self.simulated - self.measured) / self.measured if self.measured else float("inf")

    @property
    def agrees(self) -> bool:
        away = abs(self.simulated - self.measured)
        return away <= max(TOLERANCE[self.count] * self.measured, SLACK.get(self.count, 0))


def verdicts(case: str, simulated: Mapping[str, float], measured: Mapping[str, float]) -> list[Verdict]:
    """One for each count that either of them has, in the order of TOLERANCE."""
    found = []
    for count in TOLERANCE:
        ours, theirs = simulated.get(count, 0.0), measured.get(count, 0.0)
        if ours or theirs:
            found.append(Verdict(case, count, ours, theirs, _reason(case, count)))
    return found


def _reason(case: str, count: str) -> str:
    return next((why for name, counts, why in EXCEPTIONS if case.startswith(name) and count in counts), "")
