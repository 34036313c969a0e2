"""Which metrics of the hardware answer for the seven properties, and the counts that they are, under short names.

Pure: counting is `cupti.py`'s, or ncu's; `counted.py` makes properties of the counts, in the raw values, units and
scores of `properties.py`:

    coalescing       needed sectors a request (simulated) / sectors a request (counted)
    occupancy        warps resident in cycles in which an SM works / the most it holds: achieved, not theoretical
    intensity        compulsory bytes / (requests counted x sectors that one needs, simulated); DRAM's bytes in words
    synchronisation  1 - share of resident warps' cycles that are spent at a barrier
    divergence       active lanes / 32 per warp instruction, of the machine's own instructions
    shared           (wavefronts - those that bank conflicts add) / wavefronts
    balance          mean of the SMs' cycles with work / those of the busiest SM
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_GLOBAL = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"

# In groups that keep the number of passes low: the first takes two on every architecture from sm_75 on, each other
# one or two more, so it waits for kernels that use it. L1 counts the sectors of two operations in a pass.
ALWAYS: dict[str, str] = {
    "load_sectors": _GLOBAL.format("sectors", "ld"),
    "store_sectors": _GLOBAL.format("sectors", "st"),
    "load_requests": "smsp__inst_executed_op_global_ld.sum",
    "store_requests": "smsp__inst_executed_op_global_st.sum",
    "warp_instructions": "smsp__inst_executed.sum",
    "thread_instructions": "smsp__thread_inst_executed.sum",
    "resident_warp_cycles": "smsp__warps_active.sum",
    "barrier_warp_cycles": "smsp__warps_issue_stalled_barrier.sum",
    "sm_cycles": "sm__cycles_active.sum",
    "mean_sm_cycles": "sm__cycles_active.avg",
    "busiest_sm_cycles": "sm__cycles_active.max",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
}
# By operation: the total of the wavefronts has stores to global memory in it.
SHARED: dict[str, str] = {
    "load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "atomic_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
}
ATOMICS: dict[str, str] = {
    "atomic_sectors": _GLOBAL.format("sectors", "atom"),
    "reduction_sectors": _GLOBAL.format("sectors", "red"),
    "atomic_requests": _GLOBAL.format("requests", "atom"),
    "reduction_requests": _GLOBAL.format("requests", "red"),
}
# Copies to shared memory that go past L1 (cp.async.cg) have no sectors there, only their instructions are counted.
ASYNC: dict[str, str] = {
    "async_sectors": _GLOBAL.format("sectors", "ldgsts_cache_access"),
    "async_requests": _GLOBAL.format("requests", "ldgsts_cache_access"),
    "async_instructions": "smsp__inst_executed_op_ldgsts.sum",
}
# What RTX cards of the Blackwell generation call them.
OTHERWISE: dict[str, str] = {
    "dram_read_bytes": "dram__bytes_op_read.sum",
    "dram_write_bytes": "dram__bytes_op_write.sum",
}
NAMES = {metric: name for group in (ALWAYS, SHARED, ATOMICS, ASYNC, OTHERWISE) for name, metric in group.items()}


def wanted(ptx: str) -> tuple[str, ...]:
    """The metrics that these kernels call for; a chip lacks some of them."""
    groups = [ALWAYS, OTHERWISE]
    if ".shared" in ptx:
        groups.append(SHARED)
    if re.search(r"\b(atom|red)(\.\w+)*\.global\b|\b(atom|red)\.(?!\w*shared)", ptx):
        groups.append(ATOMICS)
    if "cp.async.c" in ptx:
        groups.append(ASYNC)
    return tuple(metric for group in groups for metric in group.values())


@dataclass(frozen=True)
class Counts:
    """Sums over everything that ran, by the names of the tables above; what was not counted is absent."""

    values: Mapping[str, float]

    @classmethod
    def of(cls, metrics: Mapping[str, float]) -> Counts:
        """From metric names; other metrics are left out."""
        return cls({NAMES[metric]: value for metric, value in metrics.items() if metric in NAMES})

    def get(self, name: str) -> float | None:
        return self.values.get(name)

    def total(self, *names: str) -> float | None:
        """The sum; None when one of them that every kernel needs was not counted."""
        if any(name in ALWAYS and name not in self.values for name in names):
            return None
        return sum(self.values.get(name, 0.0) for name in names)

    @property
    def requests(self) -> float | None:
        return self.total("load_requests", "store_requests", "atomic_requests", "reduction_requests", "async_requests")

    @property
    def accesses(self) -> float | None:
        """Requests, and with them the copies that go past L1, whose sectors nobody counts."""
        requests, copies = self.requests, self.values.get("async_instructions")
        if requests is None or copies is None:
            return requests
        return requests - self.values.get("async_requests", 0.0) + copies

    @property
    def sectors(self) -> float | None:
        return self.total("load_sectors", "store_sectors", "atomic_sectors", "reduction_sectors", "async_sectors")

    @property
    def wavefronts(self) -> float | None:
        """Of shared memory; None when it was not counted."""
        if "load_wavefronts" not in self.values:
            return None
        return self.total("load_wavefronts", "store_wavefronts", "atomic_wavefronts")

    @property
    def dram_bytes(self) -> float | None:
        return self.total("dram_read_bytes", "dram_write_bytes")
