"""Starts one of NVIDIA's command-line tools over a process of ours, and ends both when they take too long.

It knows no tool's options and reads no tool's output.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOTS = (Path("/usr/local/cuda/bin"), Path("/opt/cuda/bin"))


def find_tool(name: str) -> str | None:
    """Its path; toolkits do not put themselves on the PATH."""
    found = shutil.which(name)
    return found or next((str(root / name) for root in ROOTS if (root / name).is_file()), None)


def replay_command(path: Path) -> list[str]:
    return [sys.executable, "-m", "cudaperf_magic.bench.counters.replay", str(path)]


def output_of(command: Sequence[str], folder: str, limit_s: float) -> str:
    """What the tool and its program print, in one text; "" when it had to be ended."""
    package = str(Path(__file__).resolve().parents[3])
    path = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", cwd=folder, env={**os.environ, "PYTHONPATH": path, "TMPDIR": folder},
        start_new_session=True,  # tools start the program as their child: the whole group goes
    )  # fmt: skip
    try:
        return process.communicate(timeout=limit_s)[0]
    except subprocess.TimeoutExpired:
        return ""
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
