"""The table of GPUs: how one is named, and that its rows hold together."""

from __future__ import annotations

import pytest

from cudaperf_magic.bench.architectures import ARCHITECTURES, LINE_BYTES, SECTOR_BYTES, Architecture, architecture
from cudaperf_magic.errors import UsageError


def test_an_unknown_target_is_taken_for_the_nearest_older_one() -> None:
    named = {"sm_90a": "sm_90", "compute_90": "sm_90", "sm_121": "sm_121", "sm_122": "sm_121", "sm_88": "sm_87",
             "sm_200": "sm_121", "sm_60": "sm_75", "": "sm_75"}  # fmt: skip
    assert {name: architecture(name).name for name in named} == named


@pytest.mark.parametrize(
    ("name", "target", "card"),
    [
        ("H200", "sm_90", "H200"),
        ("h100 pcie", "sm_90", "H100 PCIe"),
        ("NVIDIA H100 80GB HBM3", "sm_90", "H100"),
        ("NVIDIA A100-SXM4-80GB", "sm_80", "A100 80GB"),
        ("NVIDIA GeForce RTX 4090", "sm_89", "RTX 4090"),
        ("Tesla T4", "sm_75", "T4"),
    ],
)
def test_a_card_is_found_by_its_name_and_by_what_a_driver_calls_it(name: str, target: str, card: str) -> None:
    found = architecture(name)
    assert (found.name, found.device) == (target, card)


def test_a_card_brings_its_own_multiprocessors_and_cache() -> None:
    own, usual = architecture("H100 PCIe"), architecture("sm_90")
    assert own.multiprocessors == 114 and usual.multiprocessors == 132
    assert own.warps == usual.warps and own.card in usual.others and usual.card in own.others


def test_a_card_that_nobody_knows_is_named_with_those_that_are_known() -> None:
    with pytest.raises(UsageError, match=r"no GPU Voodoo2 is known; take one of T4, .*H200"):
        architecture("Voodoo2")


@pytest.mark.parametrize("arch", ARCHITECTURES, ids=lambda arch: arch.name)
def test_every_row_leaves_some_of_the_unified_memory_to_the_cache(arch: Architecture) -> None:
    assert list(arch.carveouts) == sorted(set(arch.carveouts))
    assert arch.shared_bytes < arch.unified_bytes
    assert arch.most_shared >= 48 * 1024
    assert arch.fetch_bytes % SECTOR_BYTES == 0 and LINE_BYTES % arch.fetch_bytes == 0


def test_targets_stand_in_ascending_order_and_no_card_stands_twice() -> None:
    numbers = [int(arch.name.removeprefix("sm_")) for arch in ARCHITECTURES]
    cards = [card.name for arch in ARCHITECTURES for card in arch.cards]
    assert numbers == sorted(numbers) and len(cards) == len(set(cards))
