"""Provenance: which kernels ran on the device while a candidate was called, whose they are, and their share of time.

The records come from CUPTI's activity tracing inside the process that runs the candidate, in a pass of its own that is
not timed. What that is worth: in lane A no candidate code runs on the host, so the records are facts. In lane B the
candidate shares the process and could forge, drop or stop them, and no process can see another's kernels from outside;
there they are told as labels, never as proof of innocence. It looks at names, not at what kernels do.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from ...records import KernelRun
from .cupti import Library

CONCURRENT_KERNEL = 10  # CUpti_ActivityKind
BUFFER_BYTES = 1 << 20
MOST_BUFFERS = 64  # about 300,000 kernels; a candidate that launches more is told by the first ones
FORCED = 1  # CUPTI_ACTIVITY_FLAG_FLUSH_FORCED: what is not complete yet, too

# Families of kernels by the names that their libraries give them; a candidate's own names stand apart from these.
FAMILIES: tuple[tuple[str, str], ...] = (
    ("aten", r"\bat::(native|cuda)\b|\bc10::"),
    ("cudnn", r"cudnn|_fprop_|_dgrad_|_wgrad_|implicit_convolve|winograd"),
    (
        "cublas",
        r"cublas|_xmma_gemm|cutlass_\d+_(simt|tensorop|wmma)|^(volta|turing|ampere|sm\d+)_\w*gemm|^nvjet_|\bgemv2|\bgemmk1|splitKreduce|gemvNSP",
    ),
    ("flash attention", r"pytorch_flash|\bflash_(fwd|bwd)|fmha"),
    ("cufft", r"\bcufft|regular_fft|vector_fft"),
    ("cusparse", r"\bcusparse"),
    ("cusolver", r"\bcusolver"),
    ("nccl", r"ncclDevKernel|ncclKernel"),
)
# Libraries of templates: such a kernel is compiled into whoever uses it.
TEMPLATES: tuple[tuple[str, str], ...] = (
    ("triton", r"^triton_"),
    ("cutlass", r"\bcutlass\b"),
    ("cub", r"\bcub::|\bthrust::"),
)


@dataclass(frozen=True)
class Ran:
    """One kernel on the device: its symbol, and how long it took by the device's clock."""

    symbol: str
    time_ns: int
    stream: int


class Recorder:
    """Records the kernels of this process between `with` and its end; then `ran` has them in the order of records.

    Raises:
        CuptiError: at entering, where another tool traces this process already.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self.ran: tuple[Ran, ...] = ()
        self._found: list[Ran] = []
        self._buffers: dict[int, Any] = {}
        self._wanted = _REQUESTED(self._give)
        self._filled = _COMPLETED(self._take)

    def __enter__(self) -> Recorder:
        self._library.call("cuptiActivityRegisterCallbacks", self._wanted, self._filled)
        self._library.call("cuptiActivityEnable", CONCURRENT_KERNEL)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The device must be idle: what still runs has no record."""
        self._library.call("cuptiActivityFlushAll", FORCED)
        self._library.call("cuptiActivityDisable", CONCURRENT_KERNEL)
        self.ran = tuple(self._found)

    def _give(self, buffer: Any, size: Any, most_records: Any) -> None:
        most_records[0] = 0  # as many as fit
        if len(self._buffers) >= MOST_BUFFERS:
            buffer[0], size[0] = None, 0
            return
        made = (ctypes.c_uint64 * (BUFFER_BYTES // 8))()  # CUPTI asks for 8-byte alignment
        self._buffers[ctypes.addressof(made)] = made
        buffer[0], size[0] = ctypes.addressof(made), BUFFER_BYTES

    def _take(self, context: int, stream: int, buffer: int, size: int, valid: int) -> None:
        record = ctypes.c_void_p()
        next_record = self._library.loaded.cuptiActivityGetNextRecord
        while next_record(ctypes.c_void_p(buffer), ctypes.c_size_t(valid), ctypes.byref(record)) == 0:
            found = KernelRecord.from_address(record.value or 0)
            if found.kind == CONCURRENT_KERNEL:
                name = (found.name or b"").decode(errors="replace")
                self._found.append(Ran(name, max(found.end - found.start, 0), found.stream))


class KernelRecord(ctypes.Structure):
    """The part of CUpti_ActivityKernel that has kept its place since its fourth version."""

    _fields_ = (
        ("kind", ctypes.c_uint32), ("before", ctypes.c_uint8 * 12), ("start", ctypes.c_uint64),
        ("end", ctypes.c_uint64), ("completed", ctypes.c_uint64), ("device", ctypes.c_uint32),
        ("context", ctypes.c_uint32), ("stream", ctypes.c_uint32), ("shape", ctypes.c_int32 * 10),
        ("correlation", ctypes.c_uint32), ("grid", ctypes.c_int64), ("name", ctypes.c_char_p),
    )  # fmt: skip


_REQUESTED = ctypes.CFUNCTYPE(
    None, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_size_t)
)
_COMPLETED = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)


def provenance(ran: Iterable[Ran], own: Collection[str]) -> tuple[KernelRun, ...]:
    """What ran, by kernel, the longest first.

    Args:
        own: the candidate's kernels, as symbols ("_Z5scaleif") or as plain names ("scale", "tiles::scale"). A kernel
            whose name is one that a closed library uses counts as the library's all the same: a candidate that names
            its kernel like one of cuBLAS's gains nothing by it.
    """
    sums: dict[str, tuple[int, int]] = {}
    for one in ran:
        launches, time_ns = sums.get(one.symbol, (0, 0))
        sums[one.symbol] = launches + 1, time_ns + one.time_ns
    whole = sum(time_ns for _, time_ns in sums.values())
    found = []
    for symbol, (launches, time_ns) in sorted(sums.items(), key=lambda item: -item[1][1]):
        name = readable(symbol)
        library = _library(symbol, name, own)
        share = time_ns / whole if whole else 0.0
        found.append(KernelRun(name, "library" if library else "candidate", launches, share, library))
    return tuple(found)


def _library(symbol: str, name: str, own: Collection[str]) -> str:
    """The library that a kernel is of; "" for the candidate's own."""
    for family, pattern in FAMILIES:
        if re.search(pattern, name):
            return family
    plain = plain_name(name)
    if symbol in own or plain in own or plain.rpartition("::")[2] in own:
        return ""
    return next((family for family, pattern in TEMPLATES if re.search(pattern, name)), "unknown")


def plain_name(name: str) -> str:
    """`void tiles::scale<float, 4>(int, float*)` without its types: `tiles::scale`."""
    depth, kept = 0, []
    for character in name.replace("(anonymous namespace)::", ""):
        if character == "(" and depth == 0:
            break
        depth -= character == ">"
        if depth == 0 and character not in "<>":
            kept.append(character)
        depth += character == "<"
    return "".join(kept).strip().rpartition(" ")[2]


def readable(symbol: str) -> str:
    """A symbol as C++ writes it; as it is where this machine has no C++ library to ask."""
    try:
        runtime = ctypes.CDLL("libstdc++.so.6")
    except OSError:
        return symbol
    status = ctypes.c_int()
    runtime.__cxa_demangle.restype = ctypes.c_void_p
    text = runtime.__cxa_demangle(symbol.encode(), None, None, ctypes.byref(status))
    if not text:
        return symbol
    try:
        return ctypes.string_at(text).decode(errors="replace")
    finally:
        runtime.free(ctypes.c_void_p(text))
