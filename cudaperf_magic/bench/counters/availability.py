"""Whether hardware counters may be read on a device, found out once, and said in words where not.

Counters are refused on most shared machines: that is an answer, never a failed evaluation. The structure then comes
from the simulator. It counts nothing.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from ...errors import ToolchainError
from ..gpu.driver import DriverError, load_driver
from ..sandbox import Finished, run_in_child
from .cupti import CuptiError, Host, RangeProfiler, chip_of, load_cupti

PROBE_LIMIT_S = 30.0

BUSY = 26  # CUPTI_ERROR_HARDWARE_BUSY
PERMISSION = (
    "this user may not read the GPU's counters (ERR_NVGPUCTRPERM); an administrator allows it with the line "
    "`options nvidia NVreg_RestrictProfilingToAdminUsers=0` in /etc/modprobe.d/nvidia.conf and a restart; a container "
    "needs --cap-add=SYS_ADMIN besides"
)
# CUptiResult -> why, and what can be done. Of cupti_result.h.
REASONS: dict[int, str] = {
    14: "CUPTI and the driver do not fit together; install an nvidia-cuda-cupti no newer than the driver's CUDA",
    BUSY: "another profiler holds the counters of this GPU; end it",
    27: "CUPTI does not count on this GPU",
    33: "this virtual GPU has no counters",
    35: PERMISSION,
    36: "another profiler of the older kind works in this process",
    40: "this virtual GPU has its counters switched off; the host's administrator can switch on profiling for the vGPU",
    41: "counters are closed in confidential computing",
    42: "this GPU is made for mining and has no counters",
    43: "counters are closed in this MIG instance",
    44: "GPUs coupled by SLI have no counters",
    45: "counters are closed to WSL; in Windows' NVIDIA control panel, developer settings, allow them to all users",
    46: "CUPTI does not know this chip; install a newer nvidia-cuda-cupti",
}


@dataclass(frozen=True)
class Available:
    """Counters can be read: the chip's name, and CUPTI's version as it counts them (130001: of CUDA 13.0)."""

    chip: str
    cupti_version: int


@dataclass(frozen=True)
class Refused:
    """Counters cannot be read, and why, in a sentence for a person."""

    reason: str


_KNOWN: dict[int, Available | Refused] = {}


def available(index: int) -> Available | Refused:
    """Whether counters of device `index` can be read: tried once in a child, then remembered in this process."""
    if index not in _KNOWN:
        answer = _tried(index)
        remember(index, answer)
        return answer
    return _KNOWN[index]


def remember(index: int, answer: Available | Refused) -> bool:
    """Keeps what was found out, so that nobody tries again; False for what will not last."""
    is_lasting = answer != Refused(REASONS[BUSY])
    if is_lasting:
        _KNOWN[index] = answer
    return is_lasting


def refused(error: CuptiError | ToolchainError | DriverError) -> Refused:
    """The words for what CUPTI answered."""
    if isinstance(error, CuptiError):
        return Refused(REASONS.get(error.code, f"CUPTI does not start ({error})"))
    return Refused(str(error))


def _tried(index: int) -> Available | Refused:
    ended = run_in_child(probe, index, kind="gpu", timeout_s=PROBE_LIMIT_S, memory_bytes=None)
    if not isinstance(ended, Finished):
        return Refused("CUPTI does not start: its process did not come back")
    chip, version, reason = ended.value
    return Refused(reason) if reason else Available(chip, version)


def probe(index: int) -> tuple[str, int, str]:
    """In the child: (chip, CUPTI's version, why not), by opening and closing the profiler on a context."""
    try:
        library = load_cupti()
        driver = load_driver()
        device, context = ctypes.c_int(), ctypes.c_void_p()
        driver.call("cuDeviceGet", ctypes.byref(device), index)
        driver.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        driver.call("cuCtxSetCurrent", context)
        chip = chip_of(library, index)
        with RangeProfiler(Host(library, chip), context.value or 0):
            return chip, library.version, ""
    except (CuptiError, ToolchainError, DriverError) as error:
        return "", 0, refused(error).reason
