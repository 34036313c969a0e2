"""Hardware counters of kernels in this process, through the range profiler of CUPTI (CUDA 12.6 and later).

Two halves. `Host` needs no GPU: what a chip can count, in how many passes, and what the numbers mean; it can be made
before a fork. `RangeProfiler` counts on the current context: it runs what it is given once for each pass. What it runs
must do the same each time, so putting its inputs back is the caller's work. It moves no data and judges nothing.

cupti-python is no way to this: its bindings have PM sampling and tracing, not the range profiler, and each version
fits one CUPTI only.
"""

from __future__ import annotations

import ctypes
import importlib.util
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any

from ...errors import ToolchainError
from . import cupti_types as ct

LIBRARIES = ("libcupti.so.13", "libcupti.so.12", "libcupti.so")
EVALUATOR = "libnvperf_host.so"
MISSING = "CUPTI, NVIDIA's library of hardware counters, is not installed; pip install nvidia-cuda-cupti"
KINDS = (0, 1, 2)  # CUpti_MetricType: counter, ratio, throughput


class CuptiError(Exception):
    """A call that CUPTI refused; `code` is its CUptiResult."""

    def __init__(self, call: str, code: int, text: str) -> None:
        self.call, self.code, self.text = call, code, text
        super().__init__(f"{call}: {text} ({code})")


class Library:
    """`library.call("cuptiRangeProfilerStart", Profiler(...))` raises CuptiError unless CUPTI answers success."""

    def __init__(self, loaded: Any) -> None:
        self.loaded = loaded

    def call(self, name: str, *parameters: Any) -> None:
        given = (ctypes.byref(p) if isinstance(p, ctypes.Structure) else p for p in parameters)
        code = int(getattr(self.loaded, name)(*given))
        if code != ct.SUCCESS:
            raise CuptiError(name, code, self._text(code))

    def _text(self, code: int) -> str:
        found = ctypes.c_char_p()
        self.loaded.cuptiGetResultString(code, ctypes.byref(found))
        return found.value.decode() if found.value else "unknown error"

    @property
    def version(self) -> int:
        found = ctypes.c_uint32()
        self.call("cuptiGetVersion", ctypes.byref(found))
        return found.value


@lru_cache(maxsize=1)
def load_cupti() -> Library:
    """CUPTI from NVIDIA's wheels or a toolkit; it does not start the driver.

    Raises:
        ToolchainError: it is not installed, or older than the range profiler (CUDA 12.6).
    """
    for place in (*_places(), *LIBRARIES):
        try:
            loaded = ctypes.CDLL(place)
        except OSError:
            continue
        if not hasattr(loaded, "cuptiRangeProfilerEnable"):
            continue
        # CUPTI opens its evaluator by itself, which takes 0.06 s: here it happens before a fork, once.
        evaluator = Path(place).with_name(EVALUATOR)
        if evaluator.is_file():
            ctypes.CDLL(str(evaluator))
        return Library(loaded)
    raise ToolchainError(MISSING)


def _places() -> Iterator[str]:
    spec = importlib.util.find_spec("nvidia")
    folders: list[Path] = []
    for location in (spec.submodule_search_locations or []) if spec else []:
        root = Path(location)
        folders += [*sorted(root.glob("cu[0-9]*"), reverse=True), root / "cuda_cupti"]  # CUDA 13, CUDA 12
    folders += [Path("/usr/local/cuda"), Path("/usr/local/cuda/extras/CUPTI"), Path("/opt/cuda")]
    for folder in folders:
        for name in LIBRARIES:
            yield from (str(folder / sub / name) for sub in ("lib", "lib64") if (folder / sub / name).is_file())


@dataclass(frozen=True)
class Schedule:
    """Metrics as one chip collects them: the image that the profiler is configured with, and how often to run."""

    chip: str
    metrics: tuple[str, ...]
    config: bytes
    passes: int


class Host:
    """What CUPTI knows of a chip ("GH100"), without touching a device."""

    def __init__(self, library: Library, chip: str) -> None:
        self.library = library
        self.chip = chip
        self._host = self._new()
        self._known: frozenset[str] | None = None

    def known(self) -> frozenset[str]:
        """The metrics of the chip by their names without roll-up: "dram__bytes_read"."""
        if self._known is None:
            found: set[str] = set()
            for kind in KINDS:
                asked = ct.BaseMetrics(host=self._host, metricType=kind)
                self.library.call("cuptiProfilerHostGetBaseMetrics", asked)
                found.update(asked.names[i].decode() for i in range(asked.count))
            self._known = frozenset(found)
        return self._known

    def schedule(self, metrics: Sequence[str]) -> Schedule:
        """How to collect those of the metrics ("dram__bytes_read.sum") that the chip has.

        Raises:
            CuptiError: CUPTI has no schedule for them.
        """
        names = tuple(metric for metric in metrics if metric.partition(".")[0] in self.known())
        host = self._new()  # metrics add up in a host object
        try:
            asked = ct.AddMetrics(host=host, names=_texts(names), count=len(names))
            self.library.call("cuptiProfilerHostConfigAddMetrics", asked)
            size = ct.ConfigImageSize(host=host)
            self.library.call("cuptiProfilerHostGetConfigImageSize", size)
            image = (ctypes.c_uint8 * size.size)()
            filled = ct.ConfigImage(host=host, size=size.size, image=ctypes.addressof(image))
            self.library.call("cuptiProfilerHostGetConfigImage", filled)
            passes = ct.NumberOfPasses(size=size.size, image=ctypes.addressof(image))
            self.library.call("cuptiProfilerHostGetNumOfPasses", passes)
        finally:
            self.library.call("cuptiProfilerHostDeinitialize", ct.Host(host=host))
        return Schedule(self.chip, names, bytes(image), passes.count)

    def values(self, schedule: Schedule, image: ctypes.Array[ctypes.c_uint8], range_index: int) -> dict[str, float]:
        """What one range of the decoded counter data says of each metric; one whose pass is missing is absent."""
        count = len(schedule.metrics)
        found = (ctypes.c_double * count)()
        asked = ct.Evaluate(
            host=self._host, image=ctypes.addressof(image), size=len(image), rangeIndex=range_index,
            names=_texts(schedule.metrics), count=count, values=found,
        )  # fmt: skip
        self.library.call("cuptiProfilerHostEvaluateToGpuValues", asked)
        values = zip(schedule.metrics, found, strict=True)
        return {metric: value for metric, value in values if math.isfinite(value)}

    def _new(self) -> int:
        made = ct.HostInitialize(profilerType=ct.RANGE_PROFILER, pChipName=self.chip.encode())
        self.library.call("cuptiProfilerHostInitialize", made)
        return int(made.host)


def chip_of(library: Library, device: int) -> str:
    """The chip's own name, "GH100". Starts the driver."""
    library.call("cuptiProfilerInitialize", ct.ProfilerInitialize())  # without it the next call crashes
    asked = ct.ChipName(deviceIndex=device)
    library.call("cuptiDeviceGetChipName", asked)
    return (asked.pChipName or b"").decode()


class RangeProfiler:
    """Counts on one context, between `with` and its end:

        with RangeProfiler(host, context) as profiler:
            values = profiler.count(schedule, run)

    Raises:
        CuptiError: at entering, where counters are refused or another profiler holds the device.
    """

    def __init__(self, host: Host, context: int) -> None:
        self.host, self.context = host, context
        self._profiler = 0
        self._kept: list[Any] = []  # CUPTI goes on reading the images it was given

    def __enter__(self) -> RangeProfiler:
        library = self.host.library
        library.call("cuptiProfilerInitialize", ct.ProfilerInitialize())
        enabled = ct.Enable(context=self.context)
        library.call("cuptiRangeProfilerEnable", enabled)
        self._profiler = int(enabled.profiler)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.host.library.call("cuptiRangeProfilerDisable", ct.Profiler(profiler=self._profiler))

    def count(
        self, schedule: Schedule, run: Callable[[], None], reset: Callable[[], None] | None = None
    ) -> dict[str, float]:
        """The metrics over everything that `run` launches, as one sum. Once for each pass `reset`, then `run`.

        Args:
            run: must launch the same work each time, and end with the device idle.
            reset: puts back what `run` changed, and the caches; not counted.

        Returns:
            By metric. Nothing when CUPTI ends after another number of passes than the schedule has: one profiler for
            a second schedule with more passes than its first was seen to (CUPTI 13.0), with sums that lack some.
        """
        library = self.host.library
        image = self._image(schedule)
        config = (ctypes.c_uint8 * len(schedule.config)).from_buffer_copy(schedule.config)
        self._kept += [image, config]
        library.call("cuptiRangeProfilerSetConfig", self._config(config, image))
        start, push = ct.Profiler(profiler=self._profiler), ct.PushRange(profiler=self._profiler, name=b"plan")
        stopped = ct.Stop(profiler=self._profiler)
        made = 0
        while not stopped.isLast and made < schedule.passes:
            if reset is not None:
                reset()
            library.call("cuptiRangeProfilerStart", start)
            library.call("cuptiRangeProfilerPushRange", push)
            run()
            library.call("cuptiRangeProfilerPopRange", start)
            library.call("cuptiRangeProfilerStop", stopped)
            made += 1
        if made != schedule.passes or not stopped.isLast:
            return {}
        library.call("cuptiRangeProfilerDecodeData", ct.DecodeData(profiler=self._profiler))
        return self.host.values(schedule, image, 0)

    def _image(self, schedule: Schedule) -> ctypes.Array[ctypes.c_uint8]:
        library = self.host.library
        names = _texts(schedule.metrics)
        asked = ct.CounterDataSize(profiler=self._profiler, names=names, count=len(schedule.metrics), ranges=1, nodes=1)
        library.call("cuptiRangeProfilerGetCounterDataSize", asked)
        image: ctypes.Array[ctypes.c_uint8] = (ctypes.c_uint8 * asked.size)()
        made = ct.CounterData(profiler=self._profiler, size=asked.size, image=ctypes.addressof(image))
        library.call("cuptiRangeProfilerCounterDataImageInitialize", made)
        return image

    def _config(self, config: ctypes.Array[ctypes.c_uint8], image: ctypes.Array[ctypes.c_uint8]) -> ct.SetConfig:
        return ct.SetConfig(
            profiler=self._profiler, configSize=len(config), config=ctypes.addressof(config), dataSize=len(image),
            data=ctypes.addressof(image), range=ct.USER_RANGE, replay=ct.USER_REPLAY, maxRanges=1, nestingLevels=1,
            minNestingLevel=1,
        )  # fmt: skip


def _texts(names: Sequence[str]) -> Any:
    return (ctypes.c_char_p * len(names))(*(name.encode() for name in names))
