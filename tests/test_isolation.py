"""Whatever happens to one evaluation, the next is right, and nothing is left: no process, file, memory file or segment.

The deeds are done by functions in sandboxed children and by signals from outside; the evaluations go through the bench.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from deeds import fork_for_ever, hang, hoard, segfault

from cudaperf_magic.bench import compilers, sandbox
from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.bench.sandbox import Crashed, Ended, Finished, Line, TimedOut, open_session, run_in_child
from cudaperf_magic.bench.sandbox_limits import MAX_FOLDER_BYTES
from cudaperf_magic.bench.sandbox_servers import SERVERS
from cudaperf_magic.bench.settle import settled
from cudaperf_magic.records import Candidate, Outcome, Task
from cudaperf_magic.tasks.c import read_task

MEMORY = 512 << 20
SOURCE = "void scale(int n, float a, float x[n]) {\n    for (int i = 0; i < n; i++) x[i] = a * x[i];\n}\n"
KERNEL = """__global__ void k(int n, float a, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = a OP x[i];
}
void scale(int n, float a, float *x) { if (n > 0) k<<<(n + 127) / 128, 128>>>(n, a, x); }
"""
GOOD, WRONG = KERNEL.replace("OP", "*"), KERNEL.replace("OP", "+")
ENDLESS = KERNEL.replace("if (i < n)", "while (n > 0) if (i < n)").replace("OP", "*")


@pytest.fixture(scope="module")
def task() -> Task:
    return settled(*read_task(SOURCE, sizes={"n": "500"}))


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with pytest.MonkeyPatch.context() as patch:
        sandbox.stop()
        patch.setenv("CUDAPERF_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("TMPDIR", str(tmp_path_factory.mktemp("tmp")))  # where only our servers make folders
        with Bench("simulator") as made:
            yield made


def judged(bench: Bench, task: Task, source: str) -> str:
    """The verdict on a source that no cache has seen."""
    outcome = bench.evaluate(task, Candidate(f"{source}// {os.urandom(8).hex()}\n"))
    return status(outcome)


def status(outcome: Outcome) -> str:
    return outcome.verdict.status if outcome.verdict is not None else outcome.build.log


# What a hostile child does

LITTER = (tempfile.gettempdir(), "/var/tmp", "/dev/shm")


def leave() -> None:
    os._exit(0)


def hang_deaf_to_signals() -> None:
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            continue
    while True:
        time.sleep(1)


def fill_the_disk() -> None:
    """Many files, each within the limit, unlinked at once so that nobody who looks sees them."""
    kept = []
    for number in range(MAX_FOLDER_BYTES // (64 << 20) + 8):
        kept.append(open(f"part{number}", "wb"))  # noqa: SIM115
        kept[-1].write(bytes(64 << 20))
        kept[-1].flush()
        os.unlink(f"part{number}")
    os._exit(0)


def litter() -> None:
    """Leaves whatever a process can leave."""
    Path("here").write_text("x")
    for folder in LITTER:
        try:
            Path(folder, "litter-of-a-test").write_text("x")
        except OSError:
            continue
    os.memfd_create("litter")
    libc = ctypes.CDLL(None)
    libc.shmget(0x5EED, 4096, 0o1600)
    if os.fork() == 0:
        os.setsid()
        time.sleep(100)
    os._exit(0)


def kill_the_family() -> None:
    for pid in {os.getppid(), 1, *range(max(os.getpid() - 50, 2), os.getpid() + 50)} - {os.getpid()}:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            continue
    os._exit(0)


# What may not be left


class State:
    """What this process and its machine hold, in numbers and names that must be the same afterwards."""

    def __init__(self) -> None:
        me = psutil.Process()
        self.processes = {p.pid for p in me.children(recursive=True)}
        self.descriptors = len(os.listdir("/proc/self/fd"))
        self.memory_files = sum("memfd:" in _link(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd"))
        self.folders = set(os.listdir(os.environ["TMPDIR"]))
        self.litter = [path for path in LITTER if Path(path, "litter-of-a-test").exists()]
        self.segments = len(Path("/proc/sysvipc/shm").read_text().splitlines())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and vars(self) == vars(other)

    def __repr__(self) -> str:
        return str(vars(self))


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def settled_state() -> State:
    """The state once spares are there and what is being cleared up is gone."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if compilers.SPARES._filler is None and compilers.SPARES.waiting == compilers.MOST_SPARES:
            first = State()
            time.sleep(0.3)
            if State() == first:
                return first
        time.sleep(0.05)
    return State()


def without_spares(state: State) -> dict[str, Any]:
    """Spares come and go with names of their own: of processes and folders only how many there are counts."""
    return {**vars(state), "processes": len(state.processes), "folders": len(state.folders)}


DEEDS = (
    leave, segfault, hang, hang_deaf_to_signals, hoard, fork_for_ever, fill_the_disk, litter, kill_the_family
)  # fmt: skip


@pytest.mark.parametrize("deed", DEEDS)
def test_after_a_hostile_child_the_next_evaluation_is_right_and_nothing_is_left(
    deed: Any, bench: Bench, task: Task
) -> None:
    assert judged(bench, task, GOOD) == "pass"
    before = settled_state()
    ended: Ended = run_in_child(deed, timeout_s=2.0, memory_bytes=4 * MEMORY)
    assert isinstance(ended, Crashed | TimedOut), ended
    assert judged(bench, task, GOOD) == "pass" and judged(bench, task, WRONG) == "mismatch"
    assert without_spares(settled_state()) == without_spares(before)


def test_an_endless_kernel_is_told_and_the_next_evaluation_is_right(bench: Bench, task: Task) -> None:
    assert judged(bench, task, ENDLESS) in ("timeout", "crash")
    assert judged(bench, task, GOOD) == "pass"


def _killing(stop: threading.Event, victims: Any, pause_s: float) -> threading.Thread:
    def run() -> None:
        while not stop.wait(pause_s):
            for pid in victims():
                with_kill(pid)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def with_kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        return


def _servers() -> list[int]:
    return [server.pid for server in SERVERS.values() if server.pid is not None]


def test_an_evaluation_whose_servers_are_killed_is_right_all_the_same(bench: Bench, task: Task) -> None:
    sandbox.stop()  # what begins from here on is this test's
    assert judged(bench, task, GOOD) == "pass"
    for pause_s in (0.05, 0.2, 0.5):
        killed = threading.Timer(pause_s, lambda: [with_kill(pid) for pid in _servers()])
        killed.start()
        assert judged(bench, task, GOOD) == "pass"
        killed.join()
    assert judged(bench, task, WRONG) == "mismatch"
    after = settled_state()
    assert len(after.processes) <= 2 + 2 * compilers.MOST_SPARES
    # Each server that starts removes what killed ones have left.
    assert len(after.folders) == len([server for server in SERVERS.values() if server.pid is not None])


def test_an_evaluation_whose_children_are_killed_ends_and_the_next_is_right(bench: Bench, task: Task) -> None:
    def children() -> list[int]:
        servers = set(_servers())
        return [p.pid for p in psutil.Process().children(recursive=True) if p.pid not in servers]

    stop = threading.Event()
    killer = _killing(stop, children, 0.1)
    try:
        seen = judged(bench, task, GOOD)
    finally:
        stop.set()
        killer.join()
    assert seen == "pass" or "ended with" in seen or seen == "crash"
    assert judged(bench, task, GOOD) == "pass" and judged(bench, task, WRONG) == "mismatch"


def wait_for_ever(line: Line) -> None:
    line.send(os.getpid())
    while True:
        line.send(line.receive())


def test_a_session_whose_worker_is_killed_says_so() -> None:
    with open_session(wait_for_ever, timeout_s=30, memory_bytes=MEMORY) as session:
        assert isinstance(session.answer(), Finished)
        for child in psutil.Process(SERVERS["plain"].pid).children(recursive=True):
            if not child.children():
                child.kill()
        ended = session.ask("hello")
        assert isinstance(ended, Crashed) and ended.signal == signal.SIGKILL


OWNER = """
import os, sys
sys.path[:0] = {path!r}
import test_isolation as here
from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.bench.settle import settled
from cudaperf_magic.tasks.c import read_task
task = settled(*read_task(here.SOURCE, sizes={{"n": "500"}}))
with Bench("simulator") as bench:
    print(here.judged(bench, task, here.GOOD), flush=True)
    while True:
        here.judged(bench, task, here.ENDLESS)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_end_of_the_process_that_owns_the_bench_leaves_nothing(number: int, tmp_path: Path) -> None:
    path = [str(Path(__file__).parent), str(Path(sandbox.__file__).parents[2])]
    environment = {**os.environ, "TMPDIR": str(tmp_path), "CUDAPERF_CACHE": str(tmp_path / "cache")}
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER.format(path=path)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment,
    )  # fmt: skip
    assert owner.stdout is not None and owner.stdout.readline() == "pass\n"
    time.sleep(0.3)
    family = psutil.Process(owner.pid).children(recursive=True)
    assert len(family) >= 3
    owner.send_signal(number)
    owner.communicate(timeout=30)
    _, alive = psutil.wait_procs(family, timeout=15)
    assert not alive
    left = [name for name in os.listdir(tmp_path) if name != "cache"]
    assert left == []
