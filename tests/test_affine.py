"""Integer expressions as polynomials: what they simplify to, and their coefficients."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_machine import Machine

from cudaperf_magic.compiler.analysis.affine import integer, linear, same, simplify
from cudaperf_magic.compiler.analysis.subscripts import delinearise
from cudaperf_magic.compiler.c.reader import read
from cudaperf_magic.compiler.c_printer import print_expression
from cudaperf_magic.compiler.loops import Assign, Binary, Cast, Const, Expr, Load, Name, Ternary, Unary


def parsed(text: str) -> Expr:
    """The C expression, over i, j, n, m."""
    statement = read(f"void f(int i, int j, int n, int m, int x[1]) {{ x[0] = {text}; }}").body[0]
    assert isinstance(statement, Assign)
    return statement.value


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ("i + 0", "i"),
        ("i * 1", "i"),
        ("-(-i)", "i"),
        ("i * 4 + i * 4", "i * 8"),
        ("i - i", "0"),
        ("2 + 3 * 4", "14"),
        ("(i + 1) - 1", "i"),
        ("i * 0 + j", "j"),
        ("n - 1 + 1", "n"),
        ("(4 * i + 8) / 4", "i + 2"),
        ("(4 * i) % 4", "0"),
        ("-7 / 2", "-3"),
        ("-7 % 3", "-1"),
        ("i / m * m + i % m", "i"),
        ("i / 8 * 8 + i % 8", "i"),
        ("1 < 2 ? i : j", "i"),
        ("i < n && 1", "i < n"),
        ("i < n || 1", "1"),
        ("i << 3", "i << 3"),
    ],
)
def test_an_expression_simplifies_to(given_: str, expected: str) -> None:
    assert print_expression(simplify(parsed(given_))) == expected


def test_a_float_sum_is_not_reassociated() -> None:
    value = Binary("+", Binary("+", Name("x"), Const("1.0f", "float")), Name("x"))
    assert simplify(value) == value


def test_the_coefficients_of_a_subscript_may_be_symbols() -> None:
    found = linear(parsed("(i + 1) * m + 3 * j - 2"), ("i", "j"))
    assert found is not None
    assert (found.coefficients["i"], found.constant_coefficient("i")) == (Name("m"), None)
    assert found.constant_coefficient("j") == 3
    assert found.constant_coefficient("n") == 0
    assert same(found.rest, parsed("m - 2"))


@pytest.mark.parametrize("text", ["i * j", "i * i", "i / 2", "i % m", "i < n"])
def test_what_is_not_linear_in_the_variables_has_no_coefficients(text: str) -> None:
    assert linear(parsed(text), ("i", "j")) is None


def test_a_cast_of_a_loop_variable_is_looked_through_and_a_cast_of_a_float_is_kept() -> None:
    found = linear(Binary("+", Cast("unsigned long", Name("i")), Cast("int", Name("t"))), ("i",))
    assert found is not None
    assert found.constant_coefficient("i") == 1
    assert found.rest == Cast("int", Name("t"))


EXPRESSIONS: st.SearchStrategy[Expr] = st.recursive(
    st.one_of(
        st.sampled_from([Name("i"), Name("j"), Name("n")]),
        st.integers(0, 9).map(lambda v: Const(str(v))),
    ),
    lambda inner: st.one_of(
        st.builds(Binary, st.sampled_from(["+", "-", "*", "/", "%", "<", "==", "&&", "||"]), inner, inner),
        st.builds(Unary, st.sampled_from(["-", "!"]), inner),
        st.builds(Ternary, inner, inner, inner),
    ),
    max_leaves=8,
)


@given(EXPRESSIONS, st.integers(-9, 9), st.integers(-9, 9), st.integers(1, 9))
@settings(max_examples=300, deadline=None)
def test_simplifying_keeps_the_value(expression: Expr, i: int, j: int, n: int) -> None:
    machine = Machine({"i": i, "j": j, "n": n}, lambda *_: 0)
    assert divides_by_zero(expression, machine) or machine.value(simplify(expression)) == machine.value(expression)


def divides_by_zero(expression: Expr, machine: Machine) -> bool:
    from cudaperf_magic.compiler.loops import walk_expression

    divisors = [e.right for e in walk_expression(expression) if isinstance(e, Binary) and e.op in "/%"]
    return any(machine.value(d) == 0 for d in divisors)


def test_integer_reads_literals_and_nothing_else() -> None:
    assert (integer(Const("0x10")), integer(Unary("-", Const("3"))), integer(Name("n"))) == (16, -3, None)
    assert integer(Const("1.0f", "float")) is None


def test_a_flat_matrix_becomes_two_dimensional_for_analysis() -> None:
    function = read(
        "void f(int n, int m, float a[n * m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; "
        "j++) a[i * m + j] = 0; }"
    )
    split = delinearise(function)
    parameter = split.parameter("a")
    assert parameter is not None and parameter.shape == (Name("n"), Name("m"))
    inner = split.body[0].body[0].body[0]  # type: ignore[union-attr]
    assert isinstance(inner, Assign) and inner.target == Load("a", (Name("i"), Name("j")))


def test_a_flat_matrix_whose_rows_may_overlap_stays_flat() -> None:
    function = read(
        "void f(int n, int m, int w, float *a) { for (int i = 0; i < n; i++) for (int j = 0; j < "
        "w; j++) a[i * m + j] = 0; }"
    )
    assert delinearise(function) == function
