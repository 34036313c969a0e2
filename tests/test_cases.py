"""Inputs: deterministic, of every family, inside their ranges, and never the same on a secret seed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cudaperf_magic.errors import UsageError
from cudaperf_magic.records import Argument, Case, Task, ValueRange
from cudaperf_magic.tasks.cases import CHUNK, FAMILIES, fresh_cases, materialise, numpy_dtype
from cudaperf_magic.tasks.expressions import Unknown, parse, value_of


def task(*arguments: Argument, cases: tuple[Case, ...] = ()) -> Task:
    return Task("f", "c", "void f(void) {}", "f", arguments, cases)


def array(name: str, dtype: str, shape: tuple[str, ...] = ("n",), values: ValueRange | None = None) -> Argument:
    return Argument(name, "float", dtype, shape, "in", values, is_pointer=True)


N = Argument("n", "int", "int32")


def made(argument: Argument, family: str = "nominal", n: int = 200, seed: int = 0) -> np.ndarray:
    return materialise(task(N, argument), Case((("n", n),), family, seed))[argument.name]


def test_the_same_case_always_has_the_same_inputs() -> None:
    x = array("x", "float32")
    assert np.array_equal(made(x), made(x))
    assert not np.array_equal(made(x), made(x, seed=1))
    assert not np.array_equal(made(x), made(array("z", "float32")))


def test_inputs_stay_the_same_when_a_role_is_settled() -> None:
    first = task(N, array("x", "float32"))
    second = task(N, Argument("x", "float", "float32", ("n",), "inout", None, True))
    case = Case((("n", 9),))
    assert np.array_equal(materialise(first, case)["x"], materialise(second, case)["x"])


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_makes_finite_values_of_every_type(family: str) -> None:
    integers = (f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
    for dtype in ("float32", "float64", "bool", *integers):
        values = made(array("x", dtype), family)
        assert values.dtype == dtype and values.shape == (200,)
        assert np.isfinite(values.astype(np.float64)).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_no_family_leaves_the_range_that_was_given(family: str) -> None:
    column = made(array("col", "int32", values=ValueRange("0", "n - 1")), family)
    assert column.min() >= 0 and column.max() <= 199
    positive = made(array("x", "float32", values=ValueRange("0.1", "10")), family)
    assert positive.min() >= np.float32(0.1) and positive.max() <= 10


def test_families_differ_from_nominal_inputs() -> None:
    nominal = made(array("x", "float32"))
    assert all(not np.array_equal(nominal, made(array("x", "float32"), family)) for family in FAMILIES[1:])


def test_mixed_magnitudes_nearly_cancel() -> None:
    values = made(array("x", "float64"), "mixed magnitude", 1000)
    assert abs(values.sum()) < 1e-2 * np.abs(values).sum()
    assert np.abs(values).max() > 1e4 * np.median(np.abs(values[values != 0])) / 100


def test_integer_exact_inputs_are_small_whole_numbers() -> None:
    values = made(array("x", "float32"), "integer-exact")
    assert np.array_equal(values, np.round(values)) and np.abs(values).max() <= 4


def test_row_pointers_ascend_from_nothing_to_everything() -> None:
    limits = ValueRange("0", "nnz", "ascending", "its elements delimit rows of what k indexes")
    rows = Argument("ptr", "int", "int32", ("n + 1",), "in", limits, True)
    for family in FAMILIES:
        case = Case((("n", 40), ("nnz", 90)), family)
        values = materialise(task(N, Argument("nnz", "int", "int32"), rows), case)["ptr"]
        assert values[0] == 0 and values[-1] == 90 and (np.diff(values) >= 0).all()


def test_a_permutation_holds_every_index_once() -> None:
    values = made(array("perm", "int32", values=ValueRange("0", "n-1", "permutation")))
    assert sorted(values) == list(range(200))


def test_a_range_that_no_value_fits_is_no_input() -> None:
    with pytest.raises(Unknown):
        materialise(
            task(N, Argument("m", "int", "int32"), array("col", "int32", values=ValueRange("0", "m - 1"))),
            Case((("n", 5), ("m", 0))),
        )


def test_scalars_that_are_no_sizes_stay_away_from_zero_and_one_family_after_family() -> None:
    scalar = Argument("a", "float", "float32")
    drawn = [float(materialise(task(scalar), Case((), seed=k))["a"][0]) for k in range(50)]
    assert min(drawn) >= 0.5 and max(drawn) <= 2 and len(set(drawn)) > 40


def test_an_array_of_structs_is_laid_out_as_c_lays_it_out() -> None:
    dtype = numpy_dtype("tag:int8,x:float64,at.u:int16,at.v:float32")
    assert dtype.itemsize == 24 and dtype.fields is not None
    assert dtype.fields["x"][1] == 8 and dtype.fields["at"][1] == 16


def test_fields_of_structs_have_ranges_of_their_own() -> None:
    edge = Argument(
        "e", "edge", "to:int32,w:float32", ("n",), "in", None, True, field_values=(("to", ValueRange("0", "n-1")),)
    )
    values = made(edge)
    assert values["to"].min() >= 0 and values["to"].max() < 200 and values["w"].min() < 0


def test_fresh_cases_are_hidden_and_never_repeat() -> None:
    cases = (Case((("n", 3),)), Case((("n", 5),), "offset"))
    first, second = fresh_cases(task(N, cases=cases)), fresh_cases(task(N, cases=cases))
    assert all(case.hidden for case in first)
    assert [case.family for case in first] == ["nominal", "offset"]
    assert {case.seed for case in first}.isdisjoint(case.seed for case in second)


def test_a_size_of_zero_makes_an_empty_array() -> None:
    assert made(array("x", "float32"), n=0).shape == (0,)


@pytest.mark.parametrize(
    ("text", "value"),
    [("n*m", 35), ("(n+1)*(m-2)", 24), ("-7 / 2", -3), ("-7 % 3", -1), ("n > m ? n : m", 7), ("max(n, 6) << 1", 14)],
)
def test_expressions_are_read_as_c(text: str, value: int) -> None:
    assert value_of(text, {"n": 7, "m": 5}) == value


@given(st.integers(-1000, 1000), st.integers(-50, 50).filter(bool))
def test_division_truncates_toward_zero(a: int, b: int) -> None:
    assert value_of("a / b", {"a": a, "b": b}) == int(a / b)
    assert value_of("a % b", {"a": a, "b": b}) == a - b * int(a / b)


@pytest.mark.parametrize("text", ["", "n*", "n; m", "f(n)", "x[3]", '"n"', "n = 3", "int n", "); int x = (1"])
def test_what_is_no_expression_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(UsageError):
        parse(text)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8"])
def test_large_inputs_are_as_varied_as_small_ones_and_always_the_same(dtype: str) -> None:
    n = 3 * CHUNK + 17
    x = made(array("x", dtype), n=n)
    assert np.array_equal(x, made(array("x", dtype), n=n))
    chunks = [x[start : start + 1000] for start in range(0, 3 * CHUNK, CHUNK)]
    assert all((a != b).mean() > 0.9 for a, b in itertools.pairwise(chunks))
    small = made(array("x", dtype), n=10_000)
    assert abs(float(x.mean()) - float(small.mean())) < 0.05 * float(small.std())
    assert x.min() >= small.min() - 0.01 and x.max() <= small.max() + 0.01


def test_large_inputs_stay_inside_their_range() -> None:
    x = made(array("x", "int32", values=ValueRange("3", "n - 1")), n=CHUNK + 5)
    assert x.min() == 3 and x.max() == CHUNK + 4 and x.size == CHUNK + 5
