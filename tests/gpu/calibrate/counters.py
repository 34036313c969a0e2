"""The hardware counters that are read, under short names, and ncu's CSV -> one record a kernel. Starts nothing."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from io import StringIO

LSU = "pipe_lsu_mem"
OPERATIONS = {"load": "ld", "store": "st", "atomic": "atom", "reduction": "red"}

COUNTERS: dict[str, str] = {
    **{f"global_{name}_requests": f"l1tex__t_requests_{LSU}_global_op_{op}.sum" for name, op in OPERATIONS.items()},
    **{f"global_{name}_sectors": f"l1tex__t_sectors_{LSU}_global_op_{op}.sum" for name, op in OPERATIONS.items()},
    "async_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts.sum",
    "async_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts.sum",
    "async_cached_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum",
    "async_bypass_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass.sum",
    "async_instructions": "smsp__inst_executed_op_ldgsts.sum",
    "local_load_requests": f"l1tex__t_requests_{LSU}_local_op_ld.sum",
    "local_load_sectors": f"l1tex__t_sectors_{LSU}_local_op_ld.sum",
    "local_store_requests": f"l1tex__t_requests_{LSU}_local_op_st.sum",
    "local_store_sectors": f"l1tex__t_sectors_{LSU}_local_op_st.sum",
    "shared_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_atomic_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "shared_async_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum",
    "shared_load_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_store_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "shared_atomic_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
    "shared_load_instructions": "smsp__inst_executed_op_shared_ld.sum",
    "shared_store_instructions": "smsp__inst_executed_op_shared_st.sum",
    "shared_atomic_instructions": "smsp__inst_executed_op_shared_atom.sum",
    "ldmatrix_instructions": "smsp__inst_executed_op_ldsm.sum",
    "source_wavefronts": "memory_l1_wavefronts_shared",
    "source_ideal_wavefronts": "memory_l1_wavefronts_shared_ideal",
    "source_sectors": "memory_l2_theoretical_sectors_global",
    "source_ideal_sectors": "memory_l2_theoretical_sectors_global_ideal",
    "l1_load_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "l1_load_misses": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum",
    "l1_store_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum",
    "l1_output_wavefronts_load": "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum",
    "l2_read_sectors": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l2_write_sectors": "lts__t_sectors_srcunit_tex_op_write.sum",
    "l2_atomic_sectors": "lts__t_sectors_srcunit_tex_op_atom.sum",
    "l2_reduction_sectors": "lts__t_sectors_srcunit_tex_op_red.sum",
    "l2_hits": "lts__t_sectors_srcunit_tex_lookup_hit.sum",
    "l2_misses": "lts__t_sectors_srcunit_tex_lookup_miss.sum",
    "l2_fabric_sectors": "lts__t_sectors_srcunit_ltcfabric.sum",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
    "warp_instructions": "smsp__inst_executed.sum",
    "thread_instructions": "smsp__thread_inst_executed.sum",
    "thread_instructions_on": "smsp__thread_inst_executed_pred_on.sum",
    "opcodes": "sass__inst_executed_per_opcode",
    "thread_opcodes": "sass__thread_inst_executed_true_per_opcode",
    "limit_registers": "launch__occupancy_limit_registers",
    "limit_shared": "launch__occupancy_limit_shared_mem",
    "limit_warps": "launch__occupancy_limit_warps",
    "limit_blocks": "launch__occupancy_limit_blocks",
    "registers": "launch__registers_per_thread",
    "shared_config_bytes": "launch__shared_mem_config_size",
    "theoretical_occupancy_pct": "sm__maximum_warps_per_active_cycle_pct",
    "achieved_occupancy_pct": "sm__warps_active.avg.pct_of_peak_sustained_active",
}
# Given by ncu itself, by its instrumentation of the code or by the launch: no list of the hardware's metrics has them.
NOT_LISTED = ("launch__", "sass__", "memory_", "sm__maximum_warps")

Record = dict[str, float | dict[str, int]]


def metrics(known: Iterable[str]) -> list[str]:
    """The metrics to ask for, of those that ncu knows on this chip."""
    names = set(known)
    return [m for m in COUNTERS.values() if m.startswith(NOT_LISTED) or m.split(".")[0] in names]


def read_counters(text: str) -> list[tuple[str, Record]]:
    """(kernel, counters) in the order of the launches, from `ncu --csv --page raw --print-units base`."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    rows = csv.DictReader(StringIO("\n".join(lines[start:])))
    short = {metric: name for name, metric in COUNTERS.items()}
    found: list[tuple[str, Record]] = []
    for row in rows:
        if not row["ID"].strip():
            continue  # the row of units
        values: Record = {}
        for column, cell in row.items():
            name = short.get(column or "")
            if name is None or not cell:
                continue
            values[name] = _instances(cell) if name.endswith("opcodes") else _number(cell)
        found.append((row["Kernel Name"], values))
    return found


def _number(cell: str) -> float:
    return float(cell.split(" ")[0].replace(",", ""))


def _instances(cell: str) -> dict[str, int]:
    """Of "120 (LDG: 100; STG: 20)": what stands in the brackets."""
    return {name: int(float(n.replace(",", ""))) for name, n in re.findall(r"([A-Z][A-Z0-9_.]*): ?([\d.,]*\d)", cell)}
