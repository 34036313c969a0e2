"""Rows of the opcodes of control, memory and threads that meet."""

from __future__ import annotations

from cudaperf_magic.bench.simulator.opcode_rows import CONTROL, MEMORY, WARP, refused, rows

PLAIN, FAULTS = "test_simulator.py", "test_simulator_faults.py"
PARTED = f"{PLAIN}::test_lanes_that_part_meet_again"
ATOMICS = "test_simulator_atomics.py"
OPERATORS = f"{ATOMICS}::test_loads_and_stores_of_every_operator_and_order"
TENSOR, COLLECTIVES, ASYNC = "test_simulator_tensor.py", "test_simulator_collectives.py", "test_simulator_async.py"
TOLD = f"{ASYNC}::test_copies_that_an_mbarrier_tells_of_are_there_after_its_phase"

CONTROL_ROWS = (
    *rows(
        CONTROL, "lower.py", "divergence.cu", PARTED,
        ("bra", "plain, guarded, .uni"), ("ret", "guarded too"),
    ),
    *rows(
        CONTROL, "inlining.py", "calls.cu", f"{PLAIN}::test_functions_that_are_not_inlined_with_structs_and_pointers",
        ("call", "of functions by name and by pointer; .uni; recursion is refused"),
    ),
    *rows(CONTROL, "lower.py", "hostile.cu", f"{FAULTS}::test_a_trap_is_named_with_its_thread", ("trap", "")),
    *rows(
        CONTROL, "lower.py", "texts.cu", "test_simulator_texts.py::test_every_way_to_end_early_is_told_with_its_thread",
        ("exit", "guarded too"), ("brkpt", "as trap, for no debugger is there"),
    ),
    *rows(
        CONTROL, "lower.py", "texts.cu",
        "test_simulator_texts.py::test_a_jump_by_table_parts_lanes_and_brings_them_together", ("brx", ".idx"),
    ),
    *refused(
        CONTROL, "local memory whose size is known only as the kernel runs is not simulated; give the array a size",
        "alloca", "stacksave", "stackrestore",
    ),
)  # fmt: skip

MEMORY_ROWS = (
    *rows(
        MEMORY, "memory_ops.py", "divergence.cu", PARTED,
        ("cvta", "every space, both directions"),
    ),
    *rows(
        MEMORY, "memory_ops.py", "atomics.cu", OPERATORS,
        ("ld", "every space, v2, v4, v8, .nc, cache operators and hints, volatile, relaxed, acquire, mmio"),
        ("st", "every space, v2, v4, v8, cache operators and hints, volatile, relaxed, release, mmio"),
        ("isspacep", "every space"), ("fence", ".sc .acq_rel .proxy, every scope; orders memory for the race checks"),
        ("prefetch", "no effect"), ("prefetchu", "no effect"), ("applypriority", "no effect"),
        ("createpolicy", "no effect", "sm_80"), ("discard", "no effect", "sm_80"), ("pmevent", "no effect"),
        ("griddepcontrol", "no effect: kernels run one after the other", "sm_90"),
    ),
    *rows(
        MEMORY, "atomics.py", "atomics.cu",
        f"{ATOMICS}::test_an_integer_atomic_answers_the_old_value_and_writes_the_new",
        ("atom", "every operation; 16 to 128 bits, f32, f64, f16, bf16, pairs and vectors; every scope and order"),
        ("red", "as atom"),
    ),
    *rows(
        MEMORY, "memory_ops.py", "lock.cu", f"{PLAIN}::test_a_spin_lock_within_a_warp_ends_and_is_not_accused",
        ("membar", ".cta .gl .sys"),
    ),
    *rows(
        MEMORY, "memory_ops.py", "endless.cu", f"{FAULTS}::test_every_way_of_never_ending_ends_by_its_steps",
        ("nanosleep", "no time passes; other threads get a turn"),
    ),
    *rows(
        MEMORY, "memory_ops.py", "collectives.cu",
        f"{COLLECTIVES}::test_a_cluster_of_one_block_meets_and_reaches_itself",
        ("mapa", "a cluster has one block", "sm_90"), ("getctarank", "0", "sm_90"),
    ),
    *rows(
        MEMORY, "async_ops.py", "async.cu", TOLD,
        ("cp.async", ".ca .cg of 4, 8, 16 bytes, zero fill, ignored source, groups, mbarriers", "sm_80"),
        ("mbarrier", "init inval arrive arrive_drop expect_tx complete_tx test_wait try_wait pending_count", "sm_80"),
    ),
    *rows(
        MEMORY, "async_ops.py", "async.cu", f"{ASYNC}::test_a_bulk_copy_is_there_once_its_bytes_are_counted",
        ("cp.async.bulk", "from global to shared memory of the own block, counted by an mbarrier", "sm_90"),
    ),
    *refused(
        MEMORY, "bulk copies are simulated only from global to shared memory with an mbarrier",
        "cp.async.bulk.bulk_group", "cp.async.bulk.commit_group", "cp.async.bulk.wait_group", "cp.async.bulk.prefetch",
    ),
    *refused(
        MEMORY, "the tensor memory accelerator is not simulated; copy with cp.async or with plain loads",
        "cp.async.bulk.tensor", "tensormap",
    ),
    *refused(
        MEMORY, "textures and surfaces are not simulated; read the array through a pointer",
        "tex", "tld4", "txq", "suld", "sust", "sured", "suq",
    ),
    *refused(
        MEMORY, "clusters of more than one block are not simulated", "red.async", "st.async", "clusterlaunchcontrol",
        "multimem",
    ),
)  # fmt: skip

WARP_ROWS = (
    *rows(
        WARP, "warp_ops.py", "collectives.cu", f"{COLLECTIVES}::test_every_shuffle_of_every_width_is_as_described",
        ("shfl", ".up .down .bfly .idx, with the predicate of the range"),
    ),
    *rows(
        WARP, "warp_ops.py", "collectives.cu", f"{COLLECTIVES}::test_votes_count_the_lanes_that_are_named",
        ("vote", ".ballot .any .all .uni"),
    ),
    *rows(
        WARP, "warp_ops.py", "collectives.cu", f"{COLLECTIVES}::test_a_match_names_the_lanes_of_equal_values",
        ("match", ".any .all, b32 and b64"),
    ),
    *rows(
        WARP, "warp_ops.py", "collectives.cu", f"{COLLECTIVES}::test_a_reduction_takes_the_lanes_that_are_named",
        ("redux", ".add .min .max .and .or .xor of integers, .min .max of f32", "sm_80"),
    ),
    *rows(
        WARP, "warp_ops.py", "collectives.cu", f"{COLLECTIVES}::test_one_lane_of_each_group_is_elected",
        ("elect", "the lowest lane", "sm_90"),
    ),
    *rows(
        WARP, "warp_ops.py", "warp.cu", f"{PLAIN}::test_votes_matches_and_warp_reductions", ("activemask", ""),
    ),
    *rows(
        WARP, "warp_ops.py", "collectives.cu", f"{COLLECTIVES}::test_who_arrives_goes_on_and_who_syncs_waits_for_them",
        ("bar", ".sync .arrive .red, numbered and counted; .warp.sync"),
    ),
    *rows(
        WARP, "warp_ops.py", "collectives.cu", f"{COLLECTIVES}::test_barriers_that_answer",
        ("barrier", ".sync .arrive .red, aligned or not"),
    ),
    *rows(
        WARP, "warp_ops.py", "collectives.cu",
        f"{COLLECTIVES}::test_a_cluster_of_one_block_meets_and_reaches_itself",
        ("barrier.cluster", ".arrive .wait, of one block", "sm_90"),
    ),
    *rows(
        WARP, "tensor.py", "tensor.cu", f"{TENSOR}::test_a_product_of_fragments_is_that_of_their_matrices",
        ("mma", "f16 bf16 tf32 f64 e4m3 e5m2 s8 u8 s4 u4 b1, m16n8 of every depth; m8n8 of integers, bits and f64"),
    ),
    *rows(
        WARP, "tensor.py", "tensor.cu", f"{TENSOR}::test_wmma_takes_bfloat16_tf32_and_doubles",
        ("wmma", ".load .store .mma of every shape; fragments are laid out our own way"),
    ),
    *rows(
        WARP, "tensor.py", "tensor.cu",
        f"{TENSOR}::test_a_product_by_ldmatrix_is_right_and_shows_its_bank_conflicts",
        ("ldmatrix", "m8n8 of b16, x1 x2 x4, .trans"),
    ),
    *rows(
        WARP, "tensor.py", "tensor.cu", f"{TENSOR}::test_stmatrix_and_movmatrix_turn_a_matrix_around",
        ("stmatrix", "as ldmatrix", "sm_90"), ("movmatrix", ""),
    ),
    *refused(
        WARP, "the matrix units of Hopper and Blackwell are not simulated; multiply with mma or wmma",
        "wgmma", "tcgen05", "setmaxnreg",
    ),
    *refused(
        WARP, "sparse and block-scaled products are not simulated; multiply dense matrices",
        "mma.sp", "mma.sp::ordered_metadata", "mma.block_scale",
    ),
    *refused(WARP, "this shape is for Volta alone; use m16n8k8", "mma.m8n8k4.f16"),
    *refused(
        WARP, "matrices of 8-bit elements are not loaded or stored by ldmatrix and stmatrix here",
        "ldmatrix.b8", "ldmatrix.m8n16", "stmatrix.b8",
    ),
)  # fmt: skip
