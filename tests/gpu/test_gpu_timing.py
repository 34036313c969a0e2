"""Timing on a real device: known kernels take known times, tricks show, and the card reaches what its makers say."""

from __future__ import annotations

import ctypes
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cudaperf_magic.bench.architectures import architecture
from cudaperf_magic.bench.card import ceilings_of
from cudaperf_magic.bench.devices import open_device as device_named
from cudaperf_magic.bench.gpu.driver import load_driver
from cudaperf_magic.bench.gpu.fingerprint import fingerprint
from cudaperf_magic.bench.gpu.running import device_info, open_device
from cudaperf_magic.bench.gpu.sets import DeviceArray, Program
from cudaperf_magic.bench.gpu.state import remembers
from cudaperf_magic.bench.gpu.timing import prepare
from cudaperf_magic.bench.gpu.trusted import Trusted, trusted_cubin
from cudaperf_magic.bench.launcher import device_source, read_plan
from cudaperf_magic.bench.measuring.samples import Manner, Sample, strays
from cudaperf_magic.bench.nvrtc import Compiled, build
from cudaperf_magic.bench.sandbox import Finished, run_in_child
from cudaperf_magic.records import Fault, Role

pytestmark = pytest.mark.gpu

FOLDER = Path(__file__).parent / "kernels"
KERNELS, REMEMBERING = ((FOLDER / name).read_text() for name in ("timing.cu", "remembering.cu"))


def _timed(
    cubins: tuple[bytes, Compiled], source: str, n: int, role: Role, keeps: bool
) -> tuple[Fault | None, Manner | None, tuple[Sample, ...], tuple[str, ...], Any]:
    """In a child of the device: everything that can be asked of one program."""
    trusted, compiled = cubins
    x, y = np.random.default_rng(1).random(n, np.float32), np.ones(n, np.float32)
    plan = read_plan(source, "f", {"n": n}, {"x": x.nbytes, "y": y.nbytes})
    arrays = (DeviceArray("x", "in", x, True), DeviceArray("y", role, y, True))
    program = Program(compiled.cubin, compiled.mangled, plan, arrays, remembers(compiled.ptx))
    with open_device(0):
        timed = prepare(load_driver(), trusted, program, seed=7, keeps=keeps)
        fault = timed.first_call()
        if fault is not None:
            return fault, None, (), (), None
        out = np.empty(n, np.float32)
        timed.output("y", out)
        manner = timed.settle()
        samples = (*timed.cold_samples(10), *timed.warm_samples(3), *timed.end_to_end(2))
        return None, manner, samples, timed.damage(), out


def timed(body: str, n: int, role: Role = "out", keeps: bool = False, kernels: str = KERNELS) -> Any:
    arch, source = device_named("cuda:0").arch, kernels + "void f(int n, const float *x, float *y) {" + body + "}"
    names = read_plan(source, "f", {"n": n}, {"x": 4 * n, "y": 4 * n}).kernels
    compiled = build(device_source(source), arch, names=names)
    assert compiled.build.ok, compiled.build.log
    cubins = (trusted_cubin(arch), compiled)
    ended = run_in_child(_timed, cubins, source, n, role, keeps, kind="gpu", timeout_s=60, memory_bytes=None)
    assert isinstance(ended, Finished), ended
    return ended.value


COPY = "copy<<<(n + 255) / 256, 256>>>(x, y, n);"


@pytest.mark.parametrize("n", [1000, 1 << 20, 1 << 27])
def test_an_honest_copy_is_timed_cold_warm_and_end_to_end(n: int) -> None:
    fault, manner, samples, damage, out = timed(COPY, n)
    assert fault is None and damage == () and strays(manner, samples) == ()
    assert np.array_equal(out, np.random.default_rng(1).random(n, np.float32))
    assert all(sample.us > 0 for sample in samples) and (manner.calls > 1) == (n < 1 << 27)


def test_twice_the_work_takes_twice_the_time_within_a_tenth() -> None:
    once, twice = (statistics.median(s.us for s in timed(COPY, n)[2][:10]) for n in (1 << 26, 1 << 27))
    assert 1.8 < twice / once < 2.2


def test_in_out_arrays_graphs_and_workspaces_give_the_same_answer_in_every_call() -> None:
    loop = "for (int s = 0; s < 50; s++) add<<<(n + 255) / 256, 256>>>(x, y, n);"
    space = (
        "float *t; cudaMalloc(&t, 4 * n); cudaMemset(t, 0, 4 * n); add<<<(n + 255) / 256, 256>>>(x, t, n);"
        "cudaMemcpy(y, t, 4 * n, cudaMemcpyDeviceToDevice); cudaFree(t);"
    )
    for body, role in ((loop, "inout"), (space, "out")):
        fault, manner, samples, damage, _ = timed(body, 10_000, role)
        assert fault is None and damage == () and strays(manner, samples) == ()
    assert timed(loop, 10_000, "inout")[1].is_graph


def test_a_module_that_remembers_gains_nothing_by_it() -> None:
    body = "lazy<<<(n + 255) / 256, 256>>>(x, y, n); mark<<<1, 1>>>();"
    _, manner, samples, _, _ = timed(body, 10_000, kernels=REMEMBERING)
    assert manner.is_reloaded and strays(manner, samples) == ()


def test_sums_in_any_order_lie_near_each_other() -> None:
    body = "cudaMemset(y, 0, 4 * n); total<<<(n + 255) / 256, 256>>>(x, y, n);"
    _, manner, samples, _, _ = timed(body, 1 << 20, keeps=True)
    far = [call.distances[0] for call in strays(manner, samples)]
    assert all(one is not None and one.odd == 0 and one.largest < 20.0 for one in far)


def test_writes_outside_and_faults_are_seen() -> None:
    assert "the bytes between the arrays" in timed("beyond<<<1, 1>>>(y, n);", 1000, "inout")[3]
    fault = timed("wild<<<1, 1>>>(y);", 1000, "inout")[0]
    assert fault is not None and fault.kind == "out_of_bounds" and fault.kernel == "wild"


def _prints(trusted: bytes) -> list[tuple[int, int]]:
    found = []
    with open_device(0):
        driver, stream, place = load_driver(), ctypes.c_void_p(), ctypes.c_uint64()
        driver.call("cuStreamCreate", ctypes.byref(stream), 1)
        driver.call("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(8 << 20))
        own = Trusted(driver, trusted, stream, 0, key=99)
        for size, offset in ((0, 0), (1, 0), (17, 5), (5000, 3), (6_000_001, 0)):
            data = np.random.default_rng(size).integers(0, 256, size, np.uint8)
            address = ctypes.c_uint64(place.value + offset)
            if size:
                driver.call("cuMemcpyHtoD_v2", address, ctypes.c_void_p(data.ctypes.data), ctypes.c_size_t(size))
            found.append((own.fingerprints([(address.value, size)])[0], fingerprint(data, 99)))
    return found


def test_the_devices_fingerprints_are_those_of_numpy() -> None:
    trusted = trusted_cubin(device_named("cuda:0").arch)
    ended = run_in_child(_prints, trusted, kind="gpu", timeout_s=60, memory_bytes=None)
    assert isinstance(ended, Finished) and all(device == host for device, host in ended.value)


def test_the_card_reaches_most_of_its_data_sheet_and_no_more() -> None:
    name = run_in_child(device_info, 0, kind="gpu", timeout_s=60, memory_bytes=None)
    assert isinstance(name, Finished)
    card = architecture(name.value.name).card
    found = ceilings_of(0, device_named("cuda:0").arch)
    for reached in (found.read_gb_s, found.copy_gb_s, found.write_gb_s):
        assert 0.7 * card.memory_gb_s < reached < 1.02 * card.memory_gb_s
    for kind, sheet in (("float32", card.fp32_tflops), ("float64", card.fp64_tflops)):
        assert sheet is None or 0.6 * sheet < found.rates[kind] / 1e12 < 1.05 * sheet
