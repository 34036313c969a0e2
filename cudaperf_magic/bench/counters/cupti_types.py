"""The structures that CUPTI's profiler calls take, as CUDA 12.6 and later lay them out; nothing here calls anything.

Field for field from cupti_range_profiler.h, cupti_profiler_host.h, cupti_profiler_target.h and cupti_target.h. Each
begins with its own size, by which CUPTI tells versions apart.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, ClassVar

SUCCESS = 0
INVALID_METRIC = 17
RANGE_PROFILER = 0  # CUpti_ProfilerType
USER_RANGE = 2  # CUpti_ProfilerRange
USER_REPLAY = 3  # CUpti_ProfilerReplayMode

Size, Address, Text = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_char_p
Texts = ctypes.POINTER(ctypes.c_char_p)


class Parameters(ctypes.Structure):
    """`Parameters(x=1)` of any call: the size is filled in, the rest is zero."""

    _fields_: ClassVar[Sequence[tuple[str, Any]]] = (("structSize", Size), ("pPriv", Address))

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        last = type(self)._fields_[-1][0]
        place = getattr(type(self), last)
        self.structSize = place.offset + place.size  # without the padding at the end, as CUPTI's macro counts


class ProfilerInitialize(Parameters):
    """cuptiProfilerInitialize and cuptiProfilerDeInitialize."""


class ChipName(Parameters):
    _fields_ = (("deviceIndex", Size), ("pChipName", Text))


class HostInitialize(Parameters):
    _fields_ = (("profilerType", ctypes.c_int), ("pChipName", Text), ("pAvailability", Address), ("host", Address))


class Host(Parameters):
    """cuptiProfilerHostDeinitialize."""

    _fields_ = (("host", Address),)


class BaseMetrics(Parameters):
    _fields_ = (("host", Address), ("metricType", ctypes.c_int), ("names", Texts), ("count", Size))


class AddMetrics(Parameters):
    _fields_ = (("host", Address), ("names", Texts), ("count", Size))


class ConfigImageSize(Parameters):
    _fields_ = (("host", Address), ("size", Size))


class ConfigImage(Parameters):
    _fields_ = (("host", Address), ("size", Size), ("image", Address))


class NumberOfPasses(Parameters):
    _fields_ = (("size", Size), ("image", Address), ("count", Size))


class Evaluate(Parameters):
    """cuptiProfilerHostEvaluateToGpuValues."""

    _fields_ = (
        ("host", Address), ("image", Address), ("size", Size), ("rangeIndex", Size), ("names", Texts), ("count", Size),
        ("values", ctypes.POINTER(ctypes.c_double)),
    )  # fmt: skip


class Enable(Parameters):
    _fields_ = (("context", Address), ("profiler", Address))


class Profiler(Parameters):
    """cuptiRangeProfilerDisable, Start and PopRange."""

    _fields_ = (("profiler", Address),)


class Stop(Parameters):
    _fields_ = (
        ("profiler", Address), ("passIndex", Size), ("targetNestingLevel", Size), ("isLast", ctypes.c_uint8),
    )  # fmt: skip


class PushRange(Parameters):
    _fields_ = (("profiler", Address), ("name", Text))


class DecodeData(Parameters):
    _fields_ = (("profiler", Address), ("dropped", Size))


class CounterDataSize(Parameters):
    _fields_ = (
        ("profiler", Address), ("names", Texts), ("count", Size), ("ranges", Size), ("nodes", ctypes.c_uint32),
        ("size", Size),
    )  # fmt: skip


class CounterData(Parameters):
    """cuptiRangeProfilerCounterDataImageInitialize."""

    _fields_ = (("profiler", Address), ("size", Size), ("image", Address))


class SetConfig(Parameters):
    _fields_ = (
        ("profiler", Address), ("configSize", Size), ("config", Address), ("dataSize", Size), ("data", Address),
        ("range", ctypes.c_int), ("replay", ctypes.c_int), ("maxRanges", Size), ("nestingLevels", ctypes.c_uint16),
        ("minNestingLevel", ctypes.c_uint16), ("passIndex", Size), ("targetNestingLevel", ctypes.c_uint16),
    )  # fmt: skip
