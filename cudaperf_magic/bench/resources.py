"""What this process may use of the machine now: memory and cores. It reserves nothing and limits nobody."""

from __future__ import annotations

import os
from pathlib import Path


def available_bytes(unknown: int) -> int:
    """Memory that can be had without swapping; `unknown` where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith("MemAvailable"))) << 10
    except (OSError, StopIteration, ValueError, IndexError):
        return unknown


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
