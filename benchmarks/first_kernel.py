"""Seconds from running a small cell to its first verified kernel, and to its last turn: cold, and warm.

    python benchmarks/first_kernel.py [--turns 6] [FILE.c ...]

Cold: a new process with an empty cache, from starting Python. Warm: a second, changed cell of the same process, so that
nothing of the translation itself can come from a cache. Prints one row a file and the medians; judges nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "notebooks" / "c"


def play(path: str, turns: int, started: float) -> tuple[float | None, float]:
    """Seconds after `started` of the first verified kernel (None when there was none) and of the end."""
    from cudaperf_magic import commands

    # A comment of its own makes the cell new to every cache.
    source = f"{commands.file_text(path)}\n// {time.time_ns()}\n"
    first: float | None = None
    with commands.begin(source, folders=(commands.folder_of(path),), turns=turns) as playing:
        for episode in playing:
            if first is None and episode.best is not None:
                first = time.time() - started
    if first is None and playing.episode.decision == "keep":
        first = time.time() - started
    return first, time.time() - started


def child(path: str, turns: int, started: float) -> None:
    """In the measured process: the cold cell, then a warm one."""
    cold = play(path, turns, started)
    warm = play(path, turns, time.time())
    print(json.dumps({"cold": cold, "warm": warm}))


def measure(path: Path, turns: int) -> dict[str, tuple[float | None, float]] | str:
    """Both measurements, or the last line that the process left when it failed."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "CUDAPERF_CACHE": f"{folder}/cache", "CUDAPERF_STORE": f"{folder}/episodes.db"}
        started = time.time()
        command = [sys.executable, __file__, "--child", str(started), "--turns", str(turns), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    answer: dict[str, tuple[float | None, float]] = json.loads(done.stdout)
    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--turns", type=int, default=6)
    parser.add_argument("--child", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(str(options.files[0]), options.turns, options.child)
        return
    print(f"{'file':<20} {'first kernel':>13} {'all turns':>10} {'warm: first':>12} {'all turns':>10}   (seconds)")
    columns: list[list[float]] = [[], [], [], []]
    for path in options.files or sorted(EXAMPLES.glob("*.c")):
        found = measure(path, options.turns)
        if isinstance(found, str):
            print(f"{path.name:<20} {found}")
            continue
        values = [*found["cold"], *found["warm"]]
        for column, value in zip(columns, values, strict=True):
            if value is not None:
                column.append(value)
        cells = ["none" if value is None else f"{value:.1f}" for value in values]
        print(f"{path.name:<20} {cells[0]:>13} {cells[1]:>10} {cells[2]:>12} {cells[3]:>10}", flush=True)
    if all(columns):
        cells = [f"{statistics.median(column):.1f}" for column in columns]
        print(f"{'median':<20} {cells[0]:>13} {cells[1]:>10} {cells[2]:>12} {cells[3]:>10}")


if __name__ == "__main__":
    main()
