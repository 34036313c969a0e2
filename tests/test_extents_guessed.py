"""How many elements an array is taken to have, from how far a trial run reached. No kernel runs here."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cudaperf_magic.bench.inspecting.extents import REACHED, guess, room
from cudaperf_magic.bench.plan import Launch, LaunchPlan


def plan(grid: int = 4, block: int = 256) -> LaunchPlan:
    return LaunchPlan((Launch("k", (grid, 1, 1), (block, 1, 1), ()),))


@pytest.mark.parametrize(
    ("reached", "sizes", "elements", "why"),
    [
        (1000, {"n": 1000}, 1000, "n"),
        (1024, {"n": 1000}, 1000, "n"),  # no guard: every thread of the last block
        (1024, {"steps": 10}, 1024, "one for each of the 1,024 threads"),
        (1001, {"n": 1000}, 1000, "n"),  # one too far
        (998, {"n": 1000}, 1000, "n"),  # a border that nobody reads
        (4, {"n": 1000}, 4, "one for each of the 4 blocks"),
        (1, {"n": 1000}, 1, "one element"),
        (256, {}, 256, "one for each of the 256 threads of a block"),
        (1024, {}, 1024, "one for each of the 1,024 threads"),
        (7000, {"w": 100, "h": 70}, 7000, "w * h"),
        (7344, {"w": 100, "h": 70}, 7344, "(w + 2) * (h + 2)"),
        (3000, {"n": 1000}, 3000, "3 * n"),
        (250, {"n": 1000}, 250, "n / 4"),
        (66_000, {"n": 40, "m": 33, "k": 50}, 66_000, "n * m * k"),
        (5, {"n": 1000, "taps": 5}, 5, "taps"),
        (37, {"n": 1000}, 37, REACHED),
        (0, {"n": 1000}, 1000, "n"),
        (0, {}, 1, "it is not accessed"),
    ],
)
def test_the_simplest_expression_that_fits_is_taken(
    reached: int, sizes: dict[str, int], elements: int, why: str
) -> None:
    found = guess(reached, is_integer=False, sizes=sizes, plan=plan())
    assert (found.elements, found.why) == (elements, why)


def test_a_number_far_below_the_threads_of_one_block_is_no_size_of_what_they_touch() -> None:
    assert guess(256, is_integer=False, sizes={"steps": 10}, plan=plan(1)).elements == 256
    assert guess(255, is_integer=False, sizes={"steps": 10}, plan=plan(1)).elements == 255
    assert guess(256, is_integer=False, sizes={"n": 200}, plan=plan(1)).elements == 200


def test_only_an_array_of_integers_may_have_one_more_element_for_the_last_row() -> None:
    assert guess(1001, is_integer=True, sizes={"n": 1000}, plan=plan()).elements == 1001
    assert guess(1001, is_integer=False, sizes={"n": 1000}, plan=plan()).elements == 1000


@given(
    reached=st.integers(1, 100_000),
    sizes=st.dictionaries(st.sampled_from("nmk"), st.integers(1, 300), max_size=3),
    grid=st.integers(1, 40),
    block=st.integers(1, 1024),
)
def test_no_size_is_guessed_far_from_what_was_reached(
    reached: int, sizes: dict[str, int], grid: int, block: int
) -> None:
    found = guess(reached, is_integer=False, sizes=sizes, plan=plan(grid, block))
    assert found.elements <= 2 * reached
    assert reached <= max(2 * found.elements, grid * block, found.elements + 2)


@given(sizes=st.dictionaries(st.sampled_from("nmk"), st.integers(0, 1 << 26), max_size=3))
def test_the_trial_has_room_for_any_one_size(sizes: dict[str, int]) -> None:
    assert room(sizes, plan()) >= max([*sizes.values(), 1024])
