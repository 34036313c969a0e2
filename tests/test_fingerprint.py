"""Fingerprints and places: any change of a byte shows, in its place; bands stand around everything."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from cudaperf_magic.bench.gpu.fingerprint import COLUMNS, VECTOR_BYTES, fingerprint
from cudaperf_magic.bench.gpu.places import BAND_BYTES, lay_out
from cudaperf_magic.bench.plan import Allocate, Free, LaunchPlan

KEY = 0x1234_5678_9ABC_DEF0
ROW = COLUMNS * VECTOR_BYTES  # bytes of one round over the columns


@pytest.mark.parametrize("size", [1, 15, 16, 17, 4096, ROW, ROW + 5])
def test_a_changed_byte_anywhere_shows(size: int) -> None:
    data = np.random.default_rng(size).integers(0, 256, size, np.uint8)
    whole = fingerprint(data, KEY)
    for at in {0, size // 2, size - 1}:
        changed = data.copy()
        changed[at] ^= 1
        assert fingerprint(changed, KEY) != whole


def test_swapped_elements_show_within_a_vector_and_between_columns_and_rounds() -> None:
    data = np.random.default_rng(1).random(3 * ROW // 4).astype(np.float32)
    whole = fingerprint(data, KEY)
    for one, other in ((0, 1), (0, 4), (0, ROW // 4), (2, 2 * ROW // 4 + 2)):
        swapped = data.copy()
        swapped[[one, other]] = swapped[[other, one]]
        assert fingerprint(swapped, KEY) != whole


def test_a_missing_or_additional_zero_shows() -> None:
    zeros = np.zeros(100, np.uint8)
    assert len({fingerprint(zeros[:count], KEY) for count in range(34)}) == 34


def test_who_does_not_know_the_key_cannot_tell_the_fingerprint() -> None:
    data = np.arange(1000, dtype=np.int32)
    assert fingerprint(data, KEY) == fingerprint(data.copy(), KEY) != fingerprint(data, KEY + 1)


def test_fingerprints_of_many_like_arrays_do_not_meet() -> None:
    data = np.zeros(64, np.uint8)
    found = set()
    for bit in range(0, 512, 5):
        data[bit // 8] ^= 1 << bit % 8
        found.add(fingerprint(data, KEY))
    assert len(found) == 103


def test_arrays_and_workspaces_stand_apart_by_bands() -> None:
    plan = LaunchPlan((Allocate("t", 100), Allocate("u", 3 << 20)))
    layout = lay_out(plan, {"x": 1000, "y": 7, "empty": 0})
    taken = sorted([*layout.arrays.values(), *layout.workspaces], key=lambda place: place.offset)
    assert taken[0].offset >= BAND_BYTES and layout.size_bytes >= taken[-1].end + BAND_BYTES
    assert all(b.offset - a.end >= BAND_BYTES for a, b in pairwise(taken))
    assert all(place.offset % BAND_BYTES == 0 for place in taken)
    assert {band.offset for band in layout.bands} == {0, *(place.end for place in taken)}


def test_a_workspace_that_is_freed_gives_its_place_to_the_next_of_its_size() -> None:
    steps = (Allocate("t", 64), Free("t")) * 1000 + (Allocate("u", 64), Allocate("v", 64))
    first, *_, last, other = lay_out(LaunchPlan(steps), {}).workspaces
    assert first == last != other
