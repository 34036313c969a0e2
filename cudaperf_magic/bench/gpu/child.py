"""What a child of the "gpu" server does: makes one context, then answers the parent's questions until it asks no more.

It serves one candidate. The host code here is ours; what may be hostile is the device code that it launches. It holds
no reference and no verdict, and after a fault it only says so: the context is lost, and the parent takes another child.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

import numpy as np

from cudaperf_magic.bench.counters import counting
from cudaperf_magic.bench.counters.availability import Refused
from cudaperf_magic.bench.counters.metrics import Counts
from cudaperf_magic.bench.gpu.driver import DriverError, load_driver
from cudaperf_magic.bench.gpu.health import must_be_healthy
from cudaperf_magic.bench.gpu.messages import (
    Broke,
    Called,
    Count,
    Damage,
    Given,
    Lend,
    Prepare,
    Question,
    Ready,
    Run,
    Sampled,
    Settle,
)
from cudaperf_magic.bench.gpu.running import device_info, device_uuid, late_fault, open_device, run_on_gpu
from cudaperf_magic.bench.gpu.sets import DeviceArray, Program
from cudaperf_magic.bench.gpu.timing import Prepared, prepare
from cudaperf_magic.bench.sandbox_line import Line
from cudaperf_magic.records import Fault

# One stream is all that a plan uses. With these a context takes 0.05 s instead of 0.11 s (H200, driver 580).
LEAN_CONTEXT = {
    "CUDA_DEVICE_MAX_CONNECTIONS": "1",
    "CUDA_DEVICE_MAX_COPY_CONNECTIONS": "1",
    "CUDA_SCALE_LAUNCH_QUEUES": "0.25x",
}


def serve(line: Line, index: int) -> None:
    """The child's work, for `sandbox.open_session(serve, index, kind="gpu", ...)`. Its first word is `Ready`.

    Raises:
        ToolchainError: there is no such device, or it does not compute rightly.
    """
    os.environ.update(LEAN_CONTEXT)
    with open_device(index):
        must_be_healthy(index)
        line.send(Ready(device_info(index).name, device_uuid(index)))
        desk = _Desk(index)
        while True:
            line.send(desk.answer(line.receive()))


class _Desk:
    """The one program that is prepared, if any."""

    def __init__(self, index: int) -> None:
        self._index = index
        self._prepared: Prepared | None = None

    def answer(self, question: Question) -> Any:
        try:
            return self._answer(question)
        except DriverError as error:
            return Broke(late_fault(error, ", though it did not at first", f"device cuda:{self._index}"))

    def _answer(self, question: Question) -> Any:
        match question:
            case Run():
                return _ran(question, self._index)
            case Prepare():
                return self._prepare(question)
            case Settle():
                return self._ready.settle()
            case Sampled("cold", count):
                return self._ready.cold_samples(count)
            case Sampled("warm", count):
                return self._ready.warm_samples(count)
            case Sampled("end to end", count):
                return self._ready.end_to_end(count)
            case Damage():
                return self._ready.damage()
            case Count(metrics):
                return self._count(metrics)
            case Lend():
                return self._lent()
            case _:
                raise ValueError(f"{type(question).__name__} is no question")

    def _lent(self) -> bytes | None:
        with suppress(DriverError):  # not every system lets processes share a device's memory
            return self._ready.lent()
        return None

    def _count(self, metrics: tuple[str, ...]) -> Counts | Refused:
        """Where nobody could be lent the memory: by a profiler that is opened here, and only then."""
        counter = counting.prepare(self._index)
        if isinstance(counter, Refused):
            return counter
        return counter.count(metrics, self._ready.renew, self._ready.call)

    @property
    def _ready(self) -> Prepared:
        if self._prepared is None:
            raise ValueError("a program is prepared before it is timed")
        return self._prepared

    def _prepare(self, wanted: Prepare) -> Called:
        values = wanted.inputs.arrays()
        arrays = tuple(_device_array(given, values) for given in wanted.given)
        program = Program(wanted.cubin, wanted.symbols, wanted.plan, arrays, wanted.remembers)
        self._prepared = prepare(
            load_driver(),
            wanted.trusted_cubin,
            program,
            device=self._index,
            seed=wanted.seed,
            memory_bytes=wanted.memory_bytes,
            keeps=wanted.keeps,
        )
        fault = self._prepared.first_call()
        if fault is not None:
            return Called(fault)
        if wanted.outputs is not None:
            for name, into in wanted.outputs.arrays().items():
                self._prepared.output(name, into)
        return Called(None, self._prepared.damage())


def _device_array(given: Given, values: dict[str, Any]) -> DeviceArray:
    host = values.get(given.name)
    if host is None:  # only written: its size is all that is wanted
        host = np.broadcast_to(np.zeros((), given.dtype), given.shape)
    return DeviceArray(given.name, given.role, host, given.may_vary)


def _ran(question: Run, index: int) -> list[tuple[dict[str, Any], tuple[Fault, ...], None]]:
    """Each request on fresh buffers, in order, until one fails: the context is lost then."""
    done: list[tuple[dict[str, Any], tuple[Fault, ...], None]] = []
    for request in question.requests:
        arrays = {name: array.copy() for name, array in request.arrays.items()}
        faults = run_on_gpu(question.cubin, question.symbols, request.plan, arrays, index)
        done.append((arrays, faults, None))
        if faults:
            break
    return done
