"""What is known of a card is measured once, in children and under its lock, and kept; the device is a fake."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cudaperf_magic.bench import card
from cudaperf_magic.bench.gpu.messages import Prepare, Ready, Sampled, Settle
from cudaperf_magic.bench.measuring.samples import Sample
from cudaperf_magic.bench.sandbox import Crashed, Finished
from cudaperf_magic.errors import ToolchainError


class FakeSeat:
    """A child whose kernel takes 10 us, a little more in every second child."""

    def __init__(self, sessions: FakeSessions, number: int) -> None:
        self.sessions, self.us = sessions, 10.0 + 0.02 * (number % 2)
        self.ready = Ready("a card", "GPU-1")

    def ask(self, question: Any) -> Any:
        self.sessions.asked.append(type(question))
        if self.sessions.is_broken:
            return Crashed(why="signal 11")
        return Finished(value=(Sample(self.us, ()),) if isinstance(question, Sampled) else None)


class FakeSessions:
    def __init__(self) -> None:
        self.asked: list[type] = []
        self.seats = 0
        self.is_broken = False

    @contextlib.contextmanager
    def seat(self) -> Iterator[FakeSeat]:
        self.seats += 1
        yield FakeSeat(self, self.seats)


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeSessions]:
    fake = FakeSessions()
    monkeypatch.setenv("CUDAPERF_CACHE", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(card, "sessions_of", lambda index: fake)
    monkeypatch.setattr(card, "trusted_cubin", lambda *_: b"")
    monkeypatch.setattr(card, "WORK", {"short": (64, 1), "medium": (64, 1), "long": (64, 1)})
    _forget()
    yield fake
    _forget()


def _forget() -> None:
    for kept in (card.machine_of, card.ceilings_of, card.noise_of):
        kept.cache_clear()


def test_each_round_of_noise_has_children_and_buffers_of_its_own(sessions: FakeSessions) -> None:
    rounds = card.rounds_of(0, "sm_90", "short", 4, pairs=6)
    assert len(rounds) == 4 and all(len(ours) == len(theirs) == 6 for ours, theirs in rounds)
    assert sessions.seats == 8
    assert [sessions.asked.count(kind) for kind in (Prepare, Settle, Sampled)] == [8, 8, 4 * 2 * 6]


def test_noise_is_measured_once_and_then_read_from_the_cache(sessions: FakeSessions) -> None:
    noise = card.noise_of(0, "sm_90", "short")
    assert 0.002 < noise < 0.01  # a lasting difference of two parts in a thousand, bounded with few rounds
    asked = len(sessions.asked)
    _forget()  # as another process would begin
    assert card.noise_of(0, "sm_90", "short") == noise and len(sessions.asked) == asked


def test_a_device_that_does_not_answer_is_the_machines_trouble(sessions: FakeSessions) -> None:
    sessions.is_broken = True
    with pytest.raises(ToolchainError, match="nvidia-smi"):
        card.rounds_of(0, "sm_90", "short", 3)
