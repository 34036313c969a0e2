"""The exercises of the notebook on reading a kernel: each begins with a kernel that fails, and can be solved."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from cudaperf_magic import commands, options
from cudaperf_magic.translation import Checked

ROOT = Path(__file__).parent.parent
NOTEBOOKS = ROOT / "notebooks"
SOLUTIONS = Path(__file__).parent / "exercises"
READING = NOTEBOOKS / "02-reading-a-kernel.ipynb"


@dataclass(frozen=True)
class Exercise:
    """A cell that checks a starting kernel: what it is held against, its goals, the kernel."""

    name: str
    reference: Path
    goals: tuple[str, ...]
    starter: str
    may_fail: bool


def cells() -> list[tuple[str, str, tuple[str, ...]]]:
    """(first line, the rest, tags) of each code cell."""
    found = json.loads(READING.read_text())["cells"]
    code = [cell for cell in found if cell["cell_type"] == "code" and len(cell["source"]) > 1]
    return [
        (cell["source"][0].rstrip("\n"), "".join(cell["source"][1:]), tuple(cell["metadata"].get("tags", ())))
        for cell in code
    ]


def exercises() -> dict[str, Exercise]:
    found = {}
    for line, body, tags in cells():
        if not line.startswith("%%cudaperf check"):
            continue
        request = options.parse(options.split(line.removeprefix("%%cudaperf")), "magic")
        reference = NOTEBOOKS / request.against
        # As in the notebook, where the magic's own line is line 1.
        starter = f"\n{body}"
        found[reference.stem] = Exercise(
            reference.stem, reference, tuple(request.goal), starter, "raises-exception" in tags
        )
    return found


EXERCISES = exercises()


def check(exercise: Exercise, kernel: str) -> Checked:
    return commands.check(kernel, commands.read_file(exercise.reference), device="simulator", goals=exercise.goals)


def test_each_section_has_two_kernels_to_look_at_and_an_exercise() -> None:
    kinds = [line.split()[1] for line, _, _ in cells()]
    assert kinds == ["inspect", "inspect", "check"] * 5
    assert len(EXERCISES) == 5


def test_each_exercise_has_a_solution_and_each_solution_an_exercise() -> None:
    assert {path.stem for path in SOLUTIONS.glob("*.cu")} == set(EXERCISES)
    assert {path.stem for path in (NOTEBOOKS / "exercises").glob("*.c")} == set(EXERCISES)


@pytest.mark.parametrize("name", EXERCISES)
def test_run_all_goes_on_after_an_exercise(name: str) -> None:
    assert EXERCISES[name].may_fail


@pytest.mark.slow
@pytest.mark.parametrize("name", EXERCISES)
def test_the_kernel_to_begin_with_does_not_pass_and_is_told_a_line_of_its_own(name: str) -> None:
    exercise = EXERCISES[name]
    checked = check(exercise, exercise.starter)
    assert not checked.ok
    if exercise.goals:
        assert checked.outcome.ok, "it computes the right thing, in the wrong way"
        line = next(result.found.line for result in checked.goals if not result.ok and result.found)
    else:
        assert checked.outcome.verdict is not None
        line = checked.outcome.verdict.faults[0].line
    assert line is not None and exercise.starter.splitlines()[line - 1].strip()


@pytest.mark.slow
@pytest.mark.parametrize("name", EXERCISES)
def test_the_solution_passes(name: str) -> None:
    checked = check(EXERCISES[name], (SOLUTIONS / f"{name}.cu").read_text())
    assert checked.ok, checked.report.text
