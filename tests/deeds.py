"""What a hostile child does to a machine: functions at the top of a module, so that a child can be sent them."""

from __future__ import annotations

import ctypes
import os
import time


def segfault() -> None:
    ctypes.string_at(0)


def hang() -> None:
    while True:
        pass


def hoard() -> None:
    kept = []
    while True:
        kept.append(b"x" * (32 << 20))


def fork_for_ever() -> None:
    while True:
        try:
            os.fork()
        except OSError:
            time.sleep(0.01)
