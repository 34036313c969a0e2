"""The reference at sizes that fill a GPU: the bits of the sequential C, an honest yardstick, and nothing that hangs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from corpus import load_corpus
from numpy.typing import NDArray
from scripted import read_settled

from cudaperf_magic.bench import filled as filled_module
from cudaperf_magic.bench.compare import compare
from cudaperf_magic.bench.filled import Filled, filled, forget, run_case
from cudaperf_magic.bench.oracle import Oracle
from cudaperf_magic.bench.reference.fast_build import build_fast, has_openmp
from cudaperf_magic.bench.reference.fast_c import fast_c, has_parallel_loop
from cudaperf_magic.records import Case, Task
from cudaperf_magic.tasks.plain import orders_of

CORPUS = {one.path: one for one in load_corpus()}
MEGABYTES = 8 << 20

DOT = """float dot(int n, const float x[n], const float y[n]) {
    float s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }"""
MATVEC = """void matvec(int n, int m, const float A[n][m], const float x[m], float y[n]) {
    for (int i = 0; i < n; i++) { float s = 0; for (int j = 0; j < m; j++) s += A[i][j] * x[j]; y[i] = s; } }"""
BUCKET = """void bucket(int n, const float x[n], const float y[n], int k[n]) {
    for (int i = 0; i < n; i++) k[i] = (int)(x[i] * 1000.0f + y[i] * 333.0f); }"""


@pytest.fixture(autouse=True)
def nothing_held() -> Iterator[None]:
    forget()
    yield
    forget()


def fill(source: str, megabytes: int = 8, seconds: float = 1.0, **options: object) -> tuple[Task, Filled]:
    task, oracle = read_settled(source, **options)
    return task, filled(oracle, target_bytes=megabytes << 20, most_reference_s=seconds)


def of_corpus(path: str) -> tuple[Task, Oracle]:
    one = CORPUS[path]
    return read_settled(one.source, entry=one.entry, sizes=one.size, ranges=one.ranges)


def test_the_large_reference_has_the_bits_of_a_sequential_loop() -> None:
    _, found = fill(DOT)
    x, y = (found.reference.inputs[name] for name in ("x", "y"))
    assert x.nbytes >= 2 << 20
    (leaf,) = found.reference.leaves
    assert leaf.plain[0] == np.add.accumulate(x * y, dtype=np.float32)[-1]
    assert abs(leaf.wide[0] - np.dot(x.astype(np.float64), y.astype(np.float64))) < 1e-6


@pytest.mark.parametrize(
    "path",
    [
        "stencils/red_black.c", "statistics/zscore_with_local_array.c", "solvers/lu.c", "elementwise/rgb_to_hsv.c",
        "sparse/csr_spmv.c", "transposes/packed_lower.c", "helpers/median_of_nine.c", "matmul/trmm.c",
    ],
)  # fmt: skip
def test_loops_on_all_cores_give_the_bits_of_one_core(path: str) -> None:
    task, oracle = of_corpus(path)
    case = max(task.cases[1:], key=lambda case: oracle.run(case).steps)
    several = run_case(oracle, build_fast(task, oracle.function), case, 20.0)
    assert several is not None
    for ours, theirs in zip(several.reference.leaves, oracle.run(case).leaves, strict=True):
        assert ours.plain.tobytes() == theirs.plain.tobytes()
        np.testing.assert_array_equal(ours.wide, theirs.wide)


def test_a_sum_is_never_spread_over_cores_and_rows_are() -> None:
    for source, is_spread in ((DOT, False), (MATVEC, True)):
        task, oracle = read_settled(source)
        assert has_parallel_loop(oracle.function, orders_of(task)) == is_spread
        assert ("#pragma omp" in fast_c(oracle.function, orders_of(task), wide=False)) == is_spread
        assert bool(build_fast(task, oracle.function).as_written) == (not is_spread or not has_openmp())


def in_tf32(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Ten bits of mantissa, as tensor cores take float32 by default."""
    return ((values.view(np.uint32) + 0x1000) & 0xFFFFE000).view(np.float32)


def test_honest_orders_of_a_large_sum_pass_and_a_precision_class_lower_fails() -> None:
    task, found = fill(MATVEC, 16)
    (leaf,) = found.reference.leaves
    a, x = found.reference.inputs["A"], found.reference.inputs["x"]
    pairwise = (a * x).sum(axis=1, dtype=np.float32)
    halves = a[:, ::2] @ x[::2] + a[:, 1::2] @ x[1::2]
    exact = (a.astype(np.float64) @ x.astype(np.float64)).astype(np.float32)
    for honest in (pairwise, halves, exact, leaf.plain):
        assert compare(leaf, honest, task.tolerance).ok
    assert not compare(leaf, in_tf32(a) @ in_tf32(x), task.tolerance).ok


def test_one_wrong_element_among_millions_is_found() -> None:
    task, found = fill(MATVEC, 16)
    (leaf,) = found.reference.leaves
    wrong = leaf.plain.copy()
    wrong[1237] *= np.float32(1.001)
    assert compare(leaf, wrong, task.tolerance).wrong == 1237


def test_where_rounding_decides_integers_a_few_may_differ_by_one_and_no_more() -> None:
    task, found = fill(BUCKET)
    (leaf,) = found.reference.leaves
    x, y = (found.reference.inputs[name] for name in ("x", "y"))
    assert leaf.torn > 0 and leaf.torn_most == 1
    fused = (x.astype(np.float64) * 1000 + (y * np.float32(333)).astype(np.float64)).astype(np.float32).astype(np.int32)
    assert (fused != leaf.plain).any()
    assert compare(leaf, fused, task.tolerance).ok
    assert not compare(leaf, leaf.plain + (np.arange(leaf.plain.size) % 1000 == 0), task.tolerance).ok
    far = leaf.plain.copy()
    far[77] += 5
    assert compare(leaf, far, task.tolerance).wrong == 77


def test_where_the_c_itself_loses_its_sum_that_is_no_licence_to_leave_work_out() -> None:
    source = """float total(int n, const float x[n]) {
        float s = 134217728.0f; for (int i = 0; i < n; i++) s += x[i]; return s; }"""
    task, found = fill(source, ranges={"x": "0:1"})
    (leaf,) = found.reference.leaves
    assert leaf.plain[0] == 2**27 and leaf.wide[0] > 2**27 + 400_000  # every addend is lost
    x = found.reference.inputs["x"]
    honest = np.float32(2**27 + x.sum(dtype=np.float64))
    assert compare(leaf, np.array([honest]), task.tolerance).ok
    assert compare(leaf, leaf.plain, task.tolerance).ok  # the C's own bits are right whatever they are
    half = np.float32(2**27 + x[::2].sum(dtype=np.float64))
    for wrong in (half, np.float32(0)):
        assert not compare(leaf, np.array([wrong]), task.tolerance).ok


def test_double_is_held_against_long_double() -> None:
    task, found = fill(MATVEC.replace("float", "double"), 16)
    (leaf,) = found.reference.leaves
    a, x = found.reference.inputs["A"], found.reference.inputs["x"]
    assert compare(leaf, a @ x, task.tolerance).ok
    assert not compare(leaf, (a.astype(np.float32) @ x.astype(np.float32)).astype(np.float64), task.tolerance).ok


def test_a_c_function_that_crashes_at_large_sizes_gets_a_smaller_case() -> None:
    source = """void f(int n, float x[n]) {
        for (int i = 0; i < n; i++) x[i] = x[i] / (n > 1000000 ? (float)(n / (n / 100000000)) : 2.0f); }"""
    _, found = fill(source)
    assert 65536 <= found.case.size["n"] <= 1000000
    assert found.reference.leaves


def test_proportions_that_the_c_cannot_bear_are_not_taken() -> None:
    source = """void square(int n, int m, const float A[n][n], float y[m]) {
        for (int j = 0; j < m; j++) { float s = 0; for (int i = 0; i < n; i++) s += A[i][j]; y[j] = s; } }"""
    _, found = fill(source, 5)
    assert found.case.size["m"] <= found.case.size["n"]


def test_sizes_that_the_person_gave_are_run_as_they_are() -> None:
    task, found = fill(DOT, sizes={"n": "3000"})
    assert found.case == task.cases[0] and "given" in found.note and found.shared is None


def test_a_result_is_held_for_the_next_candidate_of_the_same_task(monkeypatch: pytest.MonkeyPatch) -> None:
    _, oracle = read_settled(DOT)
    first = filled(oracle, target_bytes=MEGABYTES)
    assert filled(oracle, target_bytes=MEGABYTES) is first
    monkeypatch.setattr(filled_module, "MOST_HELD_BYTES", 0)
    _, other = read_settled(MATVEC)
    filled(other, target_bytes=MEGABYTES)
    assert filled(oracle, target_bytes=MEGABYTES) is not first


def test_a_large_case_is_a_case_like_any_other() -> None:
    _, found = fill(DOT)
    assert isinstance(found.case, Case) and found.case.family == "nominal" and not found.case.hidden
    assert found.shared is not None and found.shared.arrays()["x"].size == found.case.size["n"]
    assert found.size_bytes <= 1.02 * MEGABYTES
