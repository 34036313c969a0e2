"""How much of a card a candidate takes: what its own process says, and beside it what the driver tells the parent.

The child's figure is exact, torch's own count, and a claim. The driver's is coarse, for allocators keep what they have
once taken and libraries load code of their own, and cannot be talked round; what is given back within one call it does
not see. It decides nothing but which of the two is told.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ...records import Label, Memory
from ..gpu.clocks import Reader, reader

SLACK_BYTES = 512 << 20  # code of libraries, and segments that an allocator rounds up to
MIB = 1 << 20


class Rise:
    """What one child has taken since it was watched, by the driver. None where there is no card, or it does not tell.

    By its process where the driver knows processes by the numbers that we see (not in every container); else by what
    the whole card has taken more at the end of each of its calls than at their start, when it has the card for itself.
    """

    def __init__(self, card: Reader | None, pid: int) -> None:
        self._card, self._pid = card, pid
        self._first = card.process_bytes(pid) if card is not None else None
        self.bytes: int | None = None

    @classmethod
    def watched(cls, uuid: str, pid: int) -> Rise:
        """Of the card with this UUID; "" is none."""
        return cls(reader(uuid) if uuid else None, pid)

    @contextlib.contextmanager
    def call(self) -> Iterator[None]:
        """Around one call."""
        if self._card is None:
            yield
            return
        before = self._card.used_bytes() if self._first is None else None
        yield
        if self._first is not None:
            now = self._card.process_bytes(self._pid)
            if now is not None:
                self.bytes = max(self.bytes or 0, now - self._first)
            return
        after = self._card.used_bytes()
        if before is not None and after is not None:
            self.bytes = (self.bytes or 0) + max(after - before, 0)


def memory_of(
    claimed_bytes: int | None, risen_bytes: int | None, input_bytes: int, reference_bytes: int | None
) -> tuple[Memory | None, Label | None]:
    """Peaks of candidate and reference, with the inputs of one call; and a label where two views of it do not agree.

    Args:
        claimed_bytes: the most that the child's allocator had given out, as the child says. risen_bytes: by the driver.
        reference_bytes: of the reference, measured where nothing foreign runs.

    Returns:
        None for what was not measured: on the CPU, or where the child says nothing and the driver does not either.
    """
    if reference_bytes is None or (claimed_bytes is None and risen_bytes is None):
        return None, None
    claimed, risen = max(claimed_bytes or 0, 0), risen_bytes or 0
    if claimed_bytes is not None and risen <= claimed + max(SLACK_BYTES, claimed):
        return Memory(claimed + input_bytes, reference_bytes), None
    said = "does not say what it takes" if claimed_bytes is None else f"says that it takes {claimed / MIB:,.0f} MiB"
    words = f"its process {said}, and has taken {risen / MIB:,.0f} MiB of the card by the driver, which counts"
    return Memory(max(claimed, risen) + input_bytes, reference_bytes), Label("memory_disagrees", words)
