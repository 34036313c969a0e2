"""What NVML tells of a card becomes a record; what it does not tell is None."""

from __future__ import annotations

import ctypes
from typing import Any

from cudaperf_magic.bench.gpu.clocks import Reader, together
from cudaperf_magic.records import Clocks


class FakeNvml:
    """Answers in NVML's manner; what it has no method for, an older driver lacks."""

    def __init__(self, reasons: int) -> None:
        self.reasons = reasons

    def nvmlDeviceGetClockInfo(self, handle: Any, kind: int, out: Any) -> int:
        out._obj.value = {1: 1980, 2: 3201}[kind]
        return 0

    def nvmlDeviceGetTemperature(self, handle: Any, sensor: int, out: Any) -> int:
        return 3  # NVML_ERROR_NOT_SUPPORTED

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, handle: Any, out: Any) -> int:
        out._obj.value = self.reasons
        return 0


def test_clocks_are_read_and_what_is_not_told_is_none() -> None:
    read = Reader(FakeNvml(0), ctypes.c_void_p()).read()
    assert read == Clocks(sm_mhz=1980, memory_mhz=3201, temperature_c=None, power_w=None)


def test_idle_is_no_throttling_but_heat_and_power_are() -> None:
    assert Reader(FakeNvml(0x1 | 0x2), ctypes.c_void_p()).read().throttled_by == ()
    assert Reader(FakeNvml(0x1 | 0x4 | 0x20), ctypes.c_void_p()).read().throttled_by == ("power cap", "thermal")


def test_several_readings_become_the_worst_of_each() -> None:
    hot = Clocks(1700, None, 55, None, ("thermal",))
    seen = [Clocks(1980, 3201, 40, 300.0), hot, Clocks(throttled_by=("thermal",))]
    assert together(seen) == Clocks(1700, 3201, 55, 300.0, ("thermal",))
    assert together([]) is None
