"""The table of GPUs: what one multiprocessor of each compute capability holds, and the cards that carry it.

It says what is there; `occupancy.py` says what fits. Figures are the makers', never measured here. Their sources:

    warps, blocks, shared memory, unified size, carve-outs   CUDA C++ Programming Guide, "Technical Specifications per
                                                             Compute Capability" and the chapter of each capability
    reserved bytes, allocation units, carve-outs again       `cuda_occupancy.h` of the CUDA toolkit (a test compares)
    sectors, lines, banks                                    Nsight Compute documentation, "Memory tables"
    multiprocessors, L2, memory, bandwidth, peak rates       the card's data sheet or NVIDIA's architecture white paper:
                                                             Turing, A100, GA102, Ada, Hopper, Blackwell, RTX Blackwell,
                                                             Jetson Orin, Jetson Thor, DGX Spark
    L2 of H200, GH200 and B200                               what the driver reports (cudaDeviceProp.l2CacheSize)

Peak rates are dense and at boost clock, in 10^12 operations a second; None where the data sheet has no such figure.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from cudaperf_magic.errors import UsageError

WARP = 32
PARTITIONS = 4  # of an SM, each with a quarter of the registers
REGISTERS = 65536  # of 32 bits an SM, on every architecture here
REGISTER_UNIT = 256  # registers are given to a warp in units of this
MOST_REGISTERS = 255  # a thread can name
SECTOR_BYTES, LINE_BYTES = 32, 128  # what L1 and L2 fetch at a time, and what one of their tags stands for
BANKS, BANK_BYTES = 32, 4  # of shared memory
_K, _M = 1 << 10, 1 << 20


@dataclass(frozen=True)
class Card:
    """One product. `l2_partitions` of 2: each half of the chip keeps its own copy of what it reads from the other's."""

    name: str
    multiprocessors: int
    l2_bytes: int
    memory: str
    memory_gb_s: float
    fp32_tflops: float | None = None
    fp64_tflops: float | None = None
    tensor_tflops: float | None = None  # fp16 with fp32 sums, dense
    l2_partitions: int = 1


@dataclass(frozen=True)
class Architecture:
    """What one multiprocessor holds, and the card that stands for the architecture when none is named.

    Args:
        unified_bytes: of L1 cache and shared memory together.
        carveouts: how many of them the driver may turn into shared memory, ascending.
        reserved_bytes: of shared memory a block, for the system.
        shared_unit: bytes; a block is given a multiple.
        fetch_bytes: what L2 reads from memory when a sector is missing (cudaLimitMaxL2FetchGranularity is the hint).
    """

    name: str
    warps: int
    blocks: int
    unified_bytes: int
    carveouts: tuple[int, ...]
    card: Card
    others: tuple[Card, ...] = field(default=(), repr=False)
    reserved_bytes: int = 1024
    shared_unit: int = 128
    fetch_bytes: int = 64

    @property
    def threads(self) -> int:
        return self.warps * WARP

    @property
    def shared_bytes(self) -> int:
        """The most shared memory that an SM can have."""
        return self.carveouts[-1]

    @property
    def most_shared(self) -> int:
        """The most shared memory that a block may opt in to."""
        return self.shared_bytes - self.reserved_bytes

    @property
    def device(self) -> str:
        return self.card.name

    @property
    def multiprocessors(self) -> int:
        return self.card.multiprocessors

    @property
    def cards(self) -> tuple[Card, ...]:
        return (self.card, *self.others)


def _kib(*sizes: int) -> tuple[int, ...]:
    return tuple(size * _K for size in sizes)


_SMALL = _kib(0, 8, 16, 32, 64, 100)
_AMPERE = _kib(0, 8, 16, 32, 64, 100, 132, 164)
_HOPPER = _kib(0, 8, 16, 32, 64, 100, 132, 164, 196, 228)

ARCHITECTURES: tuple[Architecture, ...] = (
    Architecture(
        "sm_75", 32, 16, 96 * _K, _kib(32, 64),
        Card("T4", 40, 4 * _M, "GDDR6", 320, 8.1, 0.25, 65),
        (Card("RTX 2080 Ti", 68, 5632 * _K, "GDDR6", 616, 13.4, 0.42),),
        reserved_bytes=0, shared_unit=256, fetch_bytes=32,
    ),
    Architecture(
        "sm_80", 64, 32, 192 * _K, _AMPERE,
        Card("A100", 108, 40 * _M, "HBM2", 1555, 19.5, 9.7, 312, l2_partitions=2),
        (
            Card("A100 80GB", 108, 40 * _M, "HBM2e", 2039, 19.5, 9.7, 312, l2_partitions=2),
            Card("A30", 56, 24 * _M, "HBM2", 933, 10.3, 5.2, 165, l2_partitions=2),
        ),
    ),
    Architecture(
        "sm_86", 48, 16, 128 * _K, _SMALL,
        Card("RTX 3090", 82, 6 * _M, "GDDR6X", 936, 35.6, 0.56, 71),
        (
            Card("A10", 72, 6 * _M, "GDDR6", 600, 31.2, None, 125),
            Card("A40", 84, 6 * _M, "GDDR6", 696, 37.4, None, 150),
        ),
    ),
    Architecture("sm_87", 48, 16, 192 * _K, _AMPERE, Card("Jetson Orin", 16, 4 * _M, "LPDDR5", 205, 5.3)),
    Architecture(
        "sm_89", 48, 24, 128 * _K, _SMALL,
        Card("RTX 4090", 128, 72 * _M, "GDDR6X", 1008, 82.6, 1.29, 165),
        (
            Card("L4", 58, 48 * _M, "GDDR6", 300, 30.3, 0.47, 121),
            Card("L40S", 142, 96 * _M, "GDDR6", 864, 91.6, 1.43, 362),
        ),
    ),
    Architecture(
        "sm_90", 64, 32, 256 * _K, _HOPPER,
        Card("H100", 132, 50 * _M, "HBM3", 3350, 67, 34, 989, l2_partitions=2),
        (
            Card("H100 PCIe", 114, 50 * _M, "HBM2e", 2039, 51, 26, 756, l2_partitions=2),
            Card("H200", 132, 60 * _M, "HBM3e", 4800, 67, 34, 989, l2_partitions=2),
            Card("GH200", 132, 60 * _M, "HBM3", 4000, 67, 34, 989, l2_partitions=2),
        ),
    ),
    Architecture(
        "sm_100", 64, 32, 256 * _K, _HOPPER, Card("B200", 148, 126 * _M, "HBM3e", 8000, 75, 37, 2250, l2_partitions=2)
    ),
    Architecture(
        "sm_103", 64, 32, 256 * _K, _HOPPER, Card("B300", 148, 126 * _M, "HBM3e", 8000, l2_partitions=2)
    ),
    Architecture("sm_110", 48, 24, 256 * _K, _HOPPER, Card("Jetson Thor", 20, 32 * _M, "LPDDR5X", 273, 8.1)),
    Architecture(
        "sm_120", 48, 24, 128 * _K, _SMALL,
        Card("RTX 5090", 170, 96 * _M, "GDDR7", 1792, 104.8, 1.64, 209),
        (Card("RTX PRO 6000", 188, 128 * _M, "GDDR7", 1792, 125),),
    ),
    Architecture("sm_121", 48, 24, 128 * _K, _SMALL, Card("GB10", 48, 24 * _M, "LPDDR5X", 273, 31)),
)  # fmt: skip


def architecture(name: str) -> Architecture:
    """The architecture of a target ("sm_90", "sm_90a") or of a card ("H200"), which is then its `card`.

    A target that is not known is taken for the nearest older one that is; the oldest for older ones.

    Raises:
        UsageError: no card has this name.
    """
    if name and not name.lower().startswith(("sm_", "compute_")):
        return _of_card(name)
    number = _number(name)
    older = [arch for arch in ARCHITECTURES if _number(arch.name) <= number]
    return older[-1] if older else ARCHITECTURES[0]


def _of_card(name: str) -> Architecture:
    """By the card's whole name; else by one that stands, word for word, in what a driver calls it."""
    wanted = _words(name)
    found: list[tuple[int, Architecture]] = []
    for arch in ARCHITECTURES:
        for card in arch.cards:
            words = _words(card.name)
            if set(words) <= set(wanted):
                others = tuple(c for c in arch.cards if c != card)
                found.append((len(words), replace(arch, card=card, others=others)))
    if not found:
        known = ", ".join(card.name for arch in ARCHITECTURES for card in arch.cards)
        raise UsageError(f"no GPU {name} is known; take one of {known}, or a target such as sm_90")
    return max(found, key=lambda pair: pair[0])[1]


def _words(name: str) -> list[str]:
    return name.lower().replace("-", " ").split()


def _number(name: str) -> int:
    digits = "".join(character for character in name if character.isdigit())
    return int(digits) if digits else 0
