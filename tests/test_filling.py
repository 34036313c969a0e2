"""Sizes that fill a GPU: half a gigabyte of arrays, the same proportions, and nothing that the C cannot bear."""

from __future__ import annotations

import pytest
from corpus import load_corpus

from cudaperf_magic.compiler.loops import Function
from cudaperf_magic.records import Task
from cudaperf_magic.tasks.c import read_task
from cudaperf_magic.tasks.filling import OVER, TARGET_BYTES, Filling, filling_case, fillings, size_bytes
from cudaperf_magic.tasks.overflow import overflowing_line

CORPUS = {one.path: one for one in load_corpus()}
SAXPY = "void saxpy(int n, float a, const float x[n], float y[n]) { for (int i = 0; i < n; i++) y[i] += a * x[i]; }"


def corpus(path: str, **options: str) -> tuple[Task, Function]:
    one = CORPUS[path]
    folders = (str(one.file.parent),)
    return read_task(one.source, entry=one.entry, sizes={**one.size, **options}, ranges=one.ranges, folders=folders)


def best(path: str, **limits: float) -> Filling:
    return fillings(*corpus(path), **limits)[0]


def test_a_vector_grows_to_half_a_gigabyte_and_stays_a_power_of_two() -> None:
    found = fillings(*read_task(SAXPY))[0]
    n = found.case.size["n"]
    assert TARGET_BYTES / 2 < found.size_bytes <= TARGET_BYTES and n & (n - 1) == 0
    assert found.limited_by == "bytes" and found.note == ""


def test_arrays_that_need_long_arithmetic_stop_where_the_c_takes_seconds() -> None:
    found = best("matmul/matmul.c", steps_per_s=3e8)
    assert found.limited_by == "reference" and found.reference_s <= 4.0
    assert "the C itself would run for seconds" in found.note
    faster = best("matmul/matmul.c", steps_per_s=3e9)
    assert faster.size_bytes > found.size_bytes


def test_sizes_that_the_person_gave_stay() -> None:
    task, function = read_task(SAXPY, sizes={"n": "5000"})
    assert filling_case(task, function) == task.cases[0]
    assert fillings(task, function)[0].limited_by == "person"


def test_counts_filters_and_strides_stay_as_they_are_measured() -> None:
    for path, names in (("convolutions/conv1d.c", ("k",)), ("stencils/jacobi1d.c", ("steps",))):
        task, function = corpus(path)
        case = filling_case(task, function)
        assert all(case.size[name] == task.cases[0].size[name] for name in names)
        assert case.size["n"] > task.cases[0].size["n"]


def test_the_exponent_of_a_size_grows_by_one_a_doubling() -> None:
    task, function = corpus("stencils/ring_mask.c")
    assert filling_case(task, function).size["bits"] == 26


def test_a_dimension_that_is_a_number_bounds_the_size_that_runs_along_it() -> None:
    task, function = corpus("matmul/scaled_rows.c")
    assert fillings(task, function)[0].limited_by == "sizes"


def test_bins_that_data_chooses_stay_few_and_sparse_rows_hold_several_elements() -> None:
    assert best("histograms/bincount.c").case.size["bins"] == 1024
    sparse = best("sparse/csr_spmv.c").case.size
    assert sparse["nnz"] >= 4 * sparse["rows"]


def test_a_distance_between_rows_stays_at_least_a_row() -> None:
    source = """void scale(int n, int m, int ld, float a[n * ld]) {
        for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i * ld + j] *= 2.0f; }"""
    task, function = read_task(source, sizes={"a": "n*ld"}) if "[n * ld]" not in source else read_task(source)
    for found in fillings(task, function):
        for case in filter(None, (found.case, found.analogue)):
            stays = case.size["ld"] == task.cases[0].size["ld"]
            assert stays or case.size["ld"] >= case.size["m"]


def test_the_analogue_has_the_proportions_of_the_case_at_small_sizes() -> None:
    for path in ("transposes/nchw_to_nhwc.c", "solvers/thomas_batch.c", "sparse/ell_spmv.c"):
        found = best(path)
        assert found.analogue is not None
        large, small = found.case.size, found.analogue.size
        ratios = {large[name] / small[name] for name in large}
        assert len(ratios) == 1 and max(small.values()) <= 128


def test_where_the_cs_own_index_arithmetic_overflows_the_case_stays_below() -> None:
    source = "void f(int n, unsigned char y[n]) { for (int i = 0; i < n; i++) y[i] = (unsigned char)(i * 64 / 64); }"
    task, function = read_task(source)
    found = fillings(task, function)[0]
    assert found.limited_by == "integers" and found.case.size["n"] * 64 <= 2**31
    assert overflowing_line(function, {"n": 2**26}, {"n": 1000}) == 1
    assert overflowing_line(function, {"n": 2**20}, {"n": 1000}) == 0


def test_an_overflow_that_is_there_at_small_sizes_is_the_cs_own_affair() -> None:
    source = "void f(int n, int y[n]) { for (int i = 0; i < n; i++) y[i] = i * 100000; }"
    _, function = read_task(source)
    assert overflowing_line(function, {"n": 2**24}, {"n": 2**16}) == 0


def test_sixty_four_bit_indices_do_not_overflow() -> None:
    source = "void f(int n, unsigned char y[n]) { for (int i = 0; i < n; i++) y[i] = (unsigned char)((long)i * 64); }"
    _, function = read_task(source)
    assert overflowing_line(function, {"n": 2**29}, {"n": 1000}) == 0


@pytest.mark.parametrize("path", [path for path, one in CORPUS.items() if one.decision == "translate"])
def test_every_function_of_the_corpus_has_a_case_within_its_limits(path: str) -> None:
    task, function = corpus(path)
    found = fillings(task, function)
    for one in found:
        is_grown = one.case != task.cases[0]
        assert not is_grown or one.size_bytes <= OVER * TARGET_BYTES
        assert not is_grown or one.reference_s <= 4.0
        assert one.size_bytes == size_bytes(task, one.case.size)
        assert one.case.family == "nominal" and one.case.seed == task.cases[0].seed
    sizes = [one.size_bytes for one in found]
    assert sizes == sorted(sizes, reverse=True)
