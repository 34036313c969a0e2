"""What a policy may not know is in no reflection: hidden families, seeds, values, tolerances, this machine's paths."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hack_rows import hacks_of
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_files import TESTS
from module_files import module_outcome

import cudaperf_magic
from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.bench.settle import settled
from cudaperf_magic.bench.words import value_text
from cudaperf_magic.fakes import SAXPY
from cudaperf_magic.records import (
    Build,
    Candidate,
    Case,
    Episode,
    Fault,
    Outcome,
    OutputError,
    Task,
    Turn,
    Verdict,
    WrongElement,
)
from cudaperf_magic.reflection import MOST_CHARACTERS, reflect
from cudaperf_magic.rewards import score
from cudaperf_magic.tasks.c import read_task
from cudaperf_magic.tasks.cases import FAMILIES, materialise

REMEMBERS = TESTS / "kernels" / "secrets" / "remembers.cu"
WAYS = range(16)
HERE = (str(Path(cudaperf_magic.__file__).parent), str(Path.home()), sys.prefix, "/tmp/", "site-packages")
LEAST_TELLING = 5  # digits from which on a number is none that stands there by chance


@pytest.fixture(scope="module")
def task() -> Task:
    return settled(*read_task((TESTS / "honest" / "twice.c").read_text(), sizes={"n": "200"}))


@pytest.fixture(scope="module")
def outcome_of(task: Task):
    """Way to fail -> the kernel and its outcome, evaluated once."""
    with Bench("simulator") as bench:

        @cache
        def evaluated(way: int) -> tuple[Candidate, Outcome]:
            candidate = remembering(task, way)
            return candidate, bench.evaluate(task, candidate)

        yield evaluated


def remembering(task: Task, way: int) -> Candidate:
    """A kernel that is right on every case that is shown."""
    prints = {print_of(materialise(task, case)["x"]) for case in task.cases}
    lines = f"#define WAY {way}\n#define KNOWN {', '.join(f'{each}u' for each in sorted(prints))}\n"
    return Candidate(lines + REMEMBERS.read_text(), intention=f"way {way}")


def print_of(values: np.ndarray) -> int:
    found = 2166136261
    for bits in np.ascontiguousarray(values[:8], np.float32).view(np.uint32):
        found = ((found ^ int(bits)) * 16777619) & 0xFFFFFFFF
    return found


def numbers(values: np.ndarray) -> set[str]:
    """How the values may stand in a text; short ones stand for anything."""
    bits = np.ascontiguousarray(values, np.float32).view(np.int32)
    made = {text for value in values for text in (value_text(value), f"{value:f}", f"{value:g}")} | set(map(str, bits))
    return {text.lstrip("-") for text in made if len(text.lstrip("-")) >= LEAST_TELLING}


@pytest.mark.parametrize("way", WAYS)
def test_a_kernel_that_fails_on_hidden_cases_only_learns_nothing_of_their_inputs(
    task: Task, outcome_of, way: int
) -> None:
    candidate, outcome = outcome_of(way)
    assert outcome.verdict is not None, outcome.build.log
    case = outcome.verdict.failing_case
    assert not outcome.ok and case is not None and case.hidden, outcome.verdict
    words = reflect(outcome, score(outcome), Episode(task, seed=case.seed), candidate)
    assert f"n={case.size['n']}" in words, "sizes may be told"
    inputs = materialise(task, case)["x"]
    secrets = {str(case.seed), f"{case.family} inputs", *numbers(inputs), *numbers(2 * inputs), *HERE}
    errors = {str(error.rms) for error in outcome.verdict.errors}
    secrets |= {error for error in errors if len(error) >= LEAST_TELLING}
    assert not [secret for secret in secrets if secret in words], words


def test_every_way_to_fail_is_another_kind_of_failure(outcome_of) -> None:
    found = [outcome_of(way)[1].verdict for way in WAYS]
    assert {verdict.status for verdict in found if verdict} == {"mismatch", "fault", "crash", "timeout"}
    kinds = {fault.kind for verdict in found if verdict for fault in verdict.faults}
    assert kinds >= {"out_of_bounds", "unwritten", "trap", "limit", "input_changed", "shared_race"}


VALUES = st.floats(0.001, 1e6).map(lambda value: f"{value:.9g}").filter(lambda text: len(text) > 5)
PATHS = st.sampled_from([*HERE[:3], "/usr/lib/python3/dist-packages"]).map(lambda folder: f"{folder}/cudaperf/judge.py")


@given(
    st.sampled_from(FAMILIES),
    st.integers(2**40, 2**62),
    VALUES,
    VALUES,
    st.floats(1e-9, 1e-3),
    st.sampled_from(["mismatch", "fault", "crash", "timeout", "cheat", "unrefereeable"]),
    PATHS,
)
@settings(deadline=None)
def test_no_made_up_failure_tells_a_secret(
    family: str, seed: int, got: str, expected: str, rms: float, status: str, path: str
) -> None:
    hidden = Case((("n", 31),), family, seed, hidden=True)
    reason = f"y[3] is {got}, expected {expected}; 4 of 31 elements are wrong ({hidden}), seed {seed}, in {path}"
    fault = Fault("trap", f"y[3] is {got}, the reference has {expected} on {family} inputs", remedy=f"see {path}")
    verdict = Verdict(
        status,  # type: ignore[arg-type]
        reason,
        hidden,
        (OutputError("y", rms, rms, rms / 3, rms / 2),),
        (fault,),
        7,
        9,
        wrong=WrongElement("y[3]", got, expected, 4, 31),
    )
    outcome = Outcome(Build(True), verdict)
    task = replace(SAXPY, cases=(*SAXPY.cases, hidden))
    turn = Turn(Candidate("a"), outcome, score(outcome), "")
    words = reflect(outcome, score(outcome), Episode(task, (turn, turn), seed=seed), Candidate("b"))
    assert "y[3]" in words and "n=31" in words and len(words) <= MOST_CHARACTERS
    for secret in (f"{family} inputs", str(seed), got, expected, f"{rms:.3g}", f"{rms}", path.rpartition("/")[0]):
        assert secret not in words


def test_paths_of_this_machine_are_no_part_of_a_compilers_words_and_those_of_the_program_are() -> None:
    log = f'line 2: FileNotFoundError: {HERE[0]}/bench/secret.cu\nkernel.cu(1): error: cannot include "/etc/passwd"'
    outcome = Outcome(Build(False, log))
    words = reflect(outcome, score(outcome), None, Candidate('#include "/etc/passwd"\nint x;'))
    assert "secret.cu" in words and HERE[0] not in words and '"/etc/passwd"' in words


def test_a_family_that_is_shown_is_told() -> None:
    case = Case((("n", 33),), "negated", 5)
    wrong = WrongElement("y[1]", "1.0", "-1.0", 16, 33)
    reason = f"y[1] is 1.0, expected -1.0 ({case})"
    outcome = Outcome(Build(True), Verdict("mismatch", reason, case, cases_passed=9, cases_total=30, wrong=wrong))
    words = reflect(outcome, score(outcome))
    assert "negated inputs" in words and "signs turned" in words and "expected -1.0" in words


def test_the_inputs_of_a_module_that_fails_on_a_secret_family_stay_secret() -> None:
    file = next(file for file in hacks_of("lane_b") if file.path.stem == "squares_less_square")
    outcome = module_outcome(file)  # which loses digits far from zero, and nowhere else
    assert outcome.verdict is not None and outcome.verdict.failing_case is not None
    assert outcome.verdict.failing_case.hidden and outcome.verdict.wrong is not None
    assert not outcome.verdict.wrong.got and not outcome.verdict.wrong.expected
    words = reflect(outcome, score(outcome), Episode(SAXPY), Candidate(file.source))
    assert "the output[" in words and "kept secret" in words
    assert f"{outcome.verdict.failing_case.family} inputs" not in words and ", the reference has" not in words
