"""Bench on PyTorch modules: the same door as for C, with lane B behind it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.records import Candidate
from cudaperf_magic.tasks.pytorch import read_module_task

pytest.importorskip("torch")
MODULES = Path(__file__).parent / "modules"


def test_a_module_is_evaluated_and_looked_at_once_more_by_the_bench() -> None:
    task = read_module_task((MODULES / "tasks" / "linear.py").read_text(), name="linear")
    right = Candidate((MODULES / "honest" / "written_out.py").read_text())
    spoiled = "\nclass ModelNew(ModelNew):\n    def forward(self, x):\n        return super().forward(x) * 0\n"
    wrong = Candidate(right.source + spoiled)
    with Bench("simulator") as bench:
        good, bad = bench.evaluate(task, right), bench.evaluate(task, wrong)
        kept = bench.accept(task, right, good)
        assert good.ok and good.verdict is not None and kept.verdict is not None and kept.verdict.generality
        assert replace(kept, verdict=replace(kept.verdict, generality=None)) == good
        assert bad.verdict is not None and bad.verdict.status == "mismatch"
        assert not bench.accept(task, wrong, good).ok
