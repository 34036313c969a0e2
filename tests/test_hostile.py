"""Hostile and wrong kernels end as a verdict that says what they did. On the simulator.

Each is a file: tests/kernels/hostile/FUNCTION_what_it_does.cu, with a line that says why; the C is in tests/honest,
beside their honest twins. tests/hacks holds those that attack the evaluation itself.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from kernel_files import task_of

from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.errors import Unsupported
from cudaperf_magic.records import Candidate, Outcome

KERNELS = Path(__file__).parent / "kernels" / "hostile"

# What the log of the build says.
REFUSED = {
    "twice_block_too_large": "kernel.cu(8): error: k is launched with a block of (2048, 1, 1), 2,048 threads",
    "twice_constexpr_bomb": "expression must have a constant value",
    "twice_host_has_another_name": "there is no host function named twice; the file has thrice",
    "twice_host_has_another_signature": "twice takes 0 scalars and 2 pointers, the task passes 1 scalar and 2 pointers",
    "twice_host_launches_for_ever": "more than 250,000 launches and copies; move the loop into a kernel",
    "twice_host_loops": "the host function still loops after 2,000,000 turns",
    "twice_host_reads_the_input": "the host function reads x[0], which lives on the device; do it in a kernel",
    "twice_host_runs_a_shell": "system is not read; a host function only allocates, copies and launches",
    "twice_host_starts_a_thread": "the type std::thread is not known to the reader of host code",
    "twice_host_takes_a_terabyte": "cudaMalloc of 1,099,511,627,776 bytes brings the workspace above",
    "twice_huge_shared_array": "declares 1,048,576 bytes of __shared__ arrays; a block may declare 49,152",
    "twice_includes_passwd": 'cannot include "/etc/passwd"; only headers of CUDA and of the C library are there',
    "twice_macro_bomb": "macros expand to more than 400,000 tokens",
    "twice_template_bomb": 'excessive recursion at instantiation of class "Deep<200>"',
    "twice_workspace_is_freed_too_early": "work is used after cudaFree",
    "twice_wrong_argument_count": "k takes 3 arguments, not 2",
}

# The status of the verdict, and words of its reason.
CAUGHT = {
    "counts_no_atomic": ("fault", "line 4: ", "no __syncwarp() or barrier stands between"),
    "counts_wrong_atomic": ("fault", "line 4: ", "one of the two is atomic, the other is not"),
    "flip_copies": ("mismatch", "b[0][1] is ", "elements are wrong"),
    "flip_square_only": ("fault", "b holds 1,023 elements (for n=31, m=33)"),
    "flip_tiled_no_barrier": ("fault", "line 7: ", "wrote at line 5", "barrier stands between"),
    "smooth_barrier_between_blocks": ("fault", "blocks run in any order"),
    "smooth_in_place": ("fault", "line 4: ", "wrote at line 5"),
    "smooth_one_step_too_few": ("mismatch", "elements are wrong"),
    "total_divergent_barrier": ("fault", "line 9: ", "this barrier, which is for all threads"),
    "total_dynamic_shared_too_small": ("fault", "[128] in shared memory, but ", " holds 128 elements"),
    "total_half_sum": ("mismatch", "expected"),
    "total_last_block_without_fence": ("fault", "reads part[0]", "blocks run in any order"),
    "total_leaves_before_the_barrier": ("fault", "left the kernel before this barrier"),
    "total_no_atomic": ("fault", "line 11: ", "s[0]", "blocks run in any order"),
    "total_no_barrier": ("fault", "line 8: ", "barrier stands between"),
    "total_no_first_barrier": ("fault", "line 5: ", "no barrier stands between"),
    "total_no_syncwarp": ("fault", "line 8: ", "no __syncwarp() or barrier stands between"),
    "total_reads_what_it_did_not_set": ("fault", "line 11: ", "reads s[0], which nothing has written"),
    "total_shuffle_of_some": ("fault", "waits in __shfl_down_sync() for lane 1, which has left the kernel"),
    "total_skips_every_64th": ("mismatch", "expected"),
    "total_uninitialised_shared": ("fault", "shared memory, which nothing in its block has written"),
    "total_workspace_too_small": ("fault", "writes part[32], but part holds 32 elements of 4 bytes"),
    "variance_unstable": ("mismatch", "expected"),
    "twice_all_nan": ("mismatch", "y[0] is nan, expected"),
    "twice_asserts": ("crash", "line 5: ", "fails the assertion n < 5"),
    "twice_assumes_its_grid": ("fault", "y[512] is never written; 512 of 1025 elements are not"),
    "twice_bfloat": ("mismatch", "expected"),
    "twice_constant": ("mismatch", "y[0] is 0.0, expected"),
    "twice_float4_misaligned": ("fault", "line 5: ", "but x holds 1 element"),
    "twice_float4_past_the_end": ("fault", "line 5: ", "but x holds 1 element"),
    "twice_grid_too_small": ("fault", "y[1024] is never written; 1 of 1025 elements are not"),
    "twice_half": ("mismatch", "expected"),
    "twice_huge_global_array": ("crash", "not enough memory"),
    "twice_index_overflows": ("fault", "line 5: ", "writes y[-2048], but y holds 3,000 elements"),
    "twice_launches_nothing": ("fault", "y[0] is never written"),
    "twice_no_threads": ("crash", "line 8: ", "a grid of (0, 1, 1), which CUDA refuses"),
    "twice_prints_a_gigabyte": ("timeout", "line 5: ", "prints more than 1048576 bytes"),
    "twice_reads_the_neighbour": ("fault", "line 4: ", "reads x[1], but x holds 1 element"),
    "twice_skips_large_n": ("fault", "y[0] is never written; 1025 of 1025 elements are not"),
    "twice_writes_nothing": ("fault", "y[0] is never written"),
    "twice_writes_the_neighbour": ("fault", "line 4: ", "writes y[1], but y holds 1 element"),
    "twice_zeroes_its_input": ("fault", "x is an input, and it was changed"),
}
BEYOND_THE_SIMULATOR = {"twice_recurses": "does not run recursion"}


@pytest.fixture(scope="module")
def bench():
    with Bench("simulator") as made:
        yield made


def outcome(bench: Bench, name: str) -> Outcome:
    return bench.evaluate(task_of(name.partition("_")[0]), Candidate((KERNELS / f"{name}.cu").read_text()))


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_built_or_read_is_refused_with_what_to_do(bench: Bench, name: str) -> None:
    found = outcome(bench, name)
    assert not found.build.ok and REFUSED[name] in found.build.log
    assert "\0" not in found.build.log and "ptxas info" not in found.build.log


@pytest.mark.parametrize("name", CAUGHT)
def test_what_is_wrong_is_caught_with_what_it_did(bench: Bench, name: str) -> None:
    verdict = outcome(bench, name).verdict
    assert verdict is not None and not verdict.ok
    status, *words = CAUGHT[name]
    assert verdict.status == status
    assert all(each in verdict.reason for each in words), verdict.reason


@pytest.mark.parametrize("name", BEYOND_THE_SIMULATOR)
def test_what_the_simulator_cannot_run_gets_no_verdict_at_all(bench: Bench, name: str) -> None:
    with pytest.raises(Unsupported, match=BEYOND_THE_SIMULATOR[name]):
        outcome(bench, name)


def test_every_hostile_file_has_its_expectation() -> None:
    files = {path.stem for path in KERNELS.glob("*.cu")}
    assert files == {*REFUSED, *CAUGHT, *BEYOND_THE_SIMULATOR}
