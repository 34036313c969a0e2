"""The reference: what the C computes, as written and widened; what it does wrong, with its own line; what settles."""

from __future__ import annotations

import numpy as np
import pytest
from scripted import read_settled

from cudaperf_magic.errors import TaskError
from cudaperf_magic.records import Case, Task


def only(task: Task, **sizes: int) -> Case:
    return next(case for case in task.cases if case.size == sizes and case.family == "nominal")


def refusal(source: str, **options) -> TaskError:
    with pytest.raises(TaskError) as caught:
        read_settled(source, **options)
    assert "\n" not in str(caught.value)
    return caught.value


# ------------------------------------------------------------------ values


def test_the_reference_is_what_the_c_computes_and_the_wide_one_is_closer_to_the_truth() -> None:
    task, oracle = read_settled(
        "float sum(int n, const float x[n]) { float s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }"
    )
    reference = oracle.run(only(task, n=1025))
    (leaf,) = reference.leaves
    x = reference.inputs["x"]
    assert leaf.plain[0] == np.add.accumulate(x, dtype=np.float32)[-1]
    assert leaf.wide[0] == np.add.accumulate(x.astype(np.float64))[-1]
    assert abs(float(leaf.plain[0]) - leaf.wide[0]) <= leaf.spread[0]


def test_double_is_widened_too() -> None:
    task, oracle = read_settled(
        "double sum(int n, const double x[n]) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }"
    )
    (leaf,) = oracle.run(only(task, n=1025)).leaves
    if np.finfo(np.longdouble).eps < np.finfo(np.float64).eps:
        assert leaf.wide.dtype == np.longdouble
        assert abs(np.longdouble(leaf.plain[0]) - leaf.wide[0]) <= leaf.spread[0]


def test_exact_arithmetic_has_no_spread_so_that_it_must_be_exact() -> None:
    source = "float dot(int n, const float x[n], const float y[n]) {\n"
    source += "float s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }"
    task, oracle = read_settled(source)
    case = next(case for case in task.cases if case.family == "integer-exact")
    assert oracle.run(case).leaves[0].spread[0] == 0


def test_float_literals_and_constants_keep_the_value_that_the_c_gives_them() -> None:
    source = """#include <float.h>
    void f(int n, const float x[n], float y[n], float z[n]) {
        for (int i = 0; i < n; i++) { y[i] = x[i] * 0.1f; z[i] = FLT_EPSILON; }
    }"""
    task, oracle = read_settled(source)
    reference = oracle.run(only(task, n=31))
    y, z = reference.leaves
    assert np.array_equal(y.wide, reference.inputs["x"].astype(np.float64) * np.float64(np.float32(0.1)))
    assert (z.wide == np.finfo(np.float32).eps).all() and (z.spread == 0).all()


def test_integers_come_out_as_the_compiler_computes_them() -> None:
    source = """#include <stdint.h>
    void f(int n, const int8_t a[n], const uint16_t b[n], int64_t y[n], unsigned char c[n]) {
        for (int i = 0; i < n; i++) { y[i] = a[i] * b[i] / 7 - a[i] % 3; c[i] = a[i] + b[i]; }
    }"""
    task, oracle = read_settled(source)
    reference = oracle.run(only(task, n=257))
    a, b = reference.inputs["a"].astype(np.int64), reference.inputs["b"].astype(np.int64)
    y, c = reference.leaves
    assert np.array_equal(y.plain, np.trunc(a * b / 7).astype(np.int64) - np.fmod(a, 3))
    assert np.array_equal(c.plain, ((a + b) & 255).astype(np.uint8)) and np.array_equal(y.low, y.high)


def test_structs_bools_helpers_tables_and_globals_are_run_as_written() -> None:
    source = """#include <stdbool.h>
    #define N 37
    typedef struct { float x; double w; bool on; } point;
    static const float weight[3] = {0.5f, 1.0f, 2.0f};
    float total[N];
    static float pick(const float v, int k) { return v * weight[k % 3]; }
    void f(point p[N]) {
        for (int i = 0; i < N; i++) { total[i] = pick(p[i].x, i); p[i].w += 1; p[i].on = !p[i].on; }
    }"""
    task, oracle = read_settled(source, entry="f")
    reference = oracle.run(task.cases[0])
    leaves = {leaf.key: leaf for leaf in reference.leaves}
    p = reference.inputs["p"]
    expected = p["x"] * np.array([0.5, 1, 2], np.float32)[np.arange(37) % 3]
    assert np.array_equal(leaves["total"].plain, expected)
    assert np.array_equal(leaves["p.w"].plain, p["w"] + 1) and np.array_equal(leaves["p.on"].plain, ~p["on"])


def test_an_iteration_count_that_rounding_decides_has_a_range() -> None:
    source = """void escape(int n, const float c[n], int count[n]) {
        for (int i = 0; i < n; i++) {
            float x = 0.3f + 0.1f * c[i]; int k = 0;
            while (k < 200 && x < 0.99f) { x = 3.99f * x * (1.0f - x); k++; }
            count[i] = k;
        }
    }"""
    task, oracle = read_settled(source)
    leaves = [oracle.run(case).leaves[0] for case in task.cases]
    assert any((leaf.low < leaf.high).any() for leaf in leaves)
    assert all(np.mean(leaf.low < leaf.high) < 0.9 for leaf in leaves if leaf.plain.size > 10)


# ------------------------------------------------------------------ C that is wrong


def test_c_that_reads_past_its_array_is_named_with_line_element_and_size() -> None:
    source = """void f(int n, const float x[n], float y[n]) {
        for (int i = 0; i < n; i++)
            y[i] = x[i + 1];
    }"""
    error = refusal(source)
    assert error.line == 3 and "the C itself reads x[" in str(error) and "one past its end, for n=" in str(error)


def test_c_that_writes_before_its_array_is_named() -> None:
    source = "void f(int n, float y[n]) {\n    for (int i = 0; i < n; i++)\n        y[i - 1] = 0;\n}"
    error = refusal(source)
    assert error.line == 3 and "writes y[-1], before its start" in str(error)


def test_a_row_that_runs_into_the_next_one_is_named() -> None:
    source = "void f(int n, int m, const int A[n][m], int y[n]) {\n    for (int i = 0; i < n; i++)\n"
    source += "        y[i] = A[i][m];\n}"
    assert "past the row's end" in str(refusal(source))


def test_c_that_reads_a_local_before_it_has_a_value_is_named() -> None:
    source = """float f(int n, const float x[n]) {
        float s;
        for (int i = 0; i < n; i++)
            s += x[i];
        return s;
    }"""
    error = refusal(source)
    assert error.line == 4 and "reads s before it has a value" in str(error)


def test_c_that_reads_a_local_array_before_it_has_values_is_named() -> None:
    source = "void f(int n, const int x[n], int y[n]) {\n    int h[8];\n    for (int i = 0; i < n; i++)\n"
    source += "        h[i % 8] += x[i];\n    for (int i = 0; i < n; i++) y[i] = h[i % 8];\n}"
    error = refusal(source)
    assert error.line == 4 and "reads h[0] before" in str(error)


def test_c_that_divides_by_zero_whatever_it_gets_is_named() -> None:
    error = refusal("void f(int n, int x[n]) {\n    for (int i = 0; i < n; i++)\n        x[i] = 5 / (i - i);\n}")
    assert error.line == 3 and "divides by zero" in str(error)


def test_a_loop_that_never_ends_is_named() -> None:
    source = "void f(int n, int x[n]) {\n    int k = 0;\n    while (k < 10)\n        x[0] = k;\n}"
    error = refusal(source, sizes={"n": "3"})
    assert error.line == 3 and "had not ended" in str(error)


def test_c_that_the_compiler_refuses_is_told_in_its_words() -> None:
    error = refusal('void f(int n, float x[n]) {\n    for (int i = 0; i < n; i++)\n        x[i] = x[i] << 2;\n}')
    assert error.line == 3


# ------------------------------------------------------------------ what settles


def test_a_size_on_which_the_c_is_wrong_is_left_out_and_said() -> None:
    task, _ = read_settled("float first(int n, const float x[n]) {\n    return x[0] + n;\n}")
    assert all(case.size["n"] > 0 for case in task.cases)
    assert any("left out" in note and "n=0" in note for note in task.notes)


def test_a_filter_longer_than_its_signal_gives_way_to_another_case() -> None:
    source = """void conv(int n, int k, const float x[n], const float w[k], float y[n]) {
        for (int i = 0; i + k <= n; i++) { y[i] = 0; for (int j = 0; j < k; j++) y[i] += x[i + j] * w[j]; }
        for (int i = n - k + 1; i < n; i++) y[i] = 0;
    }"""
    task, _ = read_settled(source)
    assert all(case.size["k"] <= case.size["n"] + 1 for case in task.cases)


def test_a_float_that_becomes_a_subscript_gets_values_that_suit() -> None:
    source = """void hist(int n, int bins, const float x[n], int h[bins]) {
        for (int i = 0; i < n; i++) h[(int)(x[i] * bins)]++;
    }"""
    task, _ = read_settled(source)
    values = task.argument("x").values
    assert values is not None and values.low == "0.001" and any("x lies between" in note for note in task.notes)


def test_logarithms_get_no_negative_numbers() -> None:
    source = """#include <math.h>
    float f(int n, const float x[n]) { float s = 0; for (int i = 0; i < n; i++) s += logf(x[i] - 0.05f); return s; }"""
    task, oracle = read_settled(source)
    assert all(np.isfinite(oracle.run(case).leaves[0].plain).all() for case in task.cases if case.family == "nominal")


def test_an_output_of_which_elements_stay_is_also_an_input() -> None:
    source = "void f(int n, const int x[n], int y[n]) { for (int i = 0; i < n; i++) if (x[i] > 0) y[i] = x[i]; }"
    task, _ = read_settled(source)
    assert task.argument("y").role == "inout"


def test_signed_overflow_is_said() -> None:
    source = """void f(int n, const int x[n], int y[n]) {
        for (int i = 0; i < n; i++)
            y[i] = (x[i] | 1) * 1664525 * 69069;
    }"""
    task, _ = read_settled(source)
    assert any(note.startswith("line 3: a signed integer overflows") for note in task.notes)


def test_a_task_that_anything_passes_is_labelled() -> None:
    task, _ = read_settled("void f(int n, float y[n]) { for (int i = 0; i < n; i++) y[i] = 0; }")
    assert any("check of y is weak" in note and "zeros" in note for note in task.notes)
    honest, _ = read_settled("void g(int n, float y[n]) { for (int i = 0; i < n; i++) y[i] = i * 0.5f; }")
    assert not any("weak" in note for note in honest.notes)


def test_hidden_cases_are_new_every_time_and_well_defined() -> None:
    source = "void f(int n, const int at[n], const float x[n], float y[n]) {\n"
    source += "    for (int i = 0; i < n; i++) y[i] = x[at[i]]; }"
    _, first = read_settled(source)
    _, second = read_settled(source)
    assert first.hidden and {c.seed for c in first.hidden}.isdisjoint(c.seed for c in second.hidden)
    assert all(first.run(case).leaves for case in first.hidden)


def test_results_are_kept_in_memory() -> None:
    task, oracle = read_settled("void f(int n, int x[n]) { for (int i = 0; i < n; i++) x[i]++; }")
    assert oracle.run(task.cases[0]) is oracle.run(task.cases[0])


def test_cases_on_which_the_c_crashes_or_strays_are_not_defined_and_the_others_are() -> None:
    source = """#include <stdlib.h>
    void f(int n, float x[n]) { for (int i = 0; i < n; i++) x[i] = x[i] / (n == 40 ? 0 : 2) + x[50 - n]; }"""
    _, oracle = read_settled(source, ranges={"n": "1:50"})
    cases = [Case((("n", n),)) for n in (30, 40, 60)]
    assert oracle.defined(cases) == (cases[0], cases[1])
    assert oracle.defines(cases[0]) and not oracle.defines(cases[2])
