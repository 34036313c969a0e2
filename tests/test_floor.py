"""The least time of a task: bytes that surely move, operations that surely happen, and what a card reached."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from corpus import CorpusFile, load_corpus

from cudaperf_magic.bench.cache import Cache
from cudaperf_magic.bench.gpu.ceilings import held_ceilings, keep_ceilings
from cudaperf_magic.bench.measuring.floor import Ceilings, Floor, floor
from cudaperf_magic.errors import ToolchainError
from cudaperf_magic.records import Case
from cudaperf_magic.tasks.c import read_task
from cudaperf_magic.tasks.operations import operations
from cudaperf_magic.tasks.touched import Touched, touched

GIB = 1 << 30
# A card of round numbers: 4000 GB/s of reading and writing, 2000 GB/s where both mix.
CARD = Ceilings(
    gpu="a card", uuid="GPU-1", driver="1", l2_bytes=50 << 20,
    read=((1 << 20, 2.0), (GIB, GIB / 4e6)), write=((1 << 20, 0.1), (GIB, GIB / 4e6)),
    copy=((2 << 20, 2.0), (2 * GIB, 2 * GIB / 2e6)),
    rates={"float32": 5e13, "float64": 2.5e13}, launch_us=1.5,
)  # fmt: skip


def of(source: str, sizes_bytes: dict[str, int], **sizes: int) -> Floor:
    task, function = read_task(source)
    return floor(task, function, Case(tuple(sizes.items())), sizes_bytes, CARD)


def ops(source: str, **sizes: int) -> dict[str, float]:
    return dict(operations(read_task(source)[1], sizes))


COPY = "void f(int n, const float x[n], float y[n]) { for (int i = 0; i < n; i++) y[i] = x[i]; }"
SUM = "float f(int n, const float x[n]) { float s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }"
FIND = "int f(int n, const float x[n]) { for (int i = 0; i < n; i++) if (x[i] < 0) return i; return -1; }"
GATHER = (
    "void f(int n, int m, const int at[n], const float x[m], float y[n])"
    "{ for (int i = 0; i < n; i++) y[i] = x[at[i]]; }"
)
EVERY_OTHER = "void f(int n, const float x[2 * n], float y[n]) { for (int i = 0; i < n; i++) y[i] = x[2 * i]; }"
MATMUL = """void f(int n, const float a[n][n], const float b[n][n], float c[n][n]) {
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
        float s = 0; for (int k = 0; k < n; k++) s += a[i][k] * b[k][j]; c[i][j] = s; } }"""
STENCIL = """void f(int n, const float a[n][n], float b[n][n]) {
    for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)
        b[i][j] = 0.2f * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]); }"""


def test_a_copy_takes_as_long_as_the_card_copied() -> None:
    found = of(COPY, {"x": GIB, "y": GIB}, n=GIB // 4)
    assert found.us == pytest.approx(2 * GIB / 2e6) and found.by == "memory bandwidth"


def test_a_sum_takes_as_long_as_the_card_read() -> None:
    assert of(SUM, {"x": GIB, "result": 4}, n=GIB // 4).us == pytest.approx(GIB / 4e6, rel=0.01)


def test_a_product_of_matrices_is_bound_by_its_arithmetic() -> None:
    found = of(MATMUL, dict.fromkeys("abc", 4 * 2048**2), n=2048)
    assert found.us == pytest.approx(2 * 2048**3 / 5e7) and found.by == "float32 arithmetic"


def test_a_time_below_what_the_card_ever_reached_is_refused_and_one_above_is_not() -> None:
    found = of(COPY, {"x": GIB, "y": GIB}, n=GIB // 4)
    found.must_hold(found.us or 0.0)
    with pytest.raises(ToolchainError, match="measurement is wrong"):
        found.must_hold(0.5 * (found.us or 0.0) * 2000 / 4000)


def test_what_l2_may_hold_back_does_not_count_against_a_time() -> None:
    fill = "void f(int n, float y[n]) { for (int i = 0; i < n; i++) y[i] = 1; }"
    assert of(fill, {"y": 32 << 20}, n=8 << 20).least_us == 0.0
    assert of(fill, {"y": GIB}, n=GIB // 4).least_us > 0.8 * (GIB - CARD.l2_bytes) / 4e6


def test_a_search_that_may_end_early_has_no_floor_and_may_take_any_time() -> None:
    found = of(FIND, {"x": GIB, "result": 4}, n=GIB // 4)
    assert found.us is None and found.least_us == 0.0
    found.must_hold(0.5)


def test_elements_that_data_selects_are_not_compulsory() -> None:
    found = of(GATHER, {"at": 4096, "x": GIB, "y": 4096}, n=1024, m=GIB // 4)
    assert found.us is None and found.least_us == 0.0


def test_elements_that_a_stride_leaves_out_are_not_compulsory() -> None:
    assert touched(read_task(EVERY_OTHER)[1], {"n": 1000})["x"] == Touched(is_written=False)


def test_a_border_that_a_stencil_leaves_out_leaves_the_rest_compulsory() -> None:
    shares = touched(read_task(STENCIL)[1], {"n": 1000})
    assert shares["a"].read == pytest.approx(0.998**2) and shares["b"].written == pytest.approx(0.998**2)
    found = of(STENCIL, dict.fromkeys("ab", 4 * 8192**2), n=8192)
    assert found.us == pytest.approx(2 * 4 * 8192**2 / 2e6, rel=0.01)  # b is in-out for its border alone


def test_an_array_that_is_overwritten_before_it_is_read_is_not_read_first() -> None:
    source = "void f(int n, float x[n], float y[n]) { for (int i = 0; i < n; i++) { x[i] = i; y[i] += x[i]; } }"
    shares = touched(read_task(source)[1], {"n": 100})
    assert shares["x"].first_read == 0.0 and shares["y"] == Touched(1.0, 1.0, 1.0)


def test_structs_count_where_all_their_fields_do() -> None:
    whole = (
        "struct p {{ float a; float b; }}; void f(int n, const struct p x[n], float y[n])"
        "{{ for (int i = 0; i < n; i++) y[i] = {}; }}"
    )
    assert touched(read_task(whole.format("x[i].a + x[i].b"))[1], {"n": 100})["x"].read == 1.0
    assert touched(read_task(whole.format("x[i].a"))[1], {"n": 100})["x"].read == 0.0


@pytest.mark.parametrize("n", [1, 5, 6, 7, 40, 1000])
def test_operations_of_triangular_nests_are_counted_exactly(n: int) -> None:
    triangle = """void f(int n, const float a[n][n], double s[n]) {
        for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) {
            for (int k = j; k < i; k++) s[i] += a[i][k]; s[j] = s[j] * 2 + a[j][i]; } }"""
    inner = sum(i - j for i in range(n) for j in range(i))
    assert ops(triangle, n=n) == {kind: count for kind, count in {"float64": inner + n * (n - 1)}.items() if count}


def test_operations_count_each_type_apart_and_calls_as_one() -> None:
    source = "void f(int n, const float x[n], double y[n]) { for (int i = 0; i < n; i++) y[i] += sqrtf(x[i] + 1.0f); }"
    assert ops(source, n=10) == {"float32": 20, "float64": 10}


def test_a_branch_counts_its_cheaper_arm_and_a_loop_of_the_datas_making_nothing() -> None:
    arms = "if (x[i] > 0) x[i] = x[i] * x[i] + 1; else x[i] += 1;"
    branch = f"void f(int n, float x[n]) {{ for (int i = 0; i < n; i++) {arms} }}"
    loop = "void f(int n, float x[n]) { for (int i = 0; i < n; i++) while (x[i] > 1) x[i] = x[i] / 2; }"
    assert ops(branch, n=10) == {"float32": 10} and ops(loop, n=10) == {}


def test_indices_and_integers_are_no_floating_point_operations() -> None:
    assert ops("void f(int n, int x[n]) { for (int i = 0; i < n - 1; i++) x[i] = 2 * x[i + 1] + i; }", n=10) == {}


@pytest.mark.parametrize("file", [f for f in load_corpus() if f.decision == "translate"][::3], ids=lambda f: f.path)
def test_functions_of_the_corpus_have_shares_and_counts(file: CorpusFile) -> None:
    task, function = read_task(file.source, entry=file.entry, sizes=file.size, ranges=file.ranges)
    sizes = task.cases[0].size
    for one in touched(function, sizes).values():
        assert all(0.0 <= share <= 1.0 for share in (one.read, one.written, one.first_read))
    assert all(count >= 0 for count in operations(function, sizes).values())


def test_ceilings_are_kept_for_their_card_and_driver_alone(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    assert held_ceilings("GPU-1", "1", cache) is None
    keep_ceilings(CARD, cache)
    assert held_ceilings("GPU-1", "1", cache) == CARD
    assert held_ceilings("GPU-1", "2", cache) is None and held_ceilings("GPU-2", "1", cache) is None


def test_bandwidths_are_the_best_of_their_curves_past_l2() -> None:
    assert CARD.write_gb_s == pytest.approx(4000)  # not the 10,000 at which L2 took one MiB
    assert replace(CARD, write=CARD.write[:1]).write_gb_s == pytest.approx(10486, rel=0.001)  # for want of more
