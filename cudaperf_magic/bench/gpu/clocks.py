"""A card's clocks, temperature, power, taken memory and what throttles it, as NVML tells. It reads and sets nothing.

NVML comes with the driver, so a small reader through ctypes needs no package. Where it is absent or silent, values are
None.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from cudaperf_magic.records import Clocks

_SM, _MEMORY = 1, 2  # nvmlClockType_t
_GPU_TEMPERATURE = 0
MOST_PROCESSES = 256
_NOT_TOLD = (1 << 64) - 1  # NVML_VALUE_NOT_AVAILABLE
# nvmlClocksEventReasons: bits that say why clocks are below what they could be. Idle (1), and clocks that an
# application asked for (2), are no throttling.
REASONS = {
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x10: "sync boost",
    0x20: "thermal",
    0x40: "hardware thermal slowdown",
    0x80: "power brake",
    0x100: "display clocks",
}


class _MemoryInfo(ctypes.Structure):
    _fields_ = (("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong))


class _Process(ctypes.Structure):  # nvmlProcessInfo_t
    _fields_ = (
        ("pid", ctypes.c_uint), ("used", ctypes.c_ulonglong), ("instance", ctypes.c_uint), ("compute", ctypes.c_uint),
    )  # fmt: skip


class Reader:
    """One card's state, read as often as wanted; about a millisecond each time."""

    def __init__(self, library: Any, handle: ctypes.c_void_p) -> None:
        self._library, self._handle = library, handle

    def read(self) -> Clocks:
        power_mw = self._number("nvmlDeviceGetPowerUsage")
        reasons = ctypes.c_ulonglong()
        bits = reasons.value if self._ask("nvmlDeviceGetCurrentClocksThrottleReasons", ctypes.byref(reasons)) else 0
        return Clocks(
            sm_mhz=self._number("nvmlDeviceGetClockInfo", _SM),
            memory_mhz=self._number("nvmlDeviceGetClockInfo", _MEMORY),
            temperature_c=self._number("nvmlDeviceGetTemperature", _GPU_TEMPERATURE),
            power_w=None if power_mw is None else power_mw / 1000.0,
            throttled_by=tuple(words for bit, words in REASONS.items() if bits & bit),
        )

    def used_bytes(self) -> int | None:
        """Memory of the card that somebody has taken."""
        found = _MemoryInfo()
        return int(found.used) if self._ask("nvmlDeviceGetMemoryInfo", ctypes.byref(found)) else None

    def process_bytes(self, pid: int) -> int | None:
        """Memory that one process has taken, contexts included; None where the driver does not know it by this number,
        as in a container that numbers its processes itself."""
        found, count = (_Process * MOST_PROCESSES)(), ctypes.c_uint(MOST_PROCESSES)
        if not self._ask("nvmlDeviceGetComputeRunningProcesses_v3", ctypes.byref(count), found):
            return None
        taken = [int(one.used) for one in found[: count.value] if one.pid == pid and one.used != _NOT_TOLD]
        return taken[0] if taken else None

    def _number(self, name: str, *arguments: int) -> int | None:
        found = ctypes.c_uint()
        return found.value if self._ask(name, *arguments, ctypes.byref(found)) else None

    def _ask(self, name: str, *arguments: Any) -> bool:
        """Whether the driver answered; older ones lack some of the questions."""
        function = getattr(self._library, name, None)
        return function is not None and int(function(self._handle, *arguments)) == 0


def reader(uuid: str) -> Reader | None:
    """Of the card with this UUID ("GPU-..."); None where NVML is absent or does not know it."""
    library = _library()
    handle = ctypes.c_void_p()
    if library is None or library.nvmlDeviceGetHandleByUUID(uuid.encode(), ctypes.byref(handle)) != 0:
        return None
    return Reader(library, handle)


def driver_version() -> str | None:
    """The driver's own version, "580.159.03"; None without NVML."""
    library = _library()
    text = ctypes.create_string_buffer(96)
    if library is None or library.nvmlSystemGetDriverVersion(text, len(text)) != 0:
        return None
    return text.value.decode()


def together(seen: Sequence[Clocks]) -> Clocks | None:
    """One record of several readings: the lowest clocks, the highest temperature and power, every reason."""
    if not seen:
        return None

    def known(values: Sequence[float | None]) -> list[float]:
        return [value for value in values if value is not None]

    sm, memory = known([one.sm_mhz for one in seen]), known([one.memory_mhz for one in seen])
    heat, power = known([one.temperature_c for one in seen]), known([one.power_w for one in seen])
    return Clocks(
        sm_mhz=int(min(sm)) if sm else None,
        memory_mhz=int(min(memory)) if memory else None,
        temperature_c=int(max(heat)) if heat else None,
        power_w=max(power) if power else None,
        throttled_by=tuple(dict.fromkeys(reason for one in seen for reason in one.throttled_by)),
    )


@lru_cache(maxsize=1)
def _library() -> Any:
    """NVML, started; None where it is absent or does not start."""
    for name in ("libnvidia-ml.so.1", "libnvidia-ml.so"):
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        return library if library.nvmlInit_v2() == 0 else None
    return None
