"""Each piece of advice is tried: what it promises is what the occupancy rules give."""

from __future__ import annotations

import re

import pytest

from cudaperf_magic.bench.architectures import architecture
from cudaperf_magic.bench.occupancy import occupancy
from cudaperf_magic.bench.occupancy_advice import occupancy_report

H100, T4 = architecture("H100"), architecture("T4")


def numbers(sentence: str) -> list[int]:
    return [int(word.replace(",", "")) for word in re.findall(r"\d[\d,]*", sentence)]


def test_a_full_multiprocessor_needs_no_advice() -> None:
    found = occupancy_report(H100, 256, 32, 0)
    assert (found.ratio, found.advice) == (1.0, ())


def test_every_resource_is_listed_with_the_blocks_that_it_allows() -> None:
    found = occupancy_report(H100, 256, 40, 24 << 10)
    assert {limit.resource: limit.blocks for limit in found.limits} == {
        "block size": 8, "registers": 6, "shared memory": 9, "blocks": 32,
    }  # fmt: skip
    assert (found.limit, found.warps) == ("registers", 48)


def test_registers_that_limit_are_answered_with_the_launch_bounds_that_lift_it() -> None:
    found = occupancy_report(H100, 256, 40, 0)
    assert "with 32 registers a thread (now 40) 8 blocks fit" in found.advice[0]
    assert "__launch_bounds__(256, 8)" in found.advice[0]


def test_a_tile_that_limits_is_answered_with_the_largest_that_fits_more_blocks() -> None:
    found = occupancy_report(H100, 256, 32, 48 << 10)
    assert found.limit == "shared memory"
    size, now = numbers(found.advice[0])[:2]
    assert now == 48 << 10
    assert occupancy(H100, 256, 32, size).warps > found.warps
    assert occupancy(H100, 256, 32, size + H100.shared_unit).warps == found.warps


@pytest.mark.parametrize("threads", [32, 33, 96, 640, 768, 1000])
def test_another_block_size_is_named_with_the_occupancy_that_it_gives(threads: int) -> None:
    for arch in (H100, T4):
        found = occupancy_report(arch, threads, 32, 0)
        if found.ratio < 1:
            (advice,) = [text for text in found.advice if text.startswith("blocks of")]
            size, _, percent = numbers(advice)[:3]
            assert occupancy(arch, size, 32, 0).warps > found.warps
            assert percent == round(100 * occupancy(arch, size, 32, 0).ratio)


@pytest.mark.parametrize("registers", [24, 48, 72, 128, 168, 255])
@pytest.mark.parametrize("threads", [64, 160, 512, 1024])
@pytest.mark.parametrize("shared", [0, 5000, 40_000, 200_000])
def test_no_advice_makes_matters_worse(registers: int, threads: int, shared: int) -> None:
    found = occupancy_report(H100, threads, registers, shared)
    for advice in found.advice:
        now, then = [int(percent) for percent in re.findall(r"(\d+)%", advice)][::-1]
        assert then > now
