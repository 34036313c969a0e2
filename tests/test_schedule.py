"""The text form of schedules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cudaperf_magic.compiler.schedule import Schedule, Step, parse_schedule
from cudaperf_magic.errors import UsageError

NAMES = st.from_regex(r"[a-z][a-z_0-9]{0,8}", fullmatch=True)
STEPS = st.builds(Step, NAMES, NAMES, st.lists(st.one_of(NAMES, st.integers(-9, 4096)), max_size=4).map(tuple))


@given(st.lists(STEPS, max_size=5))
def test_a_schedule_comes_back_from_its_own_text(steps: list[Step]) -> None:
    schedule = Schedule(tuple(steps))
    assert parse_schedule(str(schedule)) == schedule


def test_comments_and_blank_lines_are_passed_over() -> None:
    text = "# two moves\n\n  tile(matmul_kernel, k, 16)  # sixteen columns\n"
    assert parse_schedule(text).steps == (Step("tile", "matmul_kernel", ("k", 16)),)


@pytest.mark.parametrize("text", ["tile", "tile(", "tile()", "(a, b)", "two words(a)", "tile(a) b"])
def test_a_line_that_is_no_step_is_refused_with_its_number(text: str) -> None:
    with pytest.raises(UsageError, match="schedule line 2: "):
        parse_schedule(f"pad(k)\n{text}")
