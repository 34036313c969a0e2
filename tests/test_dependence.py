"""Verdicts on single loops, from their C: any order, a reduction, or one after the other, and why."""

from __future__ import annotations

import pytest

from cudaperf_magic.compiler.analysis.dependence import Facts, LoopFacts, analyse, analyse_statements
from cudaperf_magic.compiler.c.reader import read
from cudaperf_magic.compiler.loops import Load, Loop, Name


def facts_of(source: str, **ranges: str) -> Facts:
    return analyse(read(source), ranges)


def loop(source: str, label: str = "i", **ranges: str) -> LoopFacts:
    return facts_of(source, **ranges).loop(label)


def one(
    body: str, parameters: str = "float x[n], float y[n], int idx[n]", header: str = "int i = 0; i < n; i++"
) -> str:
    return f"void f(int n, int m, {parameters}) {{ for ({header}) {{ {body} }} }}"


GRID = "float A[n][m], float B[n][m]"

PARALLEL = {
    "each element on its own": one("y[i] = 2 * x[i];"),
    "a scalar temporary set before it is read": one("float t = x[i]; y[i] = t * t;"),
    "an array updated in place at its own index": one("x[i] = x[i] + 1;"),
    "even elements from odd ones": one("x[2 * i] = x[2 * i + 1];"),
    "the upper half from the lower half": one("x[i + n] = x[i];"),
    "swapping neighbours two apart": one(
        "float t = x[i]; x[i] = x[i + 1]; x[i + 1] = t;", header="int i = 0; i + 1 < n; i += 2"
    ),
    "reversing in place up to the middle": one(
        "float t = x[i]; x[i] = x[n - 1 - i]; x[n - 1 - i] = t;", header="int i = 0; i < n / 2; i++"
    ),
    "counting down": one("y[i] = x[i];", header="int i = n - 1; i >= 0; i--"),
    "counting down an unsigned variable": one("y[i] = x[i];", header="unsigned i = n; i-- > 0; "),
    "gathering through an index": one("y[i] = x[idx[i]];"),
    "a guard on data": one("if (x[i] > 0) y[i] = 1 / x[i];"),
    "a guarded division with an else": one("if (x[i] != 0) y[i] = y[i] / x[i]; else y[i] = 0;"),
    "a skip with continue": one("if (x[i] < 0) continue; y[i] = x[i];"),
    "a flat matrix with a symbolic width": one("for (int j = 0; j < m; j++) x[i * m + j] = 0;"),
    "a flat matrix through a row start": one("int r = i * m; for (int j = 0; j < m; j++) x[r + j] = 0;"),
    "a flat matrix through size_t": one("for (int j = 0; j < m; j++) x[(unsigned long)i * m + j] = 0;"),
    "a flat matrix walked backwards in each row": one("for (int j = 0; j < m; j++) x[i * m + m - 1 - j] = 0;"),
    "interleaved colours": one("for (int c = 0; c < 3; c++) x[3 * i + c] = 0;"),
    "an image of colours": one("for (int j = 0; j < m; j++) for (int c = 0; c < 3; c++) x[(i * m + j) * 3 + c] = 0;"),
    "a packed lower triangle": one("for (int j = 0; j <= i; j++) x[i * (i + 1) / 2 + j] = 0;"),
    "one index split into row and column": one("A[i / 8][i % 8] = 1;", "float A[n][8]"),
    "one index split by a symbolic width": one("A[i / m][i % m] = 1;", GRID),
    "an in-place transpose below the diagonal": one(
        "for (int j = 0; j < i; j++) { float t = A[i][j]; A[i][j] = A[j][i]; A[j][i] = t; }", "float A[n][n]"
    ),
    "a mirror of the lower triangle": one("for (int j = 0; j < i; j++) A[j][i] = A[i][j];", "float A[n][n]"),
    "a row softmax with a running maximum": one(
        (
            "float top = A[i][0], sum = 0; for (int j = 1; j < m; j++) if (A[i][j] > top) top = "
            "A[i][j]; for (int j = 0; j < m; j++) sum += A[i][j] - top; for (int j = 0; j < m; j++) "
            "B[i][j] = A[i][j] / sum;"
        ),
        GRID,
    ),
    "sums down columns, column by column": one(
        "float s = 0; for (int r = 0; r < n; r++) s += A[r][i]; B[0][i] = s;", GRID, "int i = 0; i < m; i++"
    ),
    "a scalar of the whole function set first in each iteration": (
        "void f(int n, float x[n]) { float t; for (int i = 0; i < n; i++) { t = x[i]; x[i] = t * t; } }"
    ),
    "a local array filled in each iteration": one(
        "float w[4]; for (int k = 0; k < 4; k++) w[k] = x[i] * k; y[i] = w[0] + w[3];"
    ),
    "a local array of wider scope filled in each iteration": (
        "void f(int n, float x[n]) { float w[4]; for (int i = 0; i < n; i++) { for (int k = 0; k < "
        "4; k++) w[k] = x[i]; x[i] = w[1] + w[2]; } }"
    ),
    "different fields of one struct": (
        "struct P { float a, b; }; void f(int n, struct P p[n]) { for (int i = 1; i < n; i++) p[i].a = p[i - 1].b; }"
    ),
    "a write to row k that only other rows read": one("for (int k = 0; k < 1; k++) x[i + n] = x[k];"),
    "an early exit from an inner loop": one(
        "for (int j = 0; j < m; j++) if (A[i][j] > 0) { B[i][0] = j; break; }", GRID
    ),
    "an inner while": one("float t = x[i]; while (t > 1) t *= 0.5f; y[i] = t;"),
    "an index clamped by conditions": one("int k = i - 1; if (k < 0) k = 0; y[i] = x[k];"),
    "bounds that are the smaller of two": one("for (int j = 0; j < (i < m ? i : m); j++) A[i][j] = 0;", GRID),
    "a flag that picks one of two buffers": one("A[(m + 1) % 2][i] = A[m % 2][i];", "float A[2][n]"),
    "a masked power of two ring": one("y[i] = x[(i + 1) & 7];"),
    "a rotation": one("y[(i + m) % n] = x[i];", header="int i = 0; i < n; i++").replace(
        "{ for", "{ if (m >= 0) for", 1
    ),
    "squares as indices": one("x[i * i] = i;"),
    "a shift by a fixed distance": one("x[i + 8] = x[i];", header="int i = 0; i < 8; i++"),
}

REDUCTIONS = {
    "plus, compound": (one("s += x[i]; ").replace("{ for", "{ float s = 0; for", 1), "+"),
    "plus, spelled out": (
        "float f(int n, float x[n]) { float s = 0; for (int i = 0; i < n; i++) s = s + x[i]; return s; }",
        "+",
    ),
    "plus, the other way round": (
        "float f(int n, float x[n]) { float s = 0; for (int i = 0; i < n; i++) s = x[i] + s; return s; }",
        "+",
    ),
    "minus is a sum": (
        "float f(int n, float x[n]) { float s = 0; for (int i = 0; i < n; i++) s -= x[i]; return s; }",
        "+",
    ),
    "three terms": (
        "float f(int n, float x[n]) { float s = 0; for (int i = 0; i < n; i++) s = s + x[i] - 1; return s; }",
        "+",
    ),
    "a product": ("float f(int n, float x[n]) { float s = 1; for (int i = 0; i < n; i++) s *= x[i]; return s; }", "*"),
    "a maximum by if": (
        "float f(int n, float x[n]) { float s = x[0]; for (int i = 0; i < n; i++) if (x[i] > s) s = x[i]; return s; }",
        "max",
    ),
    "a minimum by if, the other way round": (
        "float f(int n, float x[n]) { float s = x[0]; for (int i = 0; i < n; i++) if (s > x[i]) s = x[i]; return s; }",
        "min",
    ),
    "a maximum by choice": (
        "float f(int n, float x[n]) { float s = x[0]; for (int i = 0; i < n; i++) s = x[i] > s ? x[i] : s; return s; }",
        "max",
    ),
    "a maximum that keeps": (
        (
            "float f(int n, float x[n]) { float s = x[0]; for (int i = 0; i < n; i++) s = s >= x[i] ? "
            "s : x[i]; return s; }"
        ),
        "max",
    ),
    "a maximum by the library": (
        (
            "#include <math.h>\nfloat f(int n, float x[n]) { float s = x[0]; for (int i = 0; i < n; "
            "i++) s = fmaxf(s, x[i]); return s; }"
        ),
        "max",
    ),
    "a count under a guard": (
        "int f(int n, float x[n]) { int s = 0; for (int i = 0; i < n; i++) if (x[i] > 0 && x[i] < 1) s++; return s; }",
        "+",
    ),
    "a guarded choice": (
        (
            "float f(int n, float x[n]) { float s = 0; for (int i = 0; i < n; i++) s = x[i] > 0 ? s + "
            "x[i] : s; return s; }"
        ),
        "+",
    ),
    "any, by a stored one": (
        "int f(int n, float x[n]) { int s = 0; for (int i = 0; i < n; i++) if (x[i] < 0) s = 1; return s; }",
        "||",
    ),
    "all, by a stored zero": (
        "int f(int n, float x[n]) { int s = 1; for (int i = 0; i < n; i++) if (x[i] < 0) s = 0; return s; }",
        "&&",
    ),
    "all, by and": (
        "int f(int n, float x[n]) { int s = 1; for (int i = 0; i < n; i++) s = s && x[i] > 0; return s; }",
        "&&",
    ),
    "exclusive or": ("int f(int n, int x[n]) { int s = 0; for (int i = 0; i < n; i++) s ^= x[i]; return s; }", "^"),
    "an arg-max": (
        (
            "int f(int n, float x[n]) { float s = x[0]; int at = 0; for (int i = 1; i < n; i++) if "
            "(x[i] > s) { s = x[i]; at = i; } return at + (s > 0); }"
        ),
        "argmax",
    ),
    "an arg-min by its index": (
        "int f(int n, float x[n]) { int s = 0; for (int i = 1; i < n; i++) if (x[i] < x[s]) s = i; return s; }",
        "argmin",
    ),
    "a sum inside an inner loop": (
        (
            "float f(int n, int m, float A[n][m]) { float s = 0; for (int i = 0; i < n; i++) for (int "
            "j = 0; j < m; j++) s += A[i][j]; return s; }"
        ),
        "+",
    ),
    "a histogram": (one("y[idx[i]] += 1;"), "+"),
    "one element": (one("y[0] += x[i];"), "+"),
    "a largest of each group": (one("if (x[i] > y[idx[i]]) y[idx[i]] = x[i];"), "max"),
    "marks that are all the same": (one("y[idx[i]] = 1;"), "||"),
    "column sums, row by row": (
        one("for (int j = 0; j < m; j++) B[0][j] += A[i][j];", "float A[n][m], float B[1][m]"),
        "+",
    ),
}

SEQUENTIAL = {
    "a first-order recurrence": (
        one("x[i] = x[i - 1] + y[i];", header="int i = 1; i < n; i++"),
        "x[i - 1] needs x[i] (line 1) of the iteration before",
    ),
    "a recurrence two back": (one("x[i] = x[i - 2];", header="int i = 2; i < n; i++"), "of 2 iterations before"),
    "a recurrence running down": (one("x[i] = x[i + 1];", header="int i = n - 2; i >= 0; i--"), "needs x[i]"),
    "a shift to the left": (one("x[i] = x[i + 1];", header="int i = 0; i < n - 1; i++"), "overwrites what x[i + 1]"),
    "a running sum that is written out": (
        ("void f(int n, float x[n]) { float s = 0; for (int i = 0; i < n; i++) { s += x[i]; x[i] = s; } }"),
        "s needs its value",
    ),
    "a scatter through an index": (one("y[idx[i]] = x[i];"), "may be written again"),
    "an overlap of half and whole": (one("x[i / 2] = x[i] + 1;"), "x[i / 2]"),
    "a truncated division that folds around zero": (one("y[(i - 3) / 2] = x[i];"), "may be written again"),
    "a remainder that repeats": (one("y[i % m] = x[i];"), "may be written again"),
    "a search that stops": (
        (
            "int f(int n, float x[n]) { int at = -1; for (int i = 0; i < n; i++) if (x[i] < 0) { at = "
            "i; break; } return at; }"
        ),
        "may end here",
    ),
    "a return from inside": (
        ("int f(int n, float x[n]) { for (int i = 0; i < n; i++) if (x[i] < 0) return i; return -1; }"),
        "may end here",
    ),
    "the last match of a condition": (
        ("int f(int n, float x[n]) { int at = -1; for (int i = 0; i < n; i++) if (x[i] < 0) at = i; return at; }"),
        "read after the loop",
    ),
    "a difference that alternates": (
        ("float f(int n, float x[n]) { float s = 0; for (int i = 0; i < n; i++) s = x[i] - s; return s; }"),
        "s needs its value",
    ),
    "a counter that indexes": (
        (
            "void f(int n, float x[n], float y[n]) { int k = 0; for (int i = 0; i < n; i++) if (x[i] > "
            "0) { y[k] = x[i]; k++; } }"
        ),
        "k needs its value",
    ),
    "an accumulator that others read": (
        (
            "float f(int n, float x[n]) { float s = 0, t = 0; for (int i = 0; i < n; i++) { s += x[i]; "
            "t += s; } return t; }"
        ),
        "s needs its value",
    ),
    "two operators on one accumulator": (
        ("float f(int n, float x[n]) { float s = 1; for (int i = 0; i < n; i++) { s += x[i]; s *= 2; } return s; }"),
        "s needs its value",
    ),
    "a maximum whose companion is kept per iteration": (
        (
            "void f(int n, float x[n], int y[n]) { float s = 0; for (int i = 0; i < n; i++) if (x[i] > "
            "s) { s = x[i]; y[i] = 1; } x[0] = s; }"
        ),
        "s needs its value",
    ),
    "a stencil in place": (one("x[i] = x[i - 1] + x[i + 1];", header="int i = 1; i < n - 1; i++"), "needs"),
    "reversing in place over the whole length": (one("x[i] = x[n - 1 - i];"), "x[n - 1 - i]"),
    "a product of float and index, truncated": (one("y[(int)(0.3f * i)] = x[i];"), "may be written again"),
    "a hash that wraps around": (one("y[(unsigned)i * 2654435761u >> 28] = x[i];"), "may be written again"),
    "a narrow index that wraps around": (one("unsigned char k = i; y[k] = x[i];"), "may be written again"),
}


@pytest.mark.parametrize("sentence", PARALLEL)
def test_a_loop_is_parallel_when_it_is(sentence: str) -> None:
    found = loop(PARALLEL[sentence])
    assert found.kind == "parallel", [d.sentence for d in found.carried]


@pytest.mark.parametrize("sentence", REDUCTIONS)
def test_a_loop_is_a_reduction_of(sentence: str) -> None:
    source, operator = REDUCTIONS[sentence]
    found = loop(source)
    assert found.kind == "reduction", [d.sentence for d in found.carried]
    assert [r.operator for r in found.reductions] == [operator]


@pytest.mark.parametrize("sentence", SEQUENTIAL)
def test_a_loop_stays_sequential_and_says_why(sentence: str) -> None:
    source, reason = SEQUENTIAL[sentence]
    found = loop(source)
    assert found.kind == "sequential"
    assert any(reason in d.sentence for d in found.carried), [d.sentence for d in found.carried]


# ----------------------------------------------------------- what a verdict carries


def test_a_scalar_read_after_its_loop_is_a_last_value() -> None:
    found = loop(
        "float f(int n, float x[n]) { float t = 0; for (int i = 0; i < n; i++) { t = x[i]; x[i] = t * t; } return t; }"
    )
    assert (found.kind, found.last_values, found.private) == ("parallel", {"t"}, frozenset())


def test_a_scalar_read_in_the_next_round_of_an_outer_loop_is_a_last_value() -> None:
    source = (
        "void f(int n, int m, float x[n]) { float t = 0; for (int k = 0; k < m; k++) { x[0] += t; "
        "for (int i = 0; i < n; i++) t = x[i]; } }"
    )
    assert loop(source).last_values == {"t"}


def test_an_arg_max_names_its_index_and_which_of_equals_wins() -> None:
    source = (
        "int f(int n, float x[n]) {{ float s = x[0]; int at = 0; for (int i = 1; i < n; i++) if "
        "(x[i] {} s) {{ s = x[i]; at = i; }} return at; }}"
    )
    strict, loose = (loop(source.format(op)).reductions[0] for op in (">", ">="))
    assert (strict.target, strict.companions, strict.ties) == (Name("s"), ((Name("at"), Name("i")),), "first")
    assert loose.ties == "last"


def test_several_accumulators_are_several_reductions() -> None:
    source = (
        "void f(int n, float x[n], float y[2]) { float s = 0, q = 0; for (int i = 0; i < n; i++) { "
        "s += x[i]; q += x[i] * x[i]; } y[0] = s; y[1] = q; }"
    )
    assert {(r.target, r.operator) for r in loop(source).reductions} == {(Name("s"), "+"), (Name("q"), "+")}


def test_the_scope_of_a_reduction_tells_atomics_from_sums() -> None:
    assert loop(one("y[0] += x[i];")).reductions[0].scope == "fixed"
    assert loop(one("y[idx[i]] += x[i];")).reductions[0].scope == "scattered"
    columns = loop(one("for (int j = 0; j < m; j++) B[j] += A[i][j];", "float A[n][m], float B[m]")).reductions[0]
    assert (columns.scope, columns.is_uniform) == ("scattered", True)


def test_a_matrix_product_is_parallel_outside_and_a_sum_inside() -> None:
    facts = facts_of(
        "void f(int n, float A[n][n], float B[n][n], float C[n][n]) { for (int i = 0; i < n; i++) "
        "for (int j = 0; j < n; j++) { C[i][j] = 0; for (int k = 0; k < n; k++) C[i][j] += A[i][k] "
        "* B[k][j]; } }"
    )
    assert [facts.loop(label).kind for label in ("i", "j", "k")] == ["parallel", "parallel", "reduction"]
    assert isinstance(facts.loop("k").reductions[0].target, Load)


def test_distances_count_iterations_not_values() -> None:
    found = loop(one("x[i] = x[i - 4];", header="int i = 4; i < n; i += 2"))
    assert [d.distance for d in found.carried] == [(2,)]


def test_a_scatter_through_a_permutation_is_parallel() -> None:
    assert loop(one("y[idx[i]] = x[i];"), idx="permutation").kind == "parallel"


def test_rows_between_ascending_pointers_are_disjoint() -> None:
    source = (
        "void f(int n, int ptr[n + 1], float v[1000]) { for (int i = 0; i < n; i++) for (int k = "
        "ptr[i]; k < ptr[i + 1]; k++) v[k] = i; }"
    )
    assert loop(source).kind == "sequential"
    assert loop(source, ptr="ascending").kind == "parallel"


def test_an_unknown_stride_is_assumed_positive_and_says_so() -> None:
    found = loop("void f(int n, int s, float *x) { for (int i = 0; i < n; i++) x[i * s] = 0; }")
    assert (found.kind, found.assumes) == ("parallel", (Name("s"),))


def test_rows_with_a_pitch_of_their_own_are_assumed_not_to_overlap() -> None:
    found = loop(
        "void f(int n, int m, int p, float *x) { for (int i = 0; i < n; i++) for (int j = 0; j < "
        "m; j++) x[i * p + j] = 0; }"
    )
    assert found.kind == "parallel"
    assert len(found.assumes) == 1


def test_overlapping_windows_that_add_up_need_no_assumption() -> None:
    found = loop(
        "void f(int n, int m, int p, float *x) { for (int i = 0; i < n; i++) for (int j = 0; j < "
        "m; j++) x[i * p + j] += 1; }"
    )
    assert found.kind == "reduction"


def test_a_temporary_array_of_the_caller_is_reported_as_privatisable() -> None:
    source = (
        "void f(int n, int m, float w[4], float y[n]) { for (int i = 0; i < n; i++) { for (int k = "
        "0; k < 4; k++) w[k] = y[i] * k; y[i] = w[1] + w[2]; } }"
    )
    found = loop(source)
    assert (found.kind, found.private_arrays) == ("sequential", {"w"})
    assert {d.name for d in found.carried} == {"w"}


def test_everything_is_live_after_a_piece_unless_told_otherwise() -> None:
    function = read("void f(int n, float x[n]) { float t; for (int i = 0; i < n; i++) { t = x[i]; x[i] = t * t; } }")
    assert analyse_statements(function.body, function).loop("i").last_values == {"t"}
    assert analyse_statements(function.body, function, frozenset()).loop("i").private == {"t"}


# --------------------------------------------------------------------------- bands

SEIDEL = (
    "void f(int n, float A[n][n]) { for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; "
    "j++) A[i][j] = A[i - 1][j] + A[i][j - 1] + A[i + 1][j] + A[i][j + 1]; }"
)


def test_the_distances_of_a_sweep_in_place_are_its_two_neighbours() -> None:
    assert facts_of(SEIDEL).distances(("i", "j")) == ((0, 1), (1, 0))


def test_the_distances_of_a_longest_common_subsequence_have_the_diagonal_too() -> None:
    source = (
        "void f(int n, int m, char a[n], char b[m], int L[n + 1][m + 1]) { for (int i = 1; i <= n; "
        "i++) for (int j = 1; j <= m; j++) L[i][j] = a[i - 1] == b[j - 1] ? L[i - 1][j - 1] + 1 : "
        "L[i - 1][j] + L[i][j - 1]; }"
    )
    assert facts_of(source).distances(("i", "j")) == ((0, 1), (1, 0), (1, 1))


def test_distances_that_vary_are_none() -> None:
    assert facts_of(one("x[2 * i] = x[i];")).distances(("i",)) is None


def test_loops_change_places_when_no_dependence_turns_around() -> None:
    assert facts_of(one("for (int j = 0; j < m; j++) A[i][j] = B[i][j];", GRID)).can_interchange("i", "j")
    assert facts_of(SEIDEL).can_interchange("i", "j")
    skewed = one("for (int j = 0; j < m - 1; j++) A[i][j] = A[i - 1][j + 1];", GRID, "int i = 1; i < n; i++")
    assert not facts_of(skewed).can_interchange("i", "j")


def test_a_triangle_does_not_change_places_with_its_bounds_unchanged() -> None:
    assert not facts_of(one("for (int j = 0; j < i; j++) A[i][j] = 0;", GRID)).can_interchange("i", "j")


def test_fission_keeps_a_temporary_with_its_users_and_cuts_the_rest() -> None:
    facts = facts_of(one("float t = x[i]; y[i] = t; z[i] = x[i] + 1;", "float x[n], float y[n], float z[n]"))
    assert [len(group) for group in facts.fission("i")] == [2, 1]


def test_fission_puts_the_source_of_a_backward_dependence_first() -> None:
    facts = facts_of(
        one("y[i] = z[i - 1]; z[i] = x[i];", "float x[n], float y[n], float z[n]", "int i = 1; i < n; i++")
    )
    first, second = facts.fission("i")
    assert "z" in repr(first[0].target) and "y" in repr(second[0].target)  # type: ignore[union-attr]


def test_fission_leaves_a_cycle_whole() -> None:
    facts = facts_of(one("y[i] = x[i - 1]; x[i] = y[i];", header="int i = 1; i < n; i++"))
    assert len(facts.fission("i")) == 1


def fused(first: str, second: str) -> bool:
    source = (
        f"void f(int n, float x[n], float y[n]) {{ for (int i = 0; i < n; i++) {{ {first} }} for "
        f"(int i = 0; i < n; i++) {{ {second} }} }}"
    )
    function = read(source)
    one, two = (s.label for s in function.body if isinstance(s, Loop))
    return analyse(function).can_fuse(one, two)


def test_neighbouring_loops_fuse_unless_the_second_reads_ahead() -> None:
    assert fused("x[i] = 1;", "y[i] = x[i];")
    assert fused("x[i] = 1;", "y[i] = i > 0 ? x[i - 1] : 0;")
    assert not fused("x[i] = 1;", "y[i] = i < n - 1 ? x[i + 1] : 0;")


def test_floyd_warshall_is_parallel_when_cut_at_its_pivot() -> None:
    facts = facts_of(
        "void f(int n, float D[n][n]) { for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) "
        "for (int j = 0; j < n; j++) if (D[i][k] + D[k][j] < D[i][j]) D[i][j] = D[i][k] + D[k][j]; "
        "}"
    )
    assert facts.loop("i").kind == facts.loop("j").kind == "sequential"
    assert facts.pivot_split("i") == facts.pivot_split("j") == Name("k")
    assert facts.pivot_split("k") is None


def test_lu_is_parallel_below_and_right_of_its_pivot() -> None:
    facts = facts_of(
        "void f(int n, float A[n][n]) { for (int k = 0; k < n; k++) { for (int i = k + 1; i < n; "
        "i++) A[i][k] /= A[k][k]; for (int r = k + 1; r < n; r++) for (int c = k + 1; c < n; c++) "
        "A[r][c] -= A[r][k] * A[k][c]; } }"
    )
    assert [facts.loop(label).kind for label in ("k", "i", "r", "c")] == [
        "sequential",
        "parallel",
        "parallel",
        "parallel",
    ]


def test_a_counter_that_steps_with_its_loops_does_not_hold_them_back() -> None:
    one_loop = (
        "void f(int n, float x[n], float y[n]) { int k = 0; for (int i = 0; i < n; i++) { y[k] = x[i]; k += 1; } }"
    )
    assert loop(one_loop).kind == "parallel"
    nest = (
        "void f(int n, int m, float x[n][m], float *y) { int k = 0; "
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[k++] = x[i][j]; }"
    )
    facts = facts_of(nest)
    assert [facts.loop(label).kind for label in ("i", "j")] == ["parallel", "parallel"]
