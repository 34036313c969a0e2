"""Rows of the opcodes of control, memory and threads that meet."""

from __future__ import annotations

from cudaperf_magic.bench.simulator.opcode_rows import CONTROL, MEMORY, WARP, rows

PLAIN, FAULTS = "test_simulator.py", "test_simulator_faults.py"
PARTED = f"{PLAIN}::test_lanes_that_part_meet_again"

CONTROL_ROWS = (
    *rows(
        CONTROL, "lower.py", "divergence.cu", PARTED,
        ("bra", "plain, guarded, .uni"), ("ret", "guarded too"),
    ),
    *rows(
        CONTROL, "inlining.py", "calls.cu", f"{PLAIN}::test_functions_that_are_not_inlined_with_structs_and_pointers",
        ("call", "of functions whose name is known; .uni"),
    ),
    *rows(CONTROL, "lower.py", "hostile.cu", f"{FAULTS}::test_a_trap_is_named_with_its_thread", ("trap", "")),
)  # fmt: skip

MEMORY_ROWS = (
    *rows(
        MEMORY, "memory_ops.py", "divergence.cu", PARTED,
        ("ld", "every space, v2 and v4, .nc, cache operators and hints, volatile, relaxed, acquire, mmio"),
        ("st", "every space, v2 and v4, cache operators and hints, volatile, relaxed, release, mmio"),
        ("cvta", "every space, both directions"),
    ),
    *rows(
        MEMORY, "memory_ops.py", "histogram.cu",
        f"{PLAIN}::test_a_histogram_with_atomics_in_shared_and_global_memory",
        ("atom", "every operation, 32 and 64 bits, f32, f64, f16, bf16 and their pairs; every scope and order"),
    ),
    *rows(
        MEMORY, "memory_ops.py", "lock.cu", f"{PLAIN}::test_a_spin_lock_within_a_warp_ends_and_is_not_accused",
        ("membar", ".cta .gl .sys"),
    ),
    *rows(
        MEMORY, "memory_ops.py", "endless.cu", f"{FAULTS}::test_every_way_of_never_ending_ends_by_its_steps",
        ("nanosleep", "no time passes"),
    ),
)  # fmt: skip

WARP_ROWS = (
    *rows(
        WARP, "warp_ops.py", "warp.cu", f"{PLAIN}::test_votes_matches_and_warp_reductions",
        ("activemask", ""), ("match", ".any .all, b32 and b64"), ("redux", ".add .min .max .and .or .xor of integers"),
        ("vote", ".ballot .any .all .uni"),
    ),
    *rows(
        WARP, "warp_ops.py", "reduce.cu", f"{PLAIN}::test_a_reduction_by_shuffles_adds_everything",
        ("shfl", ".up .down .bfly .idx, with the predicate of the range"),
        ("bar", ".sync .arrive .red, numbered and counted; .warp.sync"),
    ),
    *rows(
        WARP, "warp_ops.py", "cooperative.cu",
        f"{PLAIN}::test_blocks_of_a_cooperative_launch_meet_and_are_not_accused",
        ("barrier", ".sync .arrive .red, aligned or not"),
    ),
)  # fmt: skip
