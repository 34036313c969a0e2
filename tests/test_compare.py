"""The distance to the reference: honest rounding passes, less precision does not, and NaN is no wildcard."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from cudaperf_magic.bench import compare_c
from cudaperf_magic.bench.compare import compare, outlying
from cudaperf_magic.bench.reference.run import Leaf
from cudaperf_magic.records import Tolerance

TOLERANCE = Tolerance()


def leaf(plain: NDArray, wide: NDArray | None = None, spread: NDArray | float = 0.0, *, low=None, high=None) -> Leaf:
    return Leaf(
        "y",
        "",
        plain,
        plain if wide is None else wide,
        np.broadcast_to(np.asarray(spread, float), plain.shape).copy(),
        plain if low is None else low,
        plain if high is None else high,
        np.zeros(plain.shape, bool),
        np.ones(plain.shape, bool),
    )


def test_an_exact_copy_passes_and_the_next_but_few_floats_do_not() -> None:
    values = np.linspace(1, 2, 50, dtype=np.float32)
    assert compare(leaf(values), values, TOLERANCE).ok
    wrong = values.copy()
    wrong[17] *= 1 + 1e-5
    found = compare(leaf(values), wrong, TOLERANCE)
    assert found.wrong == 17 and found.wrong_count == 1


def test_an_error_within_the_references_own_spread_passes() -> None:
    wide = np.linspace(1, 2, 50)
    assert compare(leaf(wide.astype(np.float32), wide, 1e-5), (wide + 2e-5).astype(np.float32), TOLERANCE).ok
    assert not compare(leaf(wide.astype(np.float32), wide, 1e-5), (wide + 2e-4).astype(np.float32), TOLERANCE).ok


def test_zeros_for_tiny_outputs_fail() -> None:
    tiny = np.full(20, 1e-12, np.float32)
    assert not compare(leaf(tiny), np.zeros_like(tiny), TOLERANCE).ok


def test_an_element_that_lost_half_its_digits_may_lie_anywhere_among_its_noise() -> None:
    wide = np.linspace(1, 2, 50)
    spread = np.full(50, 1e-12)
    spread[7] = 1e-4
    got = wide.copy()
    got[7] += 1e-3
    assert compare(leaf(wide, wide, spread), got, TOLERANCE).ok
    got[8] += 1e-9
    assert compare(leaf(wide, wide, spread), got, TOLERANCE).wrong == 8


def test_one_branch_that_rounding_decides_does_not_excuse_the_other_elements() -> None:
    wide = np.linspace(1, 2, 100)
    spread = np.full(100, 1e-7)
    spread[40] = 5.0
    got = wide.astype(np.float32)
    got[40] = 4.0
    assert compare(leaf(wide.astype(np.float32), wide, spread), got, TOLERANCE).ok
    got[41] += 1e-4
    assert compare(leaf(wide.astype(np.float32), wide, spread), got, TOLERANCE).wrong == 41


def test_many_small_errors_fail_in_the_mean_even_where_each_would_pass() -> None:
    wide = np.full(1000, 1.0)
    spread = np.zeros(1000)
    spread[::2] = 1e-5
    got = (wide + 2.9e-5 * (np.arange(1000) % 2 == 0) + 2e-5).astype(np.float32)
    assert not compare(leaf(wide.astype(np.float32), wide, spread), got, TOLERANCE).ok


def test_nan_is_right_only_where_the_reference_has_it() -> None:
    values = np.array([1, np.nan, np.inf, -np.inf], np.float32)
    assert compare(leaf(values), values.copy(), TOLERANCE).ok
    for place, impostor in ((0, np.nan), (1, 1.0), (2, np.nan), (2, -np.inf), (3, -3e38), (0, np.inf)):
        wrong = values.copy()
        wrong[place] = impostor
        assert compare(leaf(values), wrong, TOLERANCE).wrong == place


def test_integers_are_compared_bit_by_bit() -> None:
    values = np.array([2**62, -5, 0], np.int64)
    wrong = values.copy()
    wrong[0] += 1
    assert compare(leaf(values), wrong, TOLERANCE).wrong == 0
    large = np.array([2**64 - 1], np.uint64)
    assert not compare(leaf(large), large - 1, TOLERANCE).ok


def test_an_integer_that_rounding_decides_may_be_either_neighbour() -> None:
    values = np.array([7, 7], np.int32)
    sure = leaf(values, low=np.array([6, 7]), high=np.array([7, 7]))
    assert compare(sure, np.array([6, 7], np.int32), TOLERANCE).ok
    assert not compare(sure, np.array([7, 6], np.int32), TOLERANCE).ok
    assert not compare(sure, np.array([90, 7], np.int32), TOLERANCE).ok


def test_a_bool_that_holds_two_is_not_true() -> None:
    got = np.array([2], np.uint8).view(bool)
    assert not compare(leaf(np.array([True])), got, TOLERANCE).ok


def test_empty_outputs_are_equal() -> None:
    assert compare(leaf(np.zeros(0, np.float32)), np.zeros(0, np.float32), TOLERANCE).ok


def test_errors_are_told_relative_to_the_outputs_magnitude() -> None:
    wide = np.full(10, 1000.0)
    found = compare(leaf(wide.astype(np.float32), wide, 1e-4), (wide + 1.0).astype(np.float32), TOLERANCE)
    assert found.error.largest is not None and abs(found.error.largest - 1e-3) < 1e-6
    assert abs(found.error.reference_largest - 1e-7) < 1e-12


def test_at_the_brink_of_overflow_an_infinity_of_the_same_sign_passes_and_nowhere_else() -> None:
    values = np.array([1.0, -3e38], np.float32)
    assert compare(leaf(values), np.array([1.0, -np.inf], np.float32), TOLERANCE).ok
    assert not compare(leaf(values), np.array([1.0, np.inf], np.float32), TOLERANCE).ok
    assert not compare(leaf(values), np.array([np.inf, -3e38], np.float32), TOLERANCE).ok
    assert not compare(leaf(values), np.array([1.0, np.nan], np.float32), TOLERANCE).ok


# ------------------------------------------------------------------ the pass in C against plain NumPy


def wrong_by_numpy(leaf: Leaf, got: NDArray) -> NDArray[np.bool_]:
    """The rule for single elements, spelled out in long doubles."""
    plain, wide, spread = leaf.plain, leaf.wide.astype(np.longdouble), leaf.spread.astype(np.longdouble)
    information = np.finfo(plain.dtype)
    finite = np.isfinite(plain) & np.isfinite(leaf.wide) & np.isfinite(got)
    same = (np.isnan(plain) & np.isnan(got)) | (np.isinf(plain) & (plain == got))
    brink = (np.abs(plain) > information.max / 64) & np.isinf(got) & (np.sign(got) == np.sign(plain))
    judged = np.isfinite(plain) & np.isfinite(leaf.wide) & ~leaf.varies
    spread = np.where(judged, spread, 0)
    usual = judged & (spread <= outlying(spread.astype(np.float64)))
    typical = np.sqrt(np.mean(spread[usual] ** 2)) if usual.any() else 0
    magnitude = np.abs(wide)
    allowed = 3 * (spread + typical) + 4 * information.eps * magnitude + 4 * information.smallest_subnormal
    allowed = allowed + np.where(spread > np.sqrt(information.eps) * magnitude, 16 * spread, 0)
    far = np.abs(got.astype(np.longdouble) - wide) > allowed
    return np.where(finite, far & (got != plain), ~(same | brink)) & ~leaf.varies


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1, 15, 16, 17, 1023, 1024, 1025, 5000])
@pytest.mark.parametrize("seed", range(4))
def test_the_pass_in_c_finds_what_plain_numpy_finds(dtype: type, size: int, seed: int) -> None:
    random = np.random.default_rng([size, seed])
    wide = random.normal(size=size) * 10.0 ** random.integers(-6, 6, size)
    spread = np.abs(random.normal(size=size)) * 1e-4 * random.choice([0, 1e-3, 1, 100], size, p=[0.2, 0.4, 0.39, 0.01])
    plain = (wide + spread * random.uniform(-1, 1, size)).astype(dtype)
    got = (wide + spread * random.normal(size=size) * 4).astype(dtype)
    odd = np.array([np.nan, np.inf, -np.inf, 3e38], dtype)
    for array, share in ((plain, 0.02), (got, 0.02)):
        places = random.random(size) < share * (seed % 2)
        array[places] = random.choice(odd, int(places.sum()))
    alike = random.random(size) < 0.01
    got[alike] = plain[alike]
    varies = random.random(size) < (0.01 if seed > 1 else 0)
    held = replace(leaf(plain, wide, spread), varies=varies)
    expected = wrong_by_numpy(held, got)
    found = compare(held, got, TOLERANCE)
    if expected.any():
        assert (found.wrong, found.wrong_count) == (int(np.argmax(expected)), int(expected.sum()))
    else:
        assert found.wrong_count <= 1  # the mean may still be off


def test_slices_on_several_cores_find_what_one_pass_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    wide = random.normal(size=300_000)
    got = wide.astype(np.float32)
    got[[7, 100_000, 299_999]] += 1
    held = leaf(wide.astype(np.float32), wide, 1e-6)
    whole = compare(held, got, TOLERANCE)
    monkeypatch.setattr(compare_c, "SLICE", 4096)
    parts = compare(held, got, TOLERANCE)
    assert (parts.wrong, parts.wrong_count) == (whole.wrong, whole.wrong_count) == (7, 3)
    assert parts.error.rms == pytest.approx(whole.error.rms, rel=1e-12)
    assert parts.error.largest == whole.error.largest
