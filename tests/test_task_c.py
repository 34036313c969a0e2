"""C text becomes a task: sizes, roles, values and cases, or one sentence that says what is missing and where."""

from __future__ import annotations

import pytest

from cudaperf_magic.errors import TaskError, UsageError
from cudaperf_magic.records import Task
from cudaperf_magic.tasks.c import function_of, places_of, read_task
from cudaperf_magic.tasks.cases import materialise
from cudaperf_magic.tasks.sizes import size_names
from cudaperf_magic.tasks.work import estimated_steps

SAXPY = """void saxpy(int n, float a, const float x[n], float y[n]) {
    for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}"""
FLAT = """void blur(int n, const float *x, float *y) {
    for (int i = 0; i < n; i++)
        y[i] = x[i] + x[i + 1] + x[i + 2];
}"""
CSR = """void spmv(int rows, int cols, int nnz, const int *ptr, const int col[nnz], const float val[nnz],
          const float x[cols], float y[rows]) {
    for (int i = 0; i < rows; i++) {
        float s = 0;
        for (int k = ptr[i]; k < ptr[i + 1]; k++)
            s += val[k] * x[col[k]];
        y[i] = s;
    }
}"""

EACH_ELEMENT = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"


def task_of(source: str, **options) -> Task:
    return read_task(source, **options)[0]


def test_a_signature_gives_names_types_shapes_and_roles() -> None:
    task = task_of(SAXPY)
    assert [(a.name, a.dtype, a.shape, a.role, a.is_pointer) for a in task.arguments] == [
        ("n", "int32", (), "in", False),
        ("a", "float32", (), "in", False),
        ("x", "float32", ("n",), "in", True),
        ("y", "float32", ("n",), "inout", True),
    ]
    assert task.entry == task.name == "saxpy" and task.language == "c"


def test_an_array_that_is_written_before_it_is_read_is_an_output() -> None:
    task = task_of("void twice(int n, const int x[n], int y[n]) { for (int i = 0; i < n; i++) y[i] = 2 * x[i]; }")
    assert task.argument("y").role == "out"


def test_the_returned_value_is_a_last_argument() -> None:
    source = "double sum(int n, const double x[n]) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }"
    task = task_of(source)
    result = task.arguments[-1]
    assert result.name == "result" and result.is_result and result.is_pointer and result.dtype == "float64"


def test_sizes_that_nothing_states_are_inferred_and_said() -> None:
    task = task_of(FLAT)
    assert task.argument("x").shape == ("n + 2",)
    assert "x has n + 2 elements, inferred from line 3" in task.notes


def test_a_size_given_by_hand_stands() -> None:
    assert task_of(FLAT, sizes={"x": "n + 5"}).argument("x").shape == ("n + 5",)


def test_a_pointer_whose_size_nothing_tells_is_refused_with_what_to_write() -> None:
    source = "void pick(int n, const int *at,\n          const float *x, float *y) {\n"
    source += "    for (int i = 0; i < n; i++) y[i] = x[at[i]];\n}"
    with pytest.raises(TaskError) as caught:
        task_of(source)
    assert caught.value.line == 2 and "parameter x has no size; write x[n], or add --size x=n" in str(caught.value)


def test_all_pointers_without_a_size_are_named_at_once() -> None:
    source = "void mv(int n, int nnz, const int *ptr, const int *idx, const float *val, const float *x, float *y) {"
    source += " for (int i = 0; i < n; i++) { float s = 0; for (int k = ptr[i]; k < ptr[i + 1]; k++)"
    source += " s += val[k] * x[idx[k]]; y[i] = s; } }"
    with pytest.raises(TaskError, match=r"parameter idx has no size.*likewise val, x"):
        task_of(source)


def test_the_size_to_write_names_a_parameter_that_is_there() -> None:
    source = "void spread(int logn, const float x[1 << logn], const int at[1 << logn], float *y) {\n"
    source += "    for (int i = 0; i < 1 << logn; i++) y[at[i]] = x[i];\n}"
    with pytest.raises(TaskError) as caught:
        task_of(source)
    assert "add --size y=logn" in str(caught.value)


def test_row_pointers_ascend_and_columns_stay_inside() -> None:
    task = task_of(CSR)
    ptr, col = task.argument("ptr"), task.argument("col")
    assert ptr.shape == ("rows + 1",)
    assert ptr.values is not None and ptr.values.order == "ascending" and ptr.values.high is not None
    assert col.values is not None and col.values.low == "0"
    inputs = materialise(task, task.cases[3])
    assert inputs["ptr"][-1] == inputs["nnz"][0] and inputs["col"].max() < inputs["cols"][0]


@pytest.mark.parametrize(
    ("body", "name", "low"),
    [
        ("y[i] = logf(x[i]);", "x", "0.1"),
        ("y[i] = sqrtf(x[i] * w[i]);", "w", "0.1"),
        ("y[i] = w[i] / x[i];", "x", "0.5"),
        ("float t = x[i]; y[i] = 1.0f / t;", "x", "0.5"),
        ("y[i] = acosf(w[i]);", "w", "-0.9"),
        ("y[i] = w[i] / (float)(k % d);", "d", "1"),
        ("y[i] = (float)(k >> d);", "d", "0"),
        ("y[i] = w[(i + k) % n] / d;", "d", "1"),
    ],
)
def test_values_follow_from_where_they_are_used(body: str, name: str, low: str) -> None:
    source = "#include <math.h>\nvoid f(int n, int k, int d, const float x[n], const float w[n], float y[n]) {\n"
    values = task_of(source + "    for (int i = 0; i < n; i++) { " + body + " }\n}").argument(name).values
    assert values is not None and values.low == low and "line 3" in values.why


def test_a_divisor_that_the_function_guards_may_be_zero() -> None:
    source = """void f(int n, const float a[n], const float b[n], float y[n]) {
        for (int i = 0; i < n; i++) y[i] = b[i] != 0 ? a[i] / b[i] : 0;
    }"""
    assert task_of(source).argument("b").values is None


def test_a_domain_is_seen_through_a_helper() -> None:
    source = """#include <math.h>
    static double entropy(double p) { return -p * log(p); }
    void f(int n, const double p[n], double y[n]) { for (int i = 0; i < n; i++) y[i] = entropy(p[i]); }"""
    values = task_of(source, entry="f").argument("p").values
    assert values is not None and values.low == "0.1"


def test_a_field_that_is_a_subscript_has_a_range_of_its_own() -> None:
    source = """typedef struct { int to; float w; } edge;
    void f(int n, int m, const edge e[n], const float x[m], float y[n]) {
        for (int i = 0; i < n; i++) y[i] = e[i].w * x[e[i].to];
    }"""
    argument = task_of(source).argument("e")
    assert argument.dtype == "to:int32,w:float32"
    assert [(path, values.low) for path, values in argument.field_values] == [("to", "0")]


# ------------------------------------------------------------------ cases


def test_cases_hold_odd_small_and_empty_sizes_and_every_family() -> None:
    task = task_of(SAXPY)
    sizes = {case.size["n"] for case in task.cases[1:]}
    assert {0, 1, 31, 33} <= sizes and max(sizes) < 2000
    assert len({case.family for case in task.cases}) == 9


def test_two_dimensions_are_tried_non_square_both_ways() -> None:
    source = "void f(int n, int m, const int A[n][m], int B[m][n]) {\n"
    source += "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) B[j][i] = A[i][j]; }"
    shapes = {(case.size["n"], case.size["m"]) for case in task_of(source).cases}
    assert any(n > m > 0 for n, m in shapes) and any(0 < n < m for n, m in shapes) and any(n == 0 for n, m in shapes)


@pytest.mark.parametrize(
    ("source", "least"),
    [
        (SAXPY, 1 << 14),
        (f"void f(int n, float A[n][n]) {{ {EACH_ELEMENT} A[i][j] *= 2; }}", 1 << 8),
        (
            f"void f(int n, const float A[n][n], float C[n][n]) {{ {EACH_ELEMENT}"
            " for (int k = 0; k < n; k++) C[i][j] += A[i][k] * A[k][j]; }",
            1 << 6,
        ),
    ],
)
def test_the_measured_case_is_as_large_as_the_work_allows(source: str, least: int) -> None:
    task, function = read_task(source)
    assert task.cases[0].size["n"] >= least
    assert estimated_steps(function, task.cases[0].size) <= 3_000_000


def test_a_size_on_the_command_line_sets_the_measured_case_alone() -> None:
    task = task_of(SAXPY, sizes={"n": "1000000"})
    assert task.cases[0].size == {"n": 1000000} and max(case.size["n"] for case in task.cases[1:]) < 2000


def test_time_steps_are_few_and_no_dimension() -> None:
    source = """void heat(int n, int steps, float a[n], float b[n]) {
        for (int t = 0; t < steps; t++) {
            for (int i = 1; i < n - 1; i++) b[i] = (a[i - 1] + a[i + 1]) / 2;
            for (int i = 1; i < n - 1; i++) a[i] = b[i];
        }
    }"""
    task, function = read_task(source)
    assert size_names(function).kinds == {"n": "extent", "steps": "count"}
    assert all(case.size["steps"] <= 12 for case in task.cases)


def test_a_filter_is_narrower_than_its_signal() -> None:
    source = """void conv(int n, int k, const float x[n], const float w[k], float y[n - k + 1]) {
        for (int i = 0; i < n - k + 1; i++) { y[i] = 0; for (int j = 0; j < k; j++) y[i] += x[i + j] * w[j]; }
    }"""
    task = task_of(source)
    assert task.cases[0].size["k"] < 10 < task.cases[0].size["n"]


def test_a_size_fills_dimensions_that_are_numbers_and_never_passes_them() -> None:
    task = task_of(
        """#define SIDE 90
        void f(int steps, int n, float a[SIDE][SIDE]) {
            for (int t = 0; t < steps; t++)
                for (int i = 1; i <= n - 2; i++)
                    for (int j = 1; j < n - 1; j++) a[i][j] += a[i - 1][j + 1];
        }"""
    )
    sizes = [case.size["n"] for case in task.cases]
    assert sizes[0] == 90 and task.cases[0].size["steps"] == 10
    assert max(sizes) == 90 and min(sizes) < 4


def test_sizes_that_the_source_fixes_leave_one_set_of_sizes() -> None:
    source = "#define N 40\nfloat x[N], y[N];\nvoid f(void) { for (int i = 0; i < N; i++) y[i] = x[i] * 2; }"
    task = task_of(source)
    assert {case.sizes for case in task.cases} == {()}
    assert task.argument("x").shape == ("40",)


def test_another_seed_gives_other_inputs() -> None:
    first, second = task_of(SAXPY), task_of(SAXPY, seed=7)
    assert (materialise(first, first.cases[1])["x"] != materialise(second, second.cases[1])["x"]).any()


def test_a_task_gives_back_its_function_and_its_places() -> None:
    task, function = read_task(FLAT)
    assert function_of(task).parameters == function.parameters
    assert next(place[0] for place in places_of(task, function)) == task.cases[0]


# ------------------------------------------------------------------ options


def test_ranges_are_read_with_their_order() -> None:
    task = task_of(CSR, ranges={"ptr": "0:nnz:ascending", "x": "0.1:10", "col": "0:cols-1"})
    values = task.argument("ptr").values
    assert values is not None and (values.low, values.high, values.order) == ("0", "nnz", "ascending")
    assert task.argument("x").values is not None and task.argument("x").values.high == "10"


@pytest.mark.parametrize(
    "options",
    [
        {"sizes": {"z": "4"}},
        {"sizes": {"n": "m"}},
        {"sizes": {"n": "-4"}},
        {"sizes": {"x": "n"}},
        {"ranges": {"x": "1"}},
        {"ranges": {"x": "0:k"}},
        {"ranges": {"x": "0:1:sorted"}},
        {"ranges": {"q": "0:1"}},
        {"ranges": {"x": "0:+"}},
    ],
)
def test_an_option_that_is_not_understood_is_named(options: dict) -> None:
    with pytest.raises(UsageError) as caught:
        task_of(SAXPY, **options)
    assert "\n" not in str(caught.value)


def test_a_scalar_that_is_no_size_can_be_fixed() -> None:
    source = "void f(int n, int k, int x[n]) { for (int i = 0; i < n; i++) x[i] = x[i] * k; }"
    task = task_of(source, sizes={"k": "3"})
    assert all(materialise(task, case)["k"][0] == 3 for case in task.cases)


def test_a_size_that_its_type_cannot_hold_is_refused() -> None:
    source = "void f(int n, unsigned char k, float x[n]) { for (int i = 0; i < n; i++) x[i] += k; }"
    with pytest.raises(UsageError, match="--size n=99999999999: n holds 2,147,483,647 at most"):
        read_task(source, sizes={"n": "99999999999"})
    with pytest.raises(UsageError, match="--size k=256: k holds 255 at most"):
        read_task(source, sizes={"k": "256"})


def test_a_range_whose_ends_are_exchanged_is_refused() -> None:
    source = "void f(int n, float x[n]) { for (int i = 0; i < n; i++) x[i] += 1; }"
    with pytest.raises(UsageError, match="--range x=5:1: its lower end is above its upper end; exchange them"):
        read_task(source, ranges={"x": "5:1"})
