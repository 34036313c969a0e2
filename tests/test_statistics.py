"""The ratio of paired samples, its interval and what may be claimed, on samples whose truth is known."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import exp, expm1, log
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from cudaperf_magic.bench.cache import Cache
from cudaperf_magic.bench.measuring.noise import (
    Machine,
    duration_of,
    held_noise,
    keep_noise,
    noise_of,
)
from cudaperf_magic.bench.measuring.pairing import interleave, planned_pairs
from cudaperf_magic.bench.measuring.statistics import geometric_mean, median_interval, ratio, sign_test_rank

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]

# All with median zero; a log ratio of 0.01 is one per cent.
DISTRIBUTIONS: dict[str, Draw] = {
    "normal": lambda rng, n: rng.normal(0, 0.01, n),
    "heavy tails": lambda rng, n: 0.01 * rng.standard_t(2, n),
    "late now and then": lambda rng, n: rng.normal(0, 0.01, n) + (rng.random(n) < 0.1) * rng.choice([-1, 1], n) * 0.5,
    "skewed": lambda rng, n: 0.01 * (rng.exponential(1, n) - log(2)),
    "two levels": lambda rng, n: rng.choice([-0.02, 0.02], n) + rng.normal(0, 0.001, n),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("pairs", [5, 6, 8, 10, 20, 40])
def test_the_interval_holds_its_coverage_with_few_pairs_and_heavy_tails(name: str, pairs: int) -> None:
    rng, trials = np.random.default_rng(pairs), 400
    held = 0
    for _ in range(trials):
        low, high = median_interval(DISTRIBUTIONS[name](rng, pairs), resamples=200)
        held += low <= 0 <= high
    assert held / trials > 0.95 - 3 * np.sqrt(0.95 * 0.05 / trials)


def test_drift_that_both_share_does_not_move_the_ratio_nor_widen_its_interval() -> None:
    rng = np.random.default_rng(1)
    drift = np.linspace(1.0, 1.5, 30)  # clocks that fall by a third
    candidate, baseline = (drift * base * np.exp(rng.normal(0, 0.002, 30)) for base in (10.0, 20.0))
    found = ratio(candidate, baseline)
    assert found.value == pytest.approx(2.0, rel=0.003) and found.width < 0.01


def test_a_ratio_and_its_inverse_mirror_each_other() -> None:
    rng = np.random.default_rng(2)
    ours, theirs = rng.uniform(9, 11, 21), rng.uniform(18, 22, 21)
    one, other = ratio(ours, theirs), ratio(theirs, ours)
    assert one.value * other.value == pytest.approx(1)
    assert one.low * other.high == pytest.approx(1, rel=0.01)
    assert one.is_faster(0.05) and other.is_slower(0.05) and not one.is_slower(0.0) and not other.is_faster(0.0)


def test_a_gain_within_the_machines_own_noise_is_not_claimed() -> None:
    ours, theirs = [10.0] * 20, [10.2] * 20
    assert ratio(ours, theirs).is_faster(0.01) and not ratio(ours, theirs).is_faster(0.03)


def test_one_late_sample_does_not_make_a_kernel_slower() -> None:
    assert ratio([10.0] * 19 + [1e6], [20.0] * 20).value == pytest.approx(2)


def test_the_same_samples_have_the_same_interval() -> None:
    rng = np.random.default_rng(3)
    ours, theirs = rng.uniform(9, 11, 40), rng.uniform(18, 22, 40)
    assert ratio(ours, theirs) == ratio(list(ours), list(theirs))


def test_too_few_or_unpaired_samples_make_no_ratio() -> None:
    with pytest.raises(ValueError, match="at least 5 pairs"):
        ratio([1.0] * 4, [1.0] * 4)
    with pytest.raises(ValueError, match="at least 5 pairs"):
        ratio([1.0] * 6, [1.0] * 5)


def test_the_sign_test_leaves_the_ranks_of_its_table() -> None:
    # Any table of the sign test at 5 %, two-sided: values that may fall outside on each side.
    assert [sign_test_rank(n) for n in (6, 9, 12, 15, 20, 25, 40)] == [0, 1, 2, 3, 5, 7, 13]


def test_pairs_are_taken_in_random_order_and_belong_together() -> None:
    order: list[str] = []

    def sampler(name: str, base: float) -> Callable[[], float]:
        def sample() -> float:
            order.append(name)
            return base * (1.0 + 0.5 * len(order))  # a strong drift

        return sample

    ours, theirs = interleave(sampler("a", 1.0), sampler("b", 3.0), random.Random(5), least=10, most=40, narrow=0.0)
    assert len(ours) == len(theirs) == 40
    firsts = order[::2]
    assert 10 < firsts.count("a") < 30
    assert ratio(ours, theirs).value == pytest.approx(3.0, rel=0.05)


def test_sampling_ends_when_the_interval_is_narrow() -> None:
    steady = interleave(lambda: 1.0, lambda: 2.0, random.Random(0), least=10, most=40)
    assert len(steady[0]) == 10
    rng = random.Random(1)
    shaky = interleave(lambda: rng.uniform(1, 3), lambda: 2.0, random.Random(0), least=10, most=40)
    assert len(shaky[0]) == 40


def test_slow_kernels_get_fewer_pairs_but_never_fewer_than_a_ratio_needs() -> None:
    assert planned_pairs(200, 200) == (10, 40)
    assert planned_pairs(900, 5000)[0] == 5 and planned_pairs(900, 5000)[1] == 10
    assert planned_pairs(1e6, 1e6) == (5, 5)


def _rounds(rng: np.random.Generator, count: int, bias: float) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
    """Rounds of 30 pairs of equal kernels; where buffers lie makes one of the two faster for the whole round."""
    made = []
    for _ in range(count):
        shift = exp(rng.normal(0, bias))
        ours, theirs = (10 * np.exp(rng.normal(0, 0.005, 30)) for _ in range(2))
        made.append((tuple(ours * shift), tuple(theirs)))
    return made


def test_equal_kernels_are_called_different_in_at_most_five_per_cent_of_rounds() -> None:
    rng = np.random.default_rng(4)
    claimed, trials = 0, 0
    for _ in range(60):  # as many machines, each with its own noise measured from five rounds
        noise = noise_of(_rounds(rng, 5, 0.01))
        for ours, theirs in _rounds(rng, 10, 0.01):
            found = ratio(ours, theirs, resamples=200)
            claimed += found.is_faster(noise) or found.is_slower(noise)
            trials += 1
    assert claimed / trials < 0.05


def test_noise_grows_with_what_persists_through_a_round() -> None:
    rng = np.random.default_rng(5)
    assert noise_of(_rounds(rng, 8, 0.02)) > 2 * noise_of(_rounds(rng, 8, 0.002))
    assert noise_of([((1.0,) * 30, (1.01,) * 30)] * 3) == pytest.approx(expm1(3.182 * log(1.01)))
    with pytest.raises(ValueError, match="rounds"):
        noise_of(_rounds(rng, 2, 0.01))


def test_noise_is_kept_for_its_card_driver_and_class_alone(tmp_path: Path) -> None:
    cache, machine = Cache(tmp_path), Machine("GPU-1", "580")
    assert held_noise(machine, "short", cache) is None
    kept = keep_noise(machine, "short", _rounds(np.random.default_rng(6), 5, 0.01), cache)
    assert held_noise(machine, "short", cache) == kept
    assert held_noise(Machine("GPU-1", "590"), "short", cache) is None
    assert held_noise(Machine("GPU-2", "580"), "short", cache) is None
    assert held_noise(machine, "long", cache) is None
    assert [duration_of(us) for us in (3, 100, 5000)] == ["short", "medium", "long"]


def test_the_geometric_mean_is_that_of_ratios() -> None:
    assert geometric_mean([2.0, 0.5, 1.0]) == pytest.approx(1.0)
