"""Counters through Nsight Compute's command line, where CUPTI cannot count inside the process but ncu may.

A process of ours (`replay.py`) runs the plan once under `ncu`, which puts memory back between passes by itself: about
3 s, so only for the kernel that is kept. It reads the same metrics as `cupti.py`; what they mean is `metrics.py`'s.
"""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .replay import Replay
from .tool import find_tool, output_of, replay_command

LIMIT_S = 60.0
OPTIONS = (
    "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--cache-control", "all",
)  # fmt: skip
TRIES = 3  # a metric that the chip lacks ends the whole run; the next one goes without it
ERROR = "==ERROR=="
NO_PERMISSION = "ERR_NVGPUCTRPERM"


@dataclass(frozen=True)
class Refusal:
    """ncu gave no numbers, and why, in its own words."""

    reason: str


def find_ncu() -> str | None:
    nsight = sorted(Path("/opt/nvidia/nsight-compute").glob("*/ncu"), reverse=True)
    return find_tool("ncu") or (str(nsight[0]) if nsight else None)


def count_with_ncu(replay: Replay, metrics: Sequence[str], limit_s: float = LIMIT_S) -> dict[str, float] | Refusal:
    """The metrics over the whole plan, as sums over its launches; a metric that this chip lacks is absent.

    Sums of averages and of greatest values ("sm__cycles_active.max") are sums over launches too: what each launch's
    busiest multiprocessor did, not what one multiprocessor did in all of them.
    """
    program = find_ncu()
    if program is None:
        return Refusal("ncu, the command line of Nsight Compute, is not installed")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "replay"
        replay.write(path)
        asked = list(metrics)
        for _ in range(TRIES):
            command = [program, *OPTIONS, "--metrics", ",".join(asked), *replay_command(path)]
            text = output_of(command, folder, limit_s)
            found = read_values(text, asked)
            if found:
                return found
            errors = [line for line in text.splitlines() if line.startswith(ERROR)]
            known = [m for m in asked if not any(m in line or m.partition(".")[0] in line for line in errors)]
            if known in ([], asked):
                break
            asked = known
    return Refusal(trouble(text, limit_s))


def read_values(text: str, metrics: Sequence[str]) -> dict[str, float]:
    """From ncu's CSV: one row a launch, below the names of the columns and a row of units."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    sums: dict[str, float] = {}
    for row in csv.DictReader(io.StringIO("\n".join(lines[start:]))):
        if not (row["ID"] or "").strip():
            continue  # the row of units
        for metric in metrics:
            value = _number(row.get(metric) or "")
            if value is not None:
                sums[metric] = sums.get(metric, 0.0) + value
    return sums


def _number(cell: str) -> float | None:
    try:
        return float(cell.replace(",", ""))
    except ValueError:
        return None  # "n/a" where the chip has no such metric


def trouble(text: str, limit_s: float) -> str:
    if NO_PERMISSION in text:
        return f"ncu may not read counters either ({NO_PERMISSION})"
    said = [line.removeprefix(ERROR).strip() for line in text.splitlines() if line.startswith(ERROR)]
    if said:
        return f"ncu: {said[0]}"
    return "ncu named no counters" if text.strip() else f"ncu did not answer within {limit_s:.0f} s"
