"""The C on the CPU: named in full, its results checked before its time counts, and kept for the next time."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from scripted import read_settled

from cudaperf_magic.bench.filled import Filled, filled
from cudaperf_magic.bench.measuring import baselines
from cudaperf_magic.bench.measuring.baselines import SAMPLES, compiler_name, cpu_baselines
from cudaperf_magic.bench.oracle import Oracle
from cudaperf_magic.bench.reference.fast_build import has_openmp
from cudaperf_magic.bench.reference.fast_c import fast_c
from cudaperf_magic.bench.resources import cores

DOT = """double dot(int n, const double x[n], const double y[n]) {
    double s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }"""
SCAN = "void scan(int n, float x[n]) { for (int i = 1; i < n; i++) x[i] = 0.5f * x[i - 1] + x[i]; }"
WRAPS = """int hash(int n, const int x[n]) {
    int h = 7; for (int i = 0; i < n; i++) h = h * 31 + x[i]; return h > h + 1000 ? 1 : h & 255; }"""


def prepared(source: str, megabytes: int = 4) -> tuple[Oracle, Filled]:
    _, oracle = read_settled(source)
    return oracle, filled(oracle, target_bytes=megabytes << 20, most_reference_s=0.5)


@pytest.mark.skipif(not has_openmp() or cores() < 2, reason="needs OpenMP and two cores")
def test_a_sum_has_a_time_on_one_core_and_one_on_all() -> None:
    one, several = cpu_baselines(*prepared(DOT))
    assert one.name == f"{compiler_name()} -O3 -march=native on one core"
    assert several.name == f"{compiler_name()} -O3 -march=native -fopenmp on {cores()} cores"
    assert len(one.samples_us) == len(several.samples_us) == SAMPLES
    assert one.median_us > 10


def test_the_compiler_is_named_with_its_version() -> None:
    assert re.fullmatch(r"(gcc|clang) \d+(\.\d+)+\S*", compiler_name())


def test_a_recurrence_has_a_time_on_one_core_only() -> None:
    (one,) = cpu_baselines(*prepared(SCAN))
    assert one.name.endswith("on one core")


def test_without_openmp_the_one_baseline_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "has_openmp", lambda: False)
    monkeypatch.setattr(baselines, "_key", lambda *_: "baseline-of-a-test-without-openmp")
    (one,) = cpu_baselines(*prepared(DOT))
    assert one.name.endswith("on one core, which has no OpenMP")


def test_c_that_leans_on_wrapping_integers_is_timed_as_it_computes_right() -> None:
    oracle, found = prepared(WRAPS)
    assert [one.name.split(" on ")[1] for one in cpu_baselines(oracle, found)] == ["one core"]


def test_a_program_that_computes_something_else_has_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    oracle, found = prepared(SCAN)
    wrong = SCAN.replace("0.5f", "0.51f")
    real = baselines.wrapped_source
    monkeypatch.setattr(
        baselines, "wrapped_source", lambda task, function: real(task, function).replace(task.source, wrong)
    )
    monkeypatch.setattr(baselines, "_key", lambda *_: "baseline-of-a-test-with-another-program")
    assert cpu_baselines(oracle, found) == ()


def test_times_are_kept_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    oracle, found = prepared(SCAN)
    first = cpu_baselines(oracle, found)
    monkeypatch.setattr(baselines, "_timed", lambda *_: pytest.fail("measured again"))
    assert cpu_baselines(oracle, found) == first


def test_only_in_baselines_are_sums_spread_over_cores() -> None:
    _, oracle = read_settled(DOT)
    assert "reduction(+:v_s)" in fast_c(oracle.function, {}, wide=False, combines=True)
    assert "#pragma" not in fast_c(oracle.function, {}, wide=False)


def test_a_program_that_would_take_a_minute_is_not_begun() -> None:
    oracle, found = prepared(SCAN)
    slow = replace(found, seconds=(30.0,), on_all_cores=True)
    (one_core, *_), *_ = baselines._programs(oracle)
    assert baselines._ends(found, one_core) and baselines._ends(replace(slow, on_all_cores=False), one_core)
    assert baselines._ends(slow, one_core) == (cores() == 1)
    assert not baselines._ends(replace(found, seconds=(100.0,)), one_core)
