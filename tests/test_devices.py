"""Where candidates run: which device is meant, and whose fault a dead child is."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence

import numpy as np
import pytest

from cudaperf_magic.bench import devices
from cudaperf_magic.bench.devices import SIMULATED_ARCH, Device, Done, GpuRunner, SimulatorRunner, open_device
from cudaperf_magic.bench.gpu.running import DeviceInfo
from cudaperf_magic.bench.nvrtc import Compiled
from cudaperf_magic.bench.plan import Free, LaunchPlan
from cudaperf_magic.bench.runners import Request
from cudaperf_magic.bench.simulator.result import SimulatorResult
from cudaperf_magic.errors import ToolchainError, UsageError
from cudaperf_magic.records import Build, Fault

BUILT = Compiled(Build(ok=True))
PRESENT = tuple(DeviceInfo(i, "a device", f"sm_8{6 * i}", "13.0", 1 << 30, 40) for i in (0, 1))


def obeying(settings: object, requests: Sequence[Request]) -> list[Done]:
    """Does in the child what each request's seed says: 0 nothing, 1 a fault, 2 dies, 3 hangs."""
    done: list[Done] = []
    for request in requests:
        if request.seed == 2:
            os.kill(os.getpid(), signal.SIGSEGV)
        if request.seed == 3:
            time.sleep(60)
        faults = (Fault("trap", "as it was told"),) if request.seed == 1 else ()
        done.append(({"x": request.arrays["x"] + 1}, faults, SimulatorResult(faults, text=str(request.seed))))
    return done


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(devices, "simulate_requests", obeying)
    monkeypatch.setattr(devices, "TIMEOUT_S", 2.0)

    def run(*seeds: int):
        requests = [Request(LaunchPlan(()), {"x": np.arange(3)}, seed=seed) for seed in seeds]
        return SimulatorRunner(BUILT).run(requests)

    return run


def test_results_come_in_the_order_of_the_requests_with_their_faults(run) -> None:
    results = run(0, 1, 0)
    assert [result.status for result in results] == ["done"] * 3
    assert [len(result.faults) for result in results] == [0, 1, 0]
    assert results[0].arrays["x"].tolist() == [1, 2, 3]


def test_what_was_counted_is_kept_by_plan_from_its_first_forward_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "simulate_requests", obeying)
    plans = [LaunchPlan((Free(name),)) for name in "abc"]
    orders = [(0, "reverse"), (0, "forward"), (1, "forward"), (0, "forward")]
    requests = [Request(plans[which], {"x": np.arange(3)}, order, seed=seed)
                for seed, (which, order) in zip((0, 1, 0, 0), orders, strict=True)]
    runner = SimulatorRunner(BUILT)
    runner.run(requests)
    found = [runner.counts(plan) for plan in plans]
    assert [counts and counts.text for counts in found] == ["1", "0", None]


def test_nothing_asked_is_nothing_run(run) -> None:
    assert list(run()) == []


def test_a_dead_child_is_the_fault_of_the_request_that_killed_it(run) -> None:
    results = run(0, 2, 0)
    assert [result.status for result in results] == ["done", "crash", "crash"]
    assert "segmentation fault" in results[1].message


def test_a_child_that_does_not_end_is_not_tried_again_for_each_request(run, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []
    real = devices.run_in_child
    monkeypatch.setattr(devices, "run_in_child", lambda *given, **named: calls.append(given) or real(*given, **named))
    results = run(0, 3, 0)
    assert [result.status for result in results] == ["timeout"] * 3 and len(calls) == 1
    assert results[0].message == "it did not end within 2 s, here or on the inputs after these"


@pytest.mark.parametrize("name", ["auto", "cuda", "cuda:0"])
def test_the_first_device_is_taken_where_there_is_one(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(devices, "available_devices", lambda: PRESENT)
    assert open_device(name) == Device("cuda:0", "sm_80", 0)
    with open_device(name).runner(BUILT) as runner:
        assert isinstance(runner, GpuRunner)


def test_another_device_is_taken_by_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "available_devices", lambda: PRESENT)
    assert open_device("cuda:1") == Device("cuda:1", "sm_86", 1)
    with pytest.raises(ToolchainError, match=r"cuda:7 is not here \(there is cuda:0, cuda:1\)"):
        open_device("cuda:7")


def test_auto_without_a_device_is_the_simulator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "available_devices", lambda: ())
    assert open_device("auto") == open_device("simulator") == Device("simulator", SIMULATED_ARCH)
    with open_device("auto").runner(BUILT) as runner:
        assert isinstance(runner, SimulatorRunner)
    with pytest.raises(ToolchainError, match="no CUDA device"):
        open_device("cuda")


@pytest.mark.parametrize("name", ["gpu", "cuda:", "cuda:x", "", "CUDA:0", "cuda:-1"])
def test_a_name_that_is_no_device_is_answered_with_the_choices(name: str) -> None:
    with pytest.raises(UsageError, match="auto, simulator or cuda:0"):
        open_device(name)
