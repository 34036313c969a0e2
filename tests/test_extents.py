"""Extents, index arrays, roles and warnings, from the elements that a function touches."""

from __future__ import annotations

import pytest

from cudaperf_magic.compiler.analysis.affine import same
from cudaperf_magic.compiler.analysis.extents import extents, out_of_bounds, roles, subscript_uses
from cudaperf_magic.compiler.c.reader import read
from cudaperf_magic.compiler.c_printer import print_expression
from cudaperf_magic.compiler.loops import Const, Name


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for (int i = 0; i < n; i++) x[i] = 0;", "n"),
        ("for (int i = 1; i <= n; i++) x[i] = 0;", "n + 1"),
        ("for (int i = 0; i < n; i++) x[i + 2] = 0;", "n + 2"),
        ("for (int i = 1; i < n - 1; i++) x[i] = x[i - 1] + x[i + 1];", "n"),
        ("for (int i = n - 1; i >= 0; i--) x[i] = 0;", "n"),
        ("for (int i = 0; i < n; i++) x[2 * i + 1] = 0;", "n * 2"),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) x[i * m + j] = 0;", "n * m"),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) x[j * n + i] = 0;", "n * m"),
        ("for (int i = 0; i < n; i++) x[i * m] = 0;", "n * m - m + 1"),
        ("for (int i = 0; i < n; i++) if (i < n - 3) x[i + 3] = 0;", "n"),
        ("for (int i = 0; i < n; i++) x[i % 4] = 0;", "4"),
        ("int last = n - 1; for (int i = 0; i <= last; i++) x[i] = 0;", "n"),
        ("for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) x[i - j] = 0;", "n"),
        ("for (int i = 0; i < n; i++) { x[i] = 0; x[idx[i]] = 1; }", "n"),
    ],
)
def test_an_array_is_as_large_as_its_largest_subscript_needs(body: str, expected: str) -> None:
    found = extents(read(f"void f(int n, int m, const int *idx, float *x) {{ {body} }}"))
    (extent,) = found["x"]
    wanted = read(f"void f(int n, int m, int y[1]) {{ y[0] = {expected}; }}").body[0].value  # type: ignore[union-attr]
    assert same(extent, wanted), print_expression(extent)


def test_an_array_indexed_by_data_alone_has_no_known_extent() -> None:
    found = extents(
        read(
            "void f(int n, const int *idx, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = x[idx[i]]; }"
        )
    )
    assert "x" not in found
    assert found["y"] == found["idx"] == (Name("n"),)


def test_a_given_extent_is_not_inferred_again() -> None:
    function = read("void f(int n, float *x) { for (int i = 0; i < n; i++) x[i] = 0; }")
    assert extents(function, {"x": (Const("8"),)}) == {}


def test_an_extent_is_the_larger_of_two_that_cannot_be_compared() -> None:
    (extent,) = extents(
        read(
            "void f(int n, int m, float *x) { for (int i = 0; i < n; i++) x[i] = 0; for (int j = 0; j "
            "< m; j++) x[j] = 1; }"
        )
    )["x"]
    assert print_expression(extent) in ("n > m ? n : m", "m > n ? m : n")


CSR = """void f(int rows, int cols, int nnz, const int ptr[rows + 1], const int col[nnz], const float val[nnz],
               const float x[cols], float y[rows]) {
    for (int r = 0; r < rows; r++) {
        float s = 0;
        for (int k = ptr[r]; k < ptr[r + 1]; k++) s += val[k] * x[col[k]];
        y[r] = s;
    }
}"""


def test_column_indices_select_from_the_vector_and_row_pointers_ascend_to_the_entries() -> None:
    uses = subscript_uses(read(CSR))
    assert (uses["col"].indexes, uses["col"].extent, uses["col"].order) == ("x", Name("cols"), "any")
    assert (uses["ptr"].extent, uses["ptr"].order) == (Name("nnz"), "ascending")


def test_an_index_with_an_offset_leaves_room_for_it() -> None:
    uses = subscript_uses(
        read(
            "void f(int n, int b, const int key[n], int h[b]) { for (int i = 0; i < n; i++) { int k = "
            "key[i]; h[k + 1] += 1; } }"
        )
    )
    extent = uses["key"].extent
    assert extent is not None and print_expression(extent) == "b - 1"


ROLES = {
    "written everywhere": ("for (int i = 0; i < n; i++) x[i] = 0;", "out"),
    "written everywhere by two loops": ("x[0] = 1; for (int i = 1; i < n; i++) x[i] = 0;", "out"),
    "written on both sides of a condition": (
        "for (int i = 0; i < n; i++) { if (i < m) x[i] = 0; else x[i] = 1; }",
        "out",
    ),
    "written, then read back": ("for (int i = 0; i < n; i++) x[i] = 0; for (int i = 0; i < n; i++) x[i] += 1;", "out"),
    "a running sum that starts with its first element": (
        "x[0] = 1; for (int i = 1; i < n; i++) x[i] = x[i - 1] + 1;",
        "out",
    ),
    "only read": ("float s = 0; for (int i = 0; i < n; i++) s += x[i];", "in"),
    "read before it is written": ("for (int i = 0; i < n; i++) x[i] = x[i] + 1;", "inout"),
    "written in the middle only": ("for (int i = 1; i < n - 1; i++) x[i] = 0;", "inout"),
    "written at even places only": ("for (int i = 0; i < n; i += 2) x[i] = 0;", "inout"),
    "written where data says so": ("for (int i = 0; i < n; i++) if (y[i] > 0) x[i] = 0;", "inout"),
    "written on either side of data": ("for (int i = 0; i < n; i++) { if (y[i] > 0) x[i] = 0; }", "inout"),
    "written until something is found": ("for (int i = 0; i < n; i++) { if (y[i] > 0) break; x[i] = 0; }", "inout"),
    "written unless the function left": (
        "for (int i = 0; i < n; i++) if (y[i] > 0) return; for (int i = 0; i < n; i++) x[i] = 0;",
        "inout",
    ),
    "written through an index": ("for (int i = 0; i < n; i++) x[idx[i]] = 0;", "inout"),
    "written up to another size": ("for (int i = 0; i < m; i++) x[i] = 0;", "inout"),
}


@pytest.mark.parametrize("sentence", ROLES)
def test_the_role_of_an_array_that_is(sentence: str) -> None:
    body, role = ROLES[sentence]
    assert (
        roles(read(f"void f(int n, int m, const int idx[n], const float y[n], float x[n]) {{ {body} }}"))["x"] == role
    )


def test_a_flat_matrix_written_row_by_row_is_out() -> None:
    function = read(
        "void f(int n, int m, float x[n * m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; "
        "j++) x[i * m + j] = 0; }"
    )
    assert roles(function)["x"] == "out"


def test_a_struct_is_out_only_when_all_its_fields_are_written() -> None:
    source = (
        "struct P {{ float a, b; }}; void f(int n, struct P p[n]) {{ for (int i = 0; i < n; i++) "
        "{{ p[i].a = 0; {} }} }}"
    )
    assert roles(read(source.format("p[i].b = 0;")))["p"] == "out"
    assert roles(read(source.format("")))["p"] == "inout"


def test_reading_one_past_the_end_is_named_with_its_line_and_an_example() -> None:
    (warning,) = out_of_bounds(
        read("void f(int n, float x[n], float y[n]) {\n for (int i = 0; i < n; i++)\n  y[i] = x[i + 1];\n}")
    )
    assert warning[:2] == (3, "x")
    assert "x[i + 1] is outside x[n], for example with" in warning[2]


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n - 1; i++) y[i] = x[i + 1];",
        "for (int i = 0; i < n; i++) if (i + 1 < n) y[i] = x[i + 1];",
        "for (int i = 0; i < n; i++) y[i] = i > 0 ? x[i - 1] : 0;",
        "for (int i = 0; i < n; i++) y[i] = x[(i + 1) % n];",
        "for (int i = 0; i < n; i++) { int k = i - 1; if (k < 0) k = 0; y[i] = x[k]; }",
    ],
)
def test_guarded_neighbours_give_no_warning(body: str) -> None:
    assert out_of_bounds(read(f"void f(int n, float x[n], float y[n]) {{ {body} }}")) == ()
