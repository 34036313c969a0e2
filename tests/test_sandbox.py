"""The sandbox: whatever a child does ends as a value, and nothing is left behind."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from deeds import fork_for_ever, hoard, segfault

from cudaperf_magic.bench import sandbox
from cudaperf_magic.bench.sandbox import Crashed, Ended, Finished, TimedOut, run_in_child, run_many
from cudaperf_magic.bench.sandbox_servers import SERVERS
from cudaperf_magic.errors import TaskError, ToolchainError
from cudaperf_magic.records import Build, Fault

MEMORY = 512 << 20


def call(function: Any, *arguments: Any, timeout_s: float = 20.0, **options: Any) -> Ended:
    options.setdefault("memory_bytes", MEMORY)
    return run_in_child(function, *arguments, timeout_s=timeout_s, **options)


def value_of(ended: Ended) -> Any:
    assert isinstance(ended, Finished), ended
    return ended.value


# What children do here


def add(left: int, right: int) -> int:
    return left + right


def doubled(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    for array in arrays.values():
        array *= 2
    return arrays


def spin() -> None:
    while True:
        pass


def sleep_in_a_grandchild(path: str) -> None:
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                Path(path).write_text("x")
                time.sleep(60)
            os._exit(0)
    time.sleep(60)


def hoard_in_numpy() -> None:
    np.ones(1 << 40, dtype=np.uint8)


def abort() -> None:
    os.abort()


def print_for_ever() -> None:
    while True:
        os.write(1, b"x" * 65536)


def say(words: str) -> None:
    print(words)
    print("and this", file=sys.stderr)


def fail(kind: str) -> None:
    if kind == "machine":
        raise ToolchainError("no compiler here; install one")
    if kind == "task":
        raise TaskError("is not read", 7)
    raise ZeroDivisionError("by zero")


def leave(code: int) -> None:
    os._exit(code)


def make_files() -> str:
    Path("here").write_text("x")
    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(b"y")
    return os.getcwd()


def write_to(path: str) -> str:
    try:
        Path(path).write_text("changed")
    except OSError as error:
        return type(error).__name__
    return "written"


def fill_the_disk() -> None:
    with open("large", "wb") as file:
        file.truncate(8 << 40)


def connect(port: int) -> str:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=2).close()
    except OSError as error:
        return type(error).__name__
    return "connected"


class Trap:
    """A pickle that runs a command when it is read."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("true",)


def give_a_trap() -> Trap:
    return Trap()


def records() -> tuple[Build, Fault]:
    return Build(ok=True, seconds=0.5), Fault("trap", "stopped", line=3)


def compile_with_gcc() -> int:
    Path("a.c").write_text("int f(void) { return 42; }")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", "a.so", "a.c"], check=True)
    return int(ctypes.CDLL("./a.so").f())


def kill_the_family() -> None:
    for pid in (os.getppid(), os.getpgid(0)):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            continue
    time.sleep(30)


# Values


def test_a_value_comes_back() -> None:
    assert value_of(call(add, 2, right=3)) == 5


def test_arrays_go_in_and_out_whole_and_the_callers_are_not_touched() -> None:
    arrays = {"x": np.arange(3_000_000, dtype=np.float64), "m": np.ones((3, 5), dtype=np.int8), "e": np.zeros(0)}
    found = value_of(call(doubled, arrays))
    assert np.array_equal(found["x"], np.arange(3_000_000) * 2.0) and found["m"].shape == (3, 5)
    assert arrays["x"][1] == 1 and found["e"].size == 0
    found["x"][0] = 9  # writable


def test_records_come_back_as_records() -> None:
    assert value_of(call(records)) == records()


def test_what_it_prints_is_kept() -> None:
    ended = call(say, "hello")
    assert isinstance(ended, Finished) and "hello" in ended.output and "and this" in ended.output


def test_a_compiler_can_be_run_inside() -> None:
    assert value_of(call(compile_with_gcc)) == 42


def test_a_call_is_quick_once_the_server_is_warm() -> None:
    call(add, 1, 2)
    started = time.monotonic()
    for _ in range(10):
        call(add, 1, 2)
    assert time.monotonic() - started < 20  # some 20 ms each; a second each would be a hang


def test_several_threads_may_call_at_once() -> None:
    found = run_many(add, [(i, i) for i in range(12)], timeout_s=20, memory_bytes=MEMORY, workers=4)
    assert [value_of(ended) for ended in found] == [2 * i for i in range(12)]


# Misbehaviour is a value


def test_an_endless_loop_ends_at_its_deadline() -> None:
    ended = call(spin, timeout_s=0.5)
    assert isinstance(ended, TimedOut) and ended.timeout_s == 0.5
    assert ended.seconds < 10


@pytest.mark.parametrize("function", [hoard, hoard_in_numpy])
def test_a_child_that_takes_all_memory_is_stopped(function: Any) -> None:
    ended = call(function)
    assert isinstance(ended, Crashed) and "memory" in ended.why.lower()


@pytest.mark.parametrize(("function", "number"), [(segfault, signal.SIGSEGV), (abort, signal.SIGABRT)])
def test_a_crash_is_named_by_its_signal(function: Any, number: int) -> None:
    ended = call(function)
    assert isinstance(ended, Crashed) and ended.signal == number


@pytest.fixture
def alone() -> None:
    """No spare of an earlier test is being prepared: what begins now is this test's."""
    sandbox.stop()


def test_a_fork_bomb_ends_as_a_value_and_leaves_nothing(alone: None) -> None:
    before = {p.pid for p in psutil.process_iter()}
    ended = call(fork_for_ever, timeout_s=10)
    assert isinstance(ended, Crashed | TimedOut)
    assert not _left_over(before)


def test_grandchildren_that_detach_themselves_are_killed_too(alone: None, tmp_path: Path) -> None:
    before = {p.pid for p in psutil.process_iter()}
    assert isinstance(call(sleep_in_a_grandchild, "mark", timeout_s=1), TimedOut)
    assert not _left_over(before)


def test_a_gigabyte_of_output_is_cut_off() -> None:
    ended = call(print_for_ever, output_bytes=10_000)
    assert isinstance(ended, Crashed) and "10,000 bytes of output" in ended.why and len(ended.output) == 10_000


def test_an_exit_without_a_value_is_a_crash() -> None:
    assert call(leave, 3) == Crashed(why="exit status 3", **_same(call(leave, 3)))
    ended = call(leave, 0)
    assert isinstance(ended, Crashed) and "no value was left" in ended.why


def _same(ended: Ended) -> dict[str, Any]:
    return {"output": ended.output, "seconds": pytest.approx(ended.seconds, abs=10), "levels": ended.levels}


def test_a_file_without_end_is_stopped() -> None:
    assert isinstance(call(fill_the_disk), Crashed)


def test_a_child_that_kills_its_family_does_not_hurt_the_next_call() -> None:
    assert not isinstance(call(kill_the_family, timeout_s=2), Finished)
    assert value_of(call(add, 1, 1)) == 2


def test_an_answer_that_would_run_code_is_not_believed() -> None:
    ended = call(give_a_trap)
    assert isinstance(ended, Crashed) and "is not data" in ended.why


def test_errors_of_the_machine_and_the_person_are_raised_and_others_are_crashes() -> None:
    with pytest.raises(ToolchainError, match="no compiler here; install one"):
        call(fail, "machine")
    with pytest.raises(TaskError, match="line 7: is not read"):
        call(fail, "task")
    ended = call(fail, "other")
    assert isinstance(ended, Crashed) and ended.why == "ZeroDivisionError: by zero"


# What it cannot reach


def test_its_temporary_files_are_gone_afterwards() -> None:
    folder = value_of(call(make_files))
    assert folder.startswith(tempfile.gettempdir()) and not Path(folder).exists()


def test_it_cannot_change_files_outside_where_the_kernel_has_landlock(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("safe")
    ended = call(write_to, str(victim))
    if "files" not in ended.levels:
        pytest.skip("this kernel has no landlock")
    assert value_of(ended) == "PermissionError" and victim.read_text() == "safe"


def test_it_cannot_reach_the_network_where_the_kernel_allows_to_cut_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        ended = call(connect, server.getsockname()[1])
    if "network" not in ended.levels:
        pytest.skip("no network namespaces here, and no landlock that knows TCP")
    assert value_of(ended) != "connected"


# Nobody is left behind

_CALLER = """
import sys
sys.path[:0] = {path!r}
import test_sandbox
from cudaperf_magic.bench.sandbox import run_in_child
print("ready", flush=True)
run_in_child(test_sandbox.spin, timeout_s=100, memory_bytes=None)
"""


def _caller() -> subprocess.Popen[str]:
    path = [str(Path(__file__).parent), str(Path(sandbox.__file__).parents[2])]
    code = _CALLER.format(path=path)
    caller = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert caller.stdout is not None and caller.stdout.readline() == "ready\n"
    family = psutil.Process(caller.pid)
    until = time.monotonic() + 60
    while len(family.children(recursive=True)) < 3 and time.monotonic() < until:  # server, keeper, worker
        time.sleep(0.05)
    assert len(family.children(recursive=True)) >= 3
    return caller


def _gone(family: list[psutil.Process]) -> bool:
    _, alive = psutil.wait_procs(family, timeout=15)
    return not alive


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_caller_that_is_killed_or_interrupted_leaves_no_process(number: int) -> None:
    caller = _caller()
    family = psutil.Process(caller.pid).children(recursive=True)
    caller.send_signal(number)
    caller.communicate(timeout=30)
    assert _gone(family)


def test_an_interrupt_during_a_call_kills_the_child_and_is_raised(alone: None) -> None:
    before = {p.pid for p in psutil.process_iter()}
    call(add, 1, 1)
    main = threading.main_thread().ident
    assert main is not None
    timer = threading.Timer(0.7, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        call(spin)
    assert not _left_over(before)
    assert value_of(call(add, 1, 1)) == 2


def test_a_server_that_died_is_started_again() -> None:
    call(add, 1, 1)
    process = SERVERS["plain"]._process
    assert process is not None
    process.kill()
    assert value_of(call(add, 2, 2)) == 4


def _left_over(before: set[int]) -> list[psutil.Process]:
    """Processes of this test that are new, but for the server."""
    server = SERVERS["plain"]._process
    kept = before | ({server.pid} if server is not None else set())
    until = time.monotonic() + 10
    while True:
        family = psutil.Process().children(recursive=True)
        new = [p for p in family if p.pid not in kept and p.is_running()]
        if not new or time.monotonic() > until:
            return new
        time.sleep(0.1)
