"""A stage for the front ends: the real loop, store and reports, with a scripted policy and bench behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cudaperf_magic import commands
from cudaperf_magic.errors import TaskError
from cudaperf_magic.fakes import BROKEN, RACY, SAXPY, WRONG, FakeBench, FakePolicy, correct
from cudaperf_magic.proposals import Proposal
from cudaperf_magic.records import Candidate, Outcome, Task

NAIVE = "// naive\n__global__ void k() {}\nvoid saxpy() { k<<<1, 1>>>(); }\n"
BETTER = NAIVE.replace("// naive", "// vectorised <b>&amp;</b>\n#define LANES 4")
OUTCOMES: dict[str, Outcome | BaseException] = {
    "broken": BROKEN,
    "wrong": WRONG,
    "racy": RACY,
    NAIVE: correct(coalescing=0.25, occupancy=0.5),
    BETTER: correct(coalescing=1.0, occupancy=0.75),
}
GOOD: tuple[str, ...] = ("broken", "wrong", NAIVE, BETTER)


class StagedBench(FakeBench):
    """A bench that remembers whether it was closed."""

    device = "simulator"

    def __init__(self, outcomes: Mapping[str, Outcome | BaseException]) -> None:
        super().__init__({source.strip(): outcome for source, outcome in outcomes.items()})
        self.is_closed = False

    def evaluate(self, task: Task, candidate: Candidate) -> Outcome:
        return super().evaluate(task, replace(candidate, source=candidate.source.strip()))

    def close(self) -> None:
        self.is_closed = True


class Stage:
    """What the front ends find behind `commands`. `script` is what the policy proposes, turn by turn."""

    def __init__(self) -> None:
        self.script: Sequence[str | tuple[str, ...] | Proposal] = GOOD
        self.outcomes = dict(OUTCOMES)
        self.benches: list[StagedBench] = []
        self.asked: dict[str, Any] = {}

    def read(self, source: str, **settings: Any) -> Task:
        self.asked = {"source": source, **settings}
        if "saxpy" not in source:
            raise TaskError("nothing here is saxpy", 2)
        return replace(SAXPY, source=source)

    def open_bench(self, device: str) -> StagedBench:
        self.asked["device"] = device
        self.benches.append(StagedBench(self.outcomes))
        return self.benches[-1]

    def open_policy(self, name: str, task: Task, **_: Any) -> FakePolicy:
        return FakePolicy(self.script)


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Iterator[Stage]:
    made = Stage()
    monkeypatch.setenv("CUDAPERF_STORE", str(tmp_path / "episodes.db"))
    for name in ("read", "open_bench", "open_policy"):
        monkeypatch.setattr(commands, name, getattr(made, name))
    yield made
    assert all(bench.is_closed for bench in made.benches), "a bench was left open"


@contextmanager
def shell_with_magic(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An IPython shell, the one that display() writes to, with the extension loaded; its profile is in `folder`."""
    from IPython.core.interactiveshell import InteractiveShell

    monkeypatch.setenv("IPYTHONDIR", str(folder / "ipython"))
    made = InteractiveShell.instance()
    made.history_manager.enabled = False
    made.run_line_magic("load_ext", "cudaperf_magic")
    yield made
    made.run_line_magic("unload_ext", "cudaperf_magic")
    made.history_manager.end_session()
    InteractiveShell.clear_instance()
