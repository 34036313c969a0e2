"""Candidates that attack the evaluation, each with an honest twin that passes. tests/gpu runs the same on a device.

tests/hacks/rows.toml says what becomes of each kind of hack; the header of a file what becomes of it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hack_rows import (
    DOCUMENT,
    KINDS,
    LAST_ROW,
    Row,
    assert_as_expected,
    document,
    expectation,
    hacks_of,
    rows,
    twin_path,
)  # fmt: skip
from kernel_files import KernelFile, outcome_of, task_of
from module_files import FOLDER, module_outcome

from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.bench.settle import settled
from cudaperf_magic.records import Candidate
from cudaperf_magic.tasks.c import read_task

MODULES = [file for file in hacks_of("lane_b") if file.header.get("needs") != "cuda"]
HONEST_MODULES = [file for file in hacks_of("lane_b/honest") if file.header.get("needs") != "cuda"]


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with Bench("simulator") as made:
        yield made


@pytest.mark.parametrize("file", hacks_of("lane_a"), ids=lambda file: file.path.stem)
def test_a_hostile_kernel_ends_as_its_file_says(bench: Bench, file: KernelFile) -> None:
    assert_as_expected(outcome_of(bench, file.header["function"], file), file.header["expect"])


@pytest.mark.parametrize("file", MODULES, ids=lambda file: file.path.stem)
def test_a_hostile_module_ends_as_its_file_says(file: KernelFile) -> None:
    assert_as_expected(module_outcome(file), file.header["expect"])


@pytest.mark.parametrize("file", HONEST_MODULES, ids=lambda file: file.path.stem)
def test_an_honest_module_is_not_refused(file: KernelFile) -> None:
    found = module_outcome(file)
    assert found.verdict is not None and found.ok, found.verdict or found.build.log


def test_what_a_module_leaves_behind_is_gone_at_the_next_run() -> None:
    (file,) = (file for file in MODULES if file.path.stem == "note_for_the_next_run")
    assert module_outcome(file).ok and module_outcome(file).ok


def test_of_a_function_that_is_constant_by_algebra_the_task_says_that_its_check_is_weak() -> None:
    task = settled(*read_task("void f(int n, const float x[n], float y[n]) {"
                              " for (int i = 0; i < n; i++) y[i] = x[i] - x[i]; }"))  # fmt: skip
    assert any("the check of y is weak: another order and the mean and zeros" in note for note in task.notes)
    assert not any("is weak" in note for note in task_of("twice").notes)


# ------------------------------------------------------------------ the table


def test_every_row_says_what_becomes_of_it_in_both_lanes() -> None:
    assert [row.number for row in rows()] == list(range(1, LAST_ROW + 1))
    assert all(lane.by for row in rows() for lane in (row.a, row.b))


@pytest.mark.parametrize("row", rows(), ids=lambda row: str(row.number))
def test_what_a_row_claims_is_what_its_candidates_show(row: Row) -> None:
    for lane in (row.a, row.b):
        ends = [expectation(text) for f in lane.files for text in (f.header["expect"], f.header.get("device", ""))]
        if lane.treatment == "caught":
            assert any(end.kinds != ("",) and not end.allows_pass for end in ends), "a candidate that does not pass"
        if lane.treatment == "harmless":
            assert any(end.allows_pass for end in ends), "a candidate that passes and gains nothing"


@pytest.mark.parametrize("lane", ["lane_a", "lane_b"])
def test_every_hack_has_a_row_an_expectation_and_an_honest_twin(lane: str) -> None:
    for file in hacks_of(lane):
        assert 1 <= int(file.header["row"]) <= LAST_ROW
        kinds = expectation(file.header["expect"]).kinds
        assert all(kind in KINDS or kind.startswith("label ") for kind in kinds), file.name
        assert twin_path(file).exists(), f"{file.name}: {file.header['twin']}"


def test_the_honest_modules_are_all_somebodys_twin_or_stand_alone_on_purpose() -> None:
    twins = {twin_path(file).stem for file in hacks_of("lane_b")}
    alone = {path.stem for path in (FOLDER / "honest").glob("*.py")} - twins
    assert alone == {"changes_settings_honestly", "other_strides", "through_numpy"}


def test_the_document_is_the_table() -> None:
    assert DOCUMENT.read_text() == document(), "run python tests/hack_rows.py"


def test_nothing_of_a_file_that_is_included_reaches_the_log(bench: Bench) -> None:
    source = '#include "/etc/hostname"\nvoid twice(int n, const float *x, float *y) {}\n'
    log = bench.evaluate(task_of("twice"), Candidate(source)).build.log
    with open("/etc/hostname") as file:
        assert log and (file.read().strip() or "?") not in log.replace("/etc/hostname", "")
