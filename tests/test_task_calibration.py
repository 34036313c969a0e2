"""Each task proves that it can be refereed: honest roundings pass, a precision class lower fails, or that is said."""

from __future__ import annotations

import numpy as np
from scripted import ScriptedRunner, host_source, read_settled

from cudaperf_magic.bench.calibration import Calibration, calibration, task_labels
from cudaperf_magic.bench.oracle import Oracle
from cudaperf_magic.bench.reference.variants import lowered
from cudaperf_magic.bench.settle import is_degenerate
from cudaperf_magic.bench.verify import generality
from cudaperf_magic.records import Candidate

DOT = """float dot(int n, const float x[n], const float y[n]) {
    float s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }"""
COPY = "void copy(int n, const float x[n], float y[n]) { for (int i = 0; i < n; i++) y[i] = x[n - 1 - i]; }"
CHAOS = """void chaos(int n, const float x[n], float y[n]) { for (int i = 0; i < n; i++) {
    float v = 0.5f + 0.1f * sinf(x[i]); for (int k = 0; k < 200; k++) v = 3.99f * v * (1.0f - v); y[i] = v; } }"""
ZERO = "void f(int n, const float x[n], float y[n]) { for (int i = 0; i < n; i++) y[i] = x[i] * 0; }"
COUNT = "int total(int n, const int x[n]) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }"
BYTES = """void grey(int n, const unsigned char x[n], float y[n]) {
    for (int i = 0; i < n; i++) y[i] = x[i] * 0.3f + 1.7f; }"""


def tried(source: str) -> Calibration:
    _, oracle = read_settled(source)
    return calibration(oracle)


def test_an_ordinary_sum_is_refereed_at_the_usual_multiple_in_both_types() -> None:
    for source in (DOT, DOT.replace("float", "double")):
        found = tried(source)
        assert found.is_refereeable and found.multiple == 3.0 and not found.is_exact
        assert found.sees_narrow_inputs and found.note == ""


def test_integers_and_copies_need_no_calibration() -> None:
    for source in (COUNT, COPY):
        assert tried(source) == Calibration(None, is_exact=True)
        assert tried(source).is_refereeable


def test_a_chaotic_task_says_that_its_precision_cannot_be_refereed() -> None:
    found = tried(CHAOS)
    assert not found.is_refereeable and "cannot be refereed" in found.note


def test_inputs_that_are_no_floats_cannot_be_narrowed_and_are_no_weakness() -> None:
    assert tried(BYTES).sees_narrow_inputs


def test_a_trial_is_made_once_for_each_oracle(monkeypatch: object) -> None:
    _, oracle = read_settled(DOT)
    assert calibration(oracle) is calibration(oracle)
    assert calibration(Oracle(oracle.task, oracle.function)) == calibration(oracle)


def test_lower_precision_keeps_ten_bits_of_a_float_and_those_of_a_float_of_a_double() -> None:
    x = np.array([1 + 2**-10, 1 + 2**-11 + 2**-20, np.inf, np.nan, 3e38], np.float32)
    assert lowered(x)[0] == x[0] and lowered(x)[1] == np.float32(1 + 2**-10)
    assert np.isinf(lowered(x)[2]) and np.isnan(lowered(x)[3]) and np.isfinite(lowered(x)[4])
    assert lowered(np.array([0.1]))[0] == np.float64(np.float32(0.1))
    assert lowered(np.array([7], np.int32))[0] == 7


# ------------------------------------------------------------------ degenerate tasks


def test_a_task_whose_answer_is_always_zero_makes_no_speed_claim() -> None:
    task, _ = read_settled(ZERO)
    why = is_degenerate(task)
    assert why is not None and "zeros" in why and "y" in why


def test_a_task_with_one_output_that_has_to_be_computed_is_not_degenerate() -> None:
    source = """void f(int n, const float x[n], float y[n], float z[n]) {
        for (int i = 0; i < n; i++) { y[i] = 0; z[i] = x[i] + 1; } }"""
    task, _ = read_settled(source)
    assert any("the check of y is weak" in note for note in task.notes)
    assert is_degenerate(task) is None
    assert is_degenerate(read_settled(DOT)[0]) is None


def test_what_cannot_be_refereed_and_what_is_degenerate_are_labels_of_every_candidate() -> None:
    assert "unrefereeable" in {label.kind for label in task_labels(read_settled(CHAOS)[1])}
    assert [label.kind for label in task_labels(read_settled(ZERO)[1])] == ["degenerate"]
    assert task_labels(read_settled(DOT)[1]) == ()


# ------------------------------------------------------------------ generality


def test_a_kernel_that_is_right_everywhere_passes_on_every_neighbour() -> None:
    task, oracle = read_settled(COPY)
    passed, of = generality(task, Candidate(host_source(task)), ScriptedRunner(task, copied), oracle)
    assert passed == of >= 3


def test_a_kernel_for_one_shape_fails_beside_it_and_is_not_refused_for_it() -> None:
    task, oracle = read_settled(COPY)
    measured = task.cases[0].size["n"]

    def only_there(arrays: dict) -> None:
        if arrays["n"] == measured:
            copied(arrays)

    assert generality(task, Candidate(host_source(task)), ScriptedRunner(task, only_there), oracle)[0] == 0


def copied(arrays: dict) -> None:
    arrays["y"][...] = arrays["x"][::-1]
