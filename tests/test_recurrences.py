"""Sequential loops that a scan can do, and look-alikes that it cannot."""

from __future__ import annotations

import pytest

from cudaperf_magic.compiler.analysis.dependence import analyse
from cudaperf_magic.compiler.analysis.recurrences import Scan, scan_of
from cudaperf_magic.compiler.c.reader import read
from cudaperf_magic.compiler.c_printer import print_expression


def scan(
    body: str, before: str = "float s = 0;", header: str = "int i = 0; i < n; i++", after: str = ""
) -> Scan | None:
    source = f"void f(int n, float x[n], float y[n], float c[n]) {{ {before} for ({header}) {{ {body} }} {after} }}"
    facts = analyse(read(source))
    return scan_of(facts.piece.tree("i"), facts)


SCANS = {
    "an inclusive sum": ("s += x[i]; y[i] = s;", ("scan", "+", True, "x[i]")),
    "an exclusive sum": ("y[i] = s; s += x[i];", ("scan", "+", False, "x[i]")),
    "an exclusive sum in place": ("float t = x[i]; x[i] = s; s += t;", ("scan", "+", False, "x[i]")),
    "a sum of squares": ("float t = x[i]; s += t * t; y[i] = s;", ("scan", "+", True, "x[i] * x[i]")),
    "a running mean": ("s += x[i]; y[i] = s / (i + 1);", ("scan", "+", True, "x[i]")),
    "a product": ("s *= x[i]; y[i] = s;", ("scan", "*", True, "x[i]")),
    "a running maximum": ("if (x[i] > s) s = x[i]; y[i] = s;", ("scan", "max", True, "x[i]")),
    "a running minimum by choice": ("s = x[i] < s ? x[i] : s; y[i] = s;", ("scan", "min", True, "x[i]")),
    "a guarded sum": ("if (x[i] > 0) s += x[i]; y[i] = s;", ("scan", "+", True, "x[i] > 0 ? x[i] : 0")),
    "a decaying sum": ("s = 0.5f * s + x[i]; y[i] = s;", ("linear", "+", True, "x[i]")),
    "a smoothing step": ("s += 0.1f * (x[i] - s); y[i] = s;", ("linear", "+", True, None)),
    "varying coefficients": ("s = c[i] * s + x[i]; y[i] = s;", ("linear", "+", True, "x[i]")),
    "alternating signs": ("s = x[i] - s; y[i] = s;", ("linear", "+", True, "x[i]")),
}


@pytest.mark.parametrize("sentence", SCANS)
def test_a_scalar_loop_is_a_scan(sentence: str) -> None:
    body, (kind, operator, inclusive, element) = SCANS[sentence]
    found = scan(body)
    assert found is not None
    assert (found.kind, found.operator, found.inclusive, found.direction) == (kind, operator, inclusive, 1)
    assert element is None or print_expression(found.element) == element


ARRAYS = {
    "a sum along the array": ("y[i] = y[i - 1] + x[i];", ("scan", "+", "x[i]")),
    "a sum in place": ("y[i] += y[i - 1];", ("scan", "+", "y[i]")),
    "a linear recurrence": ("y[i] = c[i] * y[i - 1] + x[i];", ("linear", "+", "x[i]")),
    "an elimination": ("y[i] = (x[i] - c[i] * y[i - 1]) / x[i];", ("linear", "+", "x[i] / x[i]")),
    "a maximum": ("y[i] = y[i - 1] > x[i] ? y[i - 1] : x[i];", ("scan", "max", "x[i]")),
}


@pytest.mark.parametrize("sentence", ARRAYS)
def test_an_array_that_carries_its_own_value_is_a_scan(sentence: str) -> None:
    body, (kind, operator, element) = ARRAYS[sentence]
    found = scan(body, "", "int i = 1; i < n; i++")
    assert found is not None
    assert (found.kind, found.operator, print_expression(found.element)) == (kind, operator, element)
    assert found.initial is not None and print_expression(found.initial) in ("y[1 - 1]", "y[0]")


def test_a_scan_that_runs_down_says_so() -> None:
    found = scan("y[i] = y[i + 1] + x[i];", "", "int i = n - 2; i >= 0; i--")
    assert found is not None and found.direction == -1


def test_a_running_sum_that_is_read_afterwards_is_live() -> None:
    assert scan("s += x[i]; y[i] = s;") is not None
    found = scan("s += x[i]; y[i] = s;", after="x[0] = s;")
    assert found is not None and found.is_live


def test_keeping_what_passes_a_test_is_a_compaction() -> None:
    found = scan("if (x[i] > 0) { y[k] = x[i]; k++; }", "int k = 0;")
    assert found is not None
    assert (found.kind, found.inclusive) == ("compact", False)
    assert found.guard is not None and print_expression(found.guard) == "x[i] > 0"
    assert [print_expression(o.place) for o in found.outputs] == ["y[k]"]


NONE = {
    "no intermediate value is wanted": ("s += x[i];", "float s = 0;"),
    "the step is not linear": ("s = s * s + x[i]; y[i] = s;", "float s = 0;"),
    "the coefficient depends on the state": ("if (s > 1) s = 0; s += x[i]; y[i] = s;", "float s = 0;"),
    "two values depend on each other": ("float o = s; s = t + x[i]; t = o; y[i] = s;", "float s = 0, t = 1;"),
    "a second array needs the order too": ("s += x[i]; y[i] = s; c[i] = c[i > 0 ? i - 1 : 0] * c[i];", "float s = 0;"),
    "the loop may end early": ("s += x[i]; if (s > 9) break; y[i] = s;", "float s = 0;"),
    "the guard reads what is kept": ("if (x[i] > 0) { x[k] = x[i]; k++; }", "int k = 0;"),
    "the value before and the value after are both wanted": ("y[i] = s; s += x[i]; c[i] = s;", "float s = 0;"),
}


@pytest.mark.parametrize("sentence", NONE)
def test_a_loop_is_no_scan_when(sentence: str) -> None:
    body, before = NONE[sentence]
    assert scan(body, before) is None


def test_a_parallel_loop_is_no_scan() -> None:
    assert scan("y[i] = x[i];", "") is None
