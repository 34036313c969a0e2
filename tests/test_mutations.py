"""Faults planted in the CUDA that we write: verification catches every one that changes a result, races or strays.

mutants.py plants them, one a program. What verification lets pass must be listed here as equivalent, each with the
reason why no run could tell it from the right one; a mutant that is listed and caught is an error as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from moved import cuda_of, task_of
from mutants import KINDS, mutants

from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.records import Candidate

TOTAL = "int total(int n, const int x[n]) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }"

ONE_REDUCTION = "the block reduces once, so nothing overwrites what slower threads still read"
RUNS_ONCE = "the loop runs once: its stride is never taken"
EMPTY_ROUND = "one more round, of threads that all lie past the end"
ZERO_TILE = "one more tile, all of it zeros"
PAST_THE_END = "only elements past the end start from it, and they come after all others"
NO_REGISTER = "a fifth element has no register: the compiler drops what is done to it"
DEAD = "nothing reads the value afterwards"


@dataclass(frozen=True)
class Subject:
    """CUDA of a C function after a schedule, and its equivalent mutants with the reason of each."""

    name: str
    source: str
    schedule: str = ""
    equivalent: dict[str, str] = field(default_factory=dict)


SAME_VALUE = "all threads of the block hold the same value and write it; that is no race, and the result is right"

SUBJECTS = [
    Subject("plain product", "matmul/matmul"),
    Subject(
        "tiled product", "matmul/matmul", "tile(matmul_kernel, l, 16)",
        {
            "one too far: for (int l0 = 0; l0 < k; l0 += 16) {": ZERO_TILE,
            "twice the stride: for (int t = threadIdx.y * 16 + threadIdx.x; t < 256; t += 256) {": RUNS_ONCE,
            "twice the stride: for (int t = threadIdx.y * 16 + threadIdx.x; t < 256; t += 256) { (2)": RUNS_ONCE,
        },
    ),
    Subject(
        "product in tiles, sixteen points a thread",
        "matmul/matmul",
        "tile(matmul_kernel, l, 16)\ncoarsen(matmul_kernel, 4, 4)",
        {
            "one too far: for (int l0 = 0; l0 < k; l0 += 16) {": ZERO_TILE,
            "one too far: for (int r_y = 0; r_y < 4; r_y++) {": NO_REGISTER,
            "one too far: for (int r_y = 0; r_y < 4; r_y++) { (2)": NO_REGISTER,
            "one too far: for (int r_y = 0; r_y < 4; r_y++) { (3)": NO_REGISTER,
            "one too far: for (int r_x = 0; r_x < 4; r_x++)": NO_REGISTER,
            "swapped subscripts: s[r_y][r_x] = 0;": "every point of a square is set to the same",
        },
    ),
    Subject(
        "product in parts", "matmul/matmul", "split_k(matmul_kernel, l, 16)",
        {"one too far: if (part < 16 && i < n && j < m) {": "the grid holds 16 parts exactly"},
    ),
    Subject("plain transpose", "transposes/transpose"),
    Subject("staged transpose", "transposes/transpose", "stage(transpose_kernel)"),
    Subject(
        "block reduction", "reductions/dot", "",
        {
            "no guard: if (threadIdx.x == 0)": SAME_VALUE,
            "no barrier: __syncthreads(); (3)": ONE_REDUCTION,
        },
    ),
    Subject(
        "reduction in two passes", "reductions/dot", "two_pass(dot_kernel, 128)",
        {
            "no guard: if (threadIdx.x == 0)": SAME_VALUE,
            "no guard: if (threadIdx.x == 0) (2)": SAME_VALUE,
            "no barrier: __syncthreads(); (2)": ONE_REDUCTION,
            "twice the stride: for (int part = threadIdx.x; part < 128; part += 256)": RUNS_ONCE,
            "combines wrongly: unsigned long block_last = min(block_first + per_block, (unsigned long)n); (2)":
                "the first block's end wraps around to n, and every other block's stretch is empty",
        },
    ),
    Subject(
        "reduction by atomics",
        TOTAL,
        "atomic_pass(total_kernel, 64)",
        {"no barrier: __syncthreads(); (2)": ONE_REDUCTION},
    ),
    Subject("softmax, a warp a row", "reductions/row_softmax", "team(row_softmax_kernel, 32)"),
    Subject(
        "first of the greatest", "reductions/argmax", "",
        {
            "no guard: if (threadIdx.x == 0)": SAME_VALUE,
            "no barrier: __syncthreads(); (2)": ONE_REDUCTION,
            "one too far: if (other > value || (other == value && place < index)) {": "equal places hold one element",
            "one too far: if (values[w] > value || (values[w] == value && indices[w] < index)) {":
                "equal places hold one element",
            "one too far: if (1 < n) {": "with one element the reduction finds that one",
        },
    ),
    Subject(
        "rows by warps", "matvec/gemv", "team(gemv_kernel, 32)",
        {
            "starts late: for (int offset = 16; offset > 0; offset /= 2) {":
                "17, 8, 4, 2 and 1 span the lanes as 16, 8, 4, 2 and 1 do",
        },
    ),
    Subject(
        "scan of a block", "scans/prefix_sum", "",
        {
            "one too far: for (int distance = 1; distance < 256; distance *= 2) {": "no thread has 256 before it",
            "one too far: for (int i_chunk = 1; i_chunk < n; i_chunk += 256) {": EMPTY_ROUND,
            "not neutral: float element = 0.0f;": PAST_THE_END,
        },
    ),
    Subject(
        "running maximum",
        "scans/running_max",
        "",
        {
            "one too far: for (int distance = 1; distance < 256; distance *= 2) {": "no thread has 256 before it",
            "one too far: for (int i_chunk = 0; i_chunk < n; i_chunk += 256) {": EMPTY_ROUND,
        },
    ),
    Subject(
        "scan in three passes", "scans/prefix_sum", "scan_blocks(prefix_sum_kernel, 128)",
        {
            "no guard: if (threadIdx.x == 0)": SAME_VALUE,
            "no barrier: __syncthreads(); (2)": ONE_REDUCTION,
            "one too far: for (int distance = 1; distance < 256; distance *= 2) {": "no thread has 256 before it",
            "one too far: float a_running = 1 < n ? a[0] : 0.0f;": "with one element no stretch starts from it",
            "one too far: for (int part_chunk = 0; part_chunk < 128; part_chunk += 256) {": EMPTY_ROUND,
            "one too far: for (int i_chunk = block_first; i_chunk < block_last; i_chunk += 256) {": EMPTY_ROUND,
            "not neutral: float element = 0.0f;": PAST_THE_END,
            "not neutral: float element = 0.0f; (2)": PAST_THE_END,
            "twice the stride: for (int part_chunk = 0; part_chunk < 128; part_chunk += 256) {": RUNS_ONCE,
            "combines wrongly: a_running_before += a_running_totals[part];": DEAD,
            "combines wrongly: a_running = a_running + total;": DEAD,
            "drops a term: a_running = a_running + total;": DEAD,
            "drops a term: a_running = a_running + total; (2)": DEAD,
        },
    ),
    Subject(
        "histogram in shared memory", "histograms/bincount", "privatise(bincount_kernel, count)",
        {"no guard: if (count_block[bin] != 0)": "adding nothing changes nothing"},
    ),
    Subject("greatest of each group by atomics", "histograms/group_max"),
    Subject(
        "staged stencil", "stencils/smooth1d", "stage(smooth1d_kernel2)",
        {"one too far: for (int turn = 0; turn < 2; turn++) {": EMPTY_ROUND},
    ),
    Subject("stencil over time", "stencils/heat2d_swap"),
    Subject("wavefront", "dynamic/lcs"),
    Subject(
        "vectors of four", "elementwise/axpby", "vector(axpby_kernel, 4)",
        {"one too far: for (int v = 0; v < 4; v++)": NO_REGISTER},
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with Bench("simulator") as shared:
        yield shared


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_every_fault_that_shows_is_caught(
    subject: Subject, bench: Bench, record_property: Callable[[str, object], None]
) -> None:
    task, source = task_of(subject.source)[0], cuda_of(subject.source, subject.schedule)
    assert bench.evaluate(task, Candidate(source)).ok, "the program without a fault"
    planted = list(mutants(source))
    survivors = set()
    for mutant in planted:
        outcome = bench.evaluate(task, Candidate(mutant.source))
        if outcome.ok:
            survivors.add(mutant.name)
        elif not outcome.build.ok:
            assert "CUDA refuses" in outcome.build.log, f"not CUDA: {mutant.name}\n{outcome.build.log}"
    record_property("mutants", f"{len(planted) - len(survivors)} of {len(planted)} caught")
    assert survivors - subject.equivalent.keys() == set(), "these pass for right"
    assert subject.equivalent.keys() - survivors == set(), "these are caught, or are no mutants of it"


def test_the_subjects_have_room_for_faults_of_every_kind() -> None:
    met = {mutant.kind for subject in SUBJECTS for mutant in mutants(cuda_of(subject.source, subject.schedule))}
    assert met == KINDS.keys()


def test_a_mutant_differs_from_its_program_in_one_line() -> None:
    source = cuda_of("scans/prefix_sum", "")
    for mutant in mutants(source):
        pairs = list(zip(source.splitlines(), mutant.source.splitlines(), strict=True))
        (changed,) = (before for before, after in pairs if before != after)
        assert changed.strip() == mutant.line
