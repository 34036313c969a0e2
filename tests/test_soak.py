"""The soak in small: every outcome as expected, memory steady, nothing left. `benchmarks/soak.py` does ten thousand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.slow
def test_hundreds_of_evaluations_good_and_bad_come_out_as_expected_and_leave_nothing() -> None:
    # So few leave memory where chance put it: growth is judged over ten thousand.
    command = [sys.executable, "benchmarks/soak.py", "--evaluations", "400", "--threads", "3", "--most-growth", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 wrong" in done.stdout
