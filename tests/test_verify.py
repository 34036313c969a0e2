"""What verification lets pass and what it catches: each cheat with its honest twin."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scripted import Arrays, ScriptedRunner, host_source, judged, read_settled

from cudaperf_magic.bench.runners import Request, RunResult
from cudaperf_magic.bench.verify import verify
from cudaperf_magic.records import Candidate, Fault

SAXPY = """void saxpy(int n, float a, const float x[n], float y[n]) {
    for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}"""
SCALE = "void scale(int n, float a, const float x[n], float y[n]) { for (int i = 0; i < n; i++) y[i] = a * x[i]; }"
DOT = """float dot(int n, const float x[n], const float y[n]) {
    float s = 0;
    for (int i = 0; i < n; i++) s += x[i] * y[i];
    return s;
}"""
MATMUL = """void matmul(int n, int m, int k, const float A[n][k], const float B[k][m], float C[n][m]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float s = 0;
            for (int p = 0; p < k; p++) s += A[i][p] * B[p][j];
            C[i][j] = s;
        }
}"""
VARIANCE = """float variance(int n, const float x[n]) {
    float mean = 0, v = 0;
    for (int i = 0; i < n; i++) mean += x[i];
    mean /= n;
    for (int i = 0; i < n; i++) v += (x[i] - mean) * (x[i] - mean);
    return v / n;
}"""


def half(values: np.ndarray) -> np.ndarray:
    return values.astype(np.float16).astype(np.float32)


def tf32(values: np.ndarray) -> np.ndarray:
    """Ten bits of mantissa, rounded to nearest."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x1000) & np.uint32(0xFFFFE000)).view(np.float32)


def tree_sum(values: np.ndarray) -> np.float32:
    values = values.astype(np.float32)
    while values.size > 1:
        middle = values.size // 2
        rest = values[2 * middle :]
        values = np.concatenate([values[:middle] + values[middle : 2 * middle], rest])
    return values[0] if values.size else np.float32(0)


# ------------------------------------------------------------------ honest programs


def test_an_honest_kernel_passes_on_every_case() -> None:
    def program(a: Arrays) -> None:
        a["y"][...] = np.float32(a["a"]) * a["x"] + a["y"]

    verdict = judged(SAXPY, program)
    assert verdict.ok, verdict.reason
    assert verdict.cases_passed == verdict.cases_total > 15 and verdict.is_deterministic
    assert [error.name for error in verdict.errors] == ["y"]


def test_a_fused_multiply_add_passes() -> None:
    def program(a: Arrays) -> None:
        a["y"][...] = (np.float64(np.float32(a["a"])) * a["x"] + a["y"]).astype(np.float32)

    assert judged(SAXPY, program).ok


@pytest.mark.parametrize("order", ["tree", "reversed", "split", "pairwise", "exact"])
def test_a_sum_in_another_order_passes(order: str) -> None:
    def program(a: Arrays) -> None:
        products = a["x"] * a["y"]
        total = {
            "tree": lambda: tree_sum(products),
            "reversed": lambda: np.add.accumulate(products[::-1], dtype=np.float32)[-1:].sum(),
            "split": lambda: sum((part.sum(dtype=np.float32) for part in np.array_split(products, 7)), np.float32(0)),
            "pairwise": lambda: products.sum(dtype=np.float32),
            "exact": lambda: np.float32(np.sum(a["x"].astype(np.float64) * a["y"])),
        }[order]()
        a["result"][...] = total

    verdict = judged(DOT, program)
    assert verdict.ok, verdict.reason


def test_a_split_k_product_passes() -> None:
    def program(a: Arrays) -> None:
        parts = zip(np.array_split(a["A"], 4, axis=1), np.array_split(a["B"], 4, axis=0), strict=True)
        a["C"][...] = sum((left @ right for left, right in parts), np.zeros_like(a["C"]))

    verdict = judged(MATMUL, program)
    assert verdict.ok, verdict.reason


def test_order_that_changes_the_last_bits_is_labelled_not_refused() -> None:
    def program(a: Arrays) -> None:
        products = a["x"] * a["y"]
        run = products if a["order"] == "forward" else products[::-1]
        a["result"][...] = np.add.accumulate(run, dtype=np.float32)[-1] if run.size else 0

    verdict = judged(DOT, program)
    assert verdict.ok and verdict.is_deterministic is False


def test_threads_that_race_to_write_the_same_value_pass() -> None:
    source = """int any_negative(int n, const float x[n]) {
        int found = 0;
        for (int i = 0; i < n; i++) if (x[i] < 0) found = 1;
        return found;
    }"""

    def program(a: Arrays) -> list[Fault]:
        a["result"][...] = (a["x"] < 0).any()
        return [Fault("global_race", "two threads write found[0]; both write the same value", line=4)]

    assert judged(source, program).ok


# ------------------------------------------------------------------ wrong answers that must not pass


def test_a_kernel_that_writes_nothing_is_named_unwritten() -> None:
    verdict = judged(SCALE, lambda a: None)
    assert verdict.status == "fault" and verdict.faults[0].kind == "unwritten"
    assert "y[0] is never written" in verdict.reason


def test_a_tail_that_is_not_written_is_named_with_its_first_element() -> None:
    def program(a: Arrays) -> None:
        whole = a["n"] // 32 * 32
        a["y"][:whole] = np.float32(a["a"]) * a["x"][:whole]

    verdict = judged(SCALE, program)
    assert "y[0] is never written" in verdict.reason or "y[32] is never written" in verdict.reason


def test_zeros_do_not_pass_for_tiny_outputs() -> None:
    source = "void f(int n, const float x[n], float y[n]) { for (int i = 0; i < n; i++) y[i] = x[i] * 1e-20f; }"

    def program(a: Arrays) -> None:
        a["y"][...] = 0

    assert judged(source, program).status == "mismatch"


def test_a_rectifier_that_only_copies_is_caught_by_signs() -> None:
    source = SCALE.replace("a * x[i]", "x[i] > 0 ? x[i] : 0")

    def program(a: Arrays) -> None:
        a["y"][...] = a["x"]

    assert judged(source, program).status == "mismatch"


def test_a_parameter_that_is_ignored_is_missed() -> None:
    def program(a: Arrays) -> None:
        a["y"][...] = a["x"] + a["y"]

    assert judged(SAXPY, program).status == "mismatch"


def test_a_kernel_for_one_size_only_is_caught_by_the_others() -> None:
    def program(a: Arrays) -> None:
        if a["n"] == 31:
            a["y"][...] = np.float32(a["a"]) * a["x"] + a["y"]

    assert judged(SAXPY, program).status == "mismatch"


@pytest.mark.parametrize("lower", [half, tf32], ids=["half", "tf32"])
def test_a_product_in_lower_precision_is_caught(lower: Callable[[np.ndarray], np.ndarray]) -> None:
    def program(a: Arrays) -> None:
        a["C"][...] = (lower(a["A"]).astype(np.float64) @ lower(a["B"])).astype(np.float32)

    assert judged(MATMUL, program).status == "mismatch"


def test_double_computed_in_float_is_caught() -> None:
    source = DOT.replace("float", "double")

    def program(a: Arrays) -> None:
        a["result"][...] = np.dot(a["x"].astype(np.float32), a["y"].astype(np.float32))

    def honest(a: Arrays) -> None:
        a["result"][...] = (a["x"] * a["y"]).sum()

    assert judged(source, program).status == "mismatch"
    assert judged(source, honest).ok


def test_a_variance_that_subtracts_large_squares_is_caught_and_a_shifted_one_passes() -> None:
    def unstable(a: Arrays) -> None:
        x = a["x"]
        mean, square = x.mean(dtype=np.float32), (x * x).mean(dtype=np.float32)
        a["result"][...] = square - mean * mean

    def shifted(a: Arrays) -> None:
        x = a["x"] - a["x"][:1].sum()
        mean = x.mean(dtype=np.float64)
        a["result"][...] = (x.astype(np.float64) ** 2).mean() - mean * mean

    assert judged(VARIANCE, unstable).status == "mismatch"
    assert judged(VARIANCE, shifted).ok


def test_nan_everywhere_is_not_equal_to_anything() -> None:
    def program(a: Arrays) -> None:
        a["y"][...] = np.nan

    assert judged(SAXPY, program).status == "mismatch"


def test_a_kernel_that_zeroes_its_inputs_is_caught() -> None:
    def program(a: Arrays) -> None:
        a["y"][...] = np.float32(a["a"]) * a["x"] + a["y"]
        a["x"][...] = 0

    verdict = judged(SAXPY, program)
    assert verdict.faults[0].kind == "input_changed" and "x is an input" in verdict.reason


def test_one_byte_past_a_buffer_breaks_its_guard() -> None:
    def program(a: Arrays) -> None:
        a["y"][...] = np.float32(a["a"]) * a["x"] + a["y"]
        a["whole"]["y"][-256] ^= 1

    verdict = judged(SAXPY, program)
    assert verdict.faults[0].kind == "guard" and "outside y" in verdict.reason


def test_an_output_that_takes_what_lay_in_memory_is_caught_by_the_second_poison() -> None:
    def program(a: Arrays) -> None:
        a["y"][...] = np.where(np.isfinite(a["y"]), a["y"] * 0 + np.float32(a["a"]) * a["x"], 0)

    assert not judged(SCALE, program).ok


def test_the_wrong_axis_is_caught_on_shapes_that_are_not_square() -> None:
    source = """void rows(int n, int m, const int A[n][m], int s[n]) {
        for (int i = 0; i < n; i++) { s[i] = 0; for (int j = 0; j < m; j++) s[i] += A[i][j]; }
    }"""

    def program(a: Arrays) -> None:
        a["s"][...] = np.resize(a["A"].sum(axis=0), a["s"].shape) if a["A"].size else 0

    def honest(a: Arrays) -> None:
        a["s"][...] = a["A"].sum(axis=1)

    assert judged(source, program).status == "mismatch"
    assert judged(source, honest).ok


def test_an_arg_max_that_takes_the_last_of_equals_is_caught_by_ties() -> None:
    source = """int argmax(int n, const float x[n]) {
        int best = 0;
        for (int i = 1; i < n; i++) if (x[i] > x[best]) best = i;
        return best;
    }"""

    def last(a: Arrays) -> None:
        a["result"][...] = a["n"] - 1 - np.argmax(a["x"][::-1]) if a["n"] else 0

    def first(a: Arrays) -> None:
        a["result"][...] = np.argmax(a["x"]) if a["n"] else 0

    assert judged(source, last).status == "mismatch"
    assert judged(source, first).ok


def test_integers_that_wrap_around_must_wrap_around_alike() -> None:
    source = "void h(int n, const unsigned x[n], unsigned y[n]) {\n"
    source += "    for (int i = 0; i < n; i++) y[i] = x[i] * 2654435761u; }"

    def saturating(a: Arrays) -> None:
        a["y"][...] = np.minimum(a["x"].astype(np.uint64) * np.uint64(2654435761), 2**32 - 1)

    def wrapping(a: Arrays) -> None:
        a["y"][...] = a["x"] * np.uint32(2654435761)

    assert judged(source, saturating).status == "mismatch"
    assert judged(source, wrapping).ok


# ------------------------------------------------------------------ what a verdict says


def test_a_mismatch_names_the_element_both_values_and_the_case() -> None:
    def program(a: Arrays) -> None:
        a["C"][...] = a["A"] @ a["B"]
        if a["C"].shape[0] > 3 and a["C"].shape[1] > 17:
            a["C"][3, 17] = 0.25

    verdict = judged(MATMUL, program)
    assert verdict.status == "mismatch" and verdict.failing_case is not None
    assert verdict.reason.startswith("C[3][17] is 0.25, expected ")
    assert "n=31, m=33, k=17, nominal inputs" in verdict.reason


def test_a_race_is_named_before_the_wrong_value_that_it_causes() -> None:
    def program(a: Arrays) -> list[Fault]:
        a["y"][...] = 0
        stray = Fault("uninitialised", "reads s[0] before it is written", line=9)
        return [stray, Fault("shared_race", "threads 0 and 1 both use s[0] with no barrier between", line=7)]

    verdict = judged(SAXPY, program)
    assert verdict.status == "fault" and verdict.faults[0].kind == "shared_race"
    assert verdict.reason.startswith("line 7: threads 0 and 1")


def test_a_host_function_that_cannot_be_read_is_a_verdict_with_its_line() -> None:
    task, oracle = read_settled(SAXPY)
    source = "void saxpy(int n, float a, const float *x, float *y) {\n    y[0] = x[0];\n}\n"
    verdict = verify(task, Candidate(source), ScriptedRunner(task, lambda a: None), oracle)
    assert verdict.status == "crash" and verdict.faults[0].kind == "launch" and "line 2" in verdict.reason


def test_a_hang_is_a_verdict_not_an_exception() -> None:
    class Hanging(ScriptedRunner):
        def run(self, requests: list[Request]) -> list[RunResult]:
            return [RunResult({}, (), "timeout", "it had not ended after 10 seconds") for _ in requests]

    task, oracle = read_settled(SAXPY)
    verdict = verify(task, Candidate(host_source(task)), Hanging(task, lambda a: None), oracle)
    assert verdict.status == "timeout" and "10 seconds" in verdict.reason


def test_of_a_secret_case_neither_family_nor_seed_is_told() -> None:
    task, oracle = read_settled(SAXPY)
    seen: set[bytes] = set()
    known = {oracle.run(case).inputs["x"].tobytes() for case in task.cases}

    def program(a: Arrays) -> None:
        if a["x"].tobytes() in known:  # answers right wherever it has seen the inputs before
            a["y"][...] = np.float32(a["a"]) * a["x"] + a["y"]
        seen.add(a["x"].tobytes())

    verdict = verify(task, Candidate(host_source(task)), ScriptedRunner(task, program), oracle)
    assert verdict.status == "mismatch" and seen - known
    assert "secret" in verdict.reason and "nominal" not in verdict.reason


def test_the_arrays_of_the_oracle_are_never_handed_over() -> None:
    task, oracle = read_settled(SAXPY)
    before = {case: oracle.run(case).inputs["y"].copy() for case in task.cases}

    def program(a: Arrays) -> None:
        a["x"][...] = a["y"][...] = 7

    verify(task, Candidate(host_source(task)), ScriptedRunner(task, program), oracle)
    assert all(np.array_equal(before[case], oracle.run(case).inputs["y"]) for case in task.cases)


def test_a_candidate_that_is_plainly_wrong_is_answered_after_the_first_cases() -> None:
    task, oracle = read_settled(SAXPY)
    runner = ScriptedRunner(task, lambda a: None)
    verify(task, Candidate(host_source(task)), runner, oracle)
    assert runner.runs <= 2 * 3


def test_every_case_runs_in_two_thread_orders_with_two_poisons() -> None:
    task, oracle = read_settled(SCALE)
    met: dict[bytes, set[bytes]] = {}
    orders = set()

    def program(a: Arrays) -> None:
        met.setdefault(a["x"].tobytes(), set()).add(a["y"].tobytes())
        orders.add(a["order"])
        a["y"][...] = np.float32(a["a"]) * a["x"]

    assert verify(task, Candidate(host_source(task)), ScriptedRunner(task, program), oracle).ok
    assert orders == {"forward", "reverse"}
    assert all(len(poisons) == 2 for inputs, poisons in met.items() if inputs)
