"""Runs a function in a child process that can be killed, cannot use up the machine, and leaves nothing behind.

A child is forked from a warm server (imports done, 10 to 30 ms a call), in a session of its own. Covered: endless
loops (wall and CPU time), memory, processes, open files, file sizes, output, crashes; no child outlives its call, an
interrupt of the caller or the caller's death; a private temporary folder is removed afterwards. Where the machine
allows it (`Ended.levels` says what was reached): a process namespace, no network, no changes to files outside the
private folder and the cache, no signals to others.

Not covered: reading files that this user may read, side channels, bugs of the operating system's kernel, and the GPU.
For root without namespaces, processes are counted every 50 ms only. Functions must be importable; what they return
may hold plain values, NumPy arrays and this package's records: nothing else is believed.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import CudaperfError, ToolchainError
from . import sandbox_pickle
from .cache import Cache

WARM_MODULES = ("numpy", "cudaperf_magic.bench.nvrtc", "cudaperf_magic.bench.simulator.launch")
MAX_OUTPUT_BYTES = 1 << 20
MAX_PROCESSES = 64  # a compiler driver and its parts are a handful
_GRACE_S = 15.0  # past the deadline, the server itself must be stuck


@dataclass(frozen=True)
class Ended:
    """`output` is what the child printed, its end cut off at the limit; `levels` are the protections that held."""

    output: str = ""
    seconds: float = 0.0
    levels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finished(Ended):
    value: Any = None

    __match_args__ = ("value",)


@dataclass(frozen=True)
class Crashed(Ended):
    why: str = ""
    signal: int | None = None

    __match_args__ = ("why", "signal")


@dataclass(frozen=True)
class TimedOut(Ended):
    timeout_s: float = 0.0

    __match_args__ = ("timeout_s",)

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def run_in_child(
    function: Callable[..., Any],
    *arguments: Any,
    timeout_s: float,
    memory_bytes: int | None,
    output_bytes: int = MAX_OUTPUT_BYTES,
    processes: int = MAX_PROCESSES,
    network: bool = False,
    **keywords: Any,
) -> Finished | Crashed | TimedOut:
    """Calls `function(*arguments, **keywords)` in a child and tells how that ended. Safe to call from several threads.

    Args:
        function: at the top level of an importable module. It works on copies; arrays that it fills it must return.
        timeout_s: wall time before the child is killed.
        memory_bytes: address space above the warm process's own; None for a function that uses a CUDA driver. The
            driver reserves addresses without limit, looks itself up in /proc and writes there: such a child has no
            process namespace of its own and may write to /proc (seen on an H200 with driver 580: error 304 else).
        output_bytes: of stdout and stderr together; a child that prints more is killed.
        processes: how many processes the child may hold at once.

    Raises:
        ToolchainError: no process can be started, or the function raised it.
        CudaperfError: the function raised it.
        KeyboardInterrupt: from the caller's own terminal; the child is gone by then.
    """
    options = {
        "timeout_s": timeout_s,
        "memory_bytes": memory_bytes,
        "output_bytes": output_bytes,
        "processes": processes,
        "network": network,
        "cpu_s": int(timeout_s * (os.cpu_count() or 1)) + 2,
        "module": function.__module__,
        "path": [os.path.abspath(entry) for entry in sys.path],
        "environment": {**os.environ, **ONE_THREAD},  # as it is now, not as it was when the server started
        "has_driver": memory_bytes is None,
        "writable": [str(Cache().folder), *(["/proc"] if memory_bytes is None else [])],
    }
    request, result = os.memfd_create("request"), os.memfd_create("result")
    try:
        sandbox_pickle.write(request, (function, arguments, keywords))
        answer = _ask(options, request, result)
        return _ended(answer, result, timeout_s, output_bytes)
    finally:
        os.close(request)
        os.close(result)


def run_many(
    function: Callable[..., Any],
    calls: Iterable[tuple[Any, ...]],
    *,
    timeout_s: float,
    memory_bytes: int | None,
    workers: int | None = None,
    **options: Any,
) -> list[Finished | Crashed | TimedOut]:
    """`run_in_child` for each tuple of arguments, several at once; the results are in the order of the calls."""

    def one(arguments: tuple[Any, ...]) -> Finished | Crashed | TimedOut:
        return run_in_child(function, *arguments, timeout_s=timeout_s, memory_bytes=memory_bytes, **options)

    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        pending = [pool.submit(one, arguments) for arguments in calls]
        try:
            return [each.result() for each in pending]
        except BaseException:
            for each in pending:
                each.cancel()
            stop()  # an interrupt reaches this thread only: the running children go with their server
            raise


def _ask(options: dict[str, Any], request: int, result: int) -> dict[str, Any]:
    """Sends the call to the server and waits for its answer, or for the time when there should have been one."""
    for _ in range(2):
        mine, theirs = socket.socketpair()
        with mine:
            try:
                with theirs:
                    _SERVER.send(json.dumps(options).encode(), [theirs.fileno(), request, result])
                data = _wait(mine, options["timeout_s"] + _GRACE_S)
            except BaseException:
                _drop(mine)
                raise
        if data:
            found: dict[str, Any] = json.loads(data)
            return found
        _SERVER.stop()  # it died, or hangs; once more with a new one
    raise ToolchainError("the server of sandboxed processes does not answer; restart the notebook's kernel")


def _wait(line: socket.socket, limit_s: float) -> bytes:
    data = b""
    while select.select([line], [], [], limit_s)[0]:
        try:
            more = line.recv(1 << 16)
        except ConnectionError:
            break
        if not more:
            break
        data += more
    return data


def _drop(line: socket.socket) -> None:
    """Says that the child is not wanted any more, and waits until it is gone."""
    with contextlib.suppress(OSError):
        line.shutdown(socket.SHUT_WR)
        _wait(line, 5.0)


def _ended(answer: dict[str, Any], result: int, timeout_s: float, output_bytes: int) -> Finished | Crashed | TimedOut:
    how = answer["how"]
    common = {
        "output": answer["output"],
        "seconds": answer.get("seconds", 0.0),
        "levels": tuple(answer["levels"]),
    }
    if how == "failed":
        raise ToolchainError(answer["why"])
    if how == "late":
        return TimedOut(timeout_s=timeout_s, **common)
    if how == "printed":
        return Crashed(why=f"more than {output_bytes:,} bytes of output", **common)
    if how == "crowd":
        return Crashed(why="too many processes at once", **common)
    if answer["signal"]:
        return Crashed(why=_signal_words(answer["signal"]), signal=answer["signal"], **common)
    if answer["code"] != 0:
        return Crashed(why=f"exit status {answer['code']}" if answer["code"] > 0 else "no word of how", **common)
    try:
        kind, value = sandbox_pickle.read(result, is_trusted=False)
    except (sandbox_pickle.BrokenPickle, TypeError, ValueError) as error:
        return Crashed(why=f"a broken answer ({error})", **common)
    if kind == "value":
        return Finished(value=value, **common)
    return Crashed(why=_raised(*value), **common)


def _raised(module: str, name: str, message: str) -> str:
    """The words for an exception of the child; one of this package's own tree is raised again instead."""
    if module == CudaperfError.__module__:
        found = getattr(importlib.import_module(module), name, None)
        if isinstance(found, type) and issubclass(found, CudaperfError):
            error = found.__new__(found, message)  # the message is whole: it has its line already
            Exception.__init__(error, message)
            raise error
    if name in ("MemoryError", "_ArrayMemoryError"):
        return "not enough memory within its limit"
    return f"{name}: {message}" if message else name


def _signal_words(number: int) -> str:
    words = {
        6: "abort (signal 6)", 7: "bus error (signal 7)",
        8: "arithmetic exception (signal 8)", 9: "being killed (signal 9)",
        11: "segmentation fault (signal 11)",
        24: "its CPU time used up (signal 24)", 25: "too large a file (signal 25)",
        31: "a forbidden system call (signal 31)",
    }  # fmt: skip
    return words.get(number, f"signal {number}")


class _Server:
    """The warm process of this process; started when first needed, and again when it died."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._owner = 0

    def send(self, message: bytes, files: list[int]) -> None:
        with self._lock:
            self._start()
            assert self._control is not None
            try:
                socket.send_fds(self._control, [message], files)
            except OSError:
                self._stop()
                self._start()
                socket.send_fds(self._control, [message], files)

    def start(self) -> None:
        with self._lock:
            self._start()

    def stop(self) -> None:
        with self._lock:
            self._stop()

    def _start(self) -> None:
        is_alive = self._owner == os.getpid() and self._process is not None and self._process.poll() is None
        if is_alive:
            return
        if not sys.platform.startswith("linux"):
            raise ToolchainError(
                "candidates run in a sandbox that needs Linux; use a Linux machine, WSL or a container"
            )
        self._stop()  # what a dead one, or the process that we were forked from, left open
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        package = str(Path(__file__).resolve().parents[2])
        environment = {**os.environ, **ONE_THREAD}
        environment["PYTHONPATH"] = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
        with theirs:
            command = [sys.executable, "-m", "cudaperf_magic.bench.sandbox_server", str(theirs.fileno()), *WARM_MODULES]
            try:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,  # a Ctrl-C in the terminal is ours to handle
                    env=environment,
                    cwd="/",
                )
            except OSError as error:
                self._stop()
                raise ToolchainError(f"cannot start {sys.executable}: {error}") from None
        self._owner = os.getpid()

    def _stop(self) -> None:
        if self._control is not None:
            self._control.close()  # it kills its children and ends
        if self._process is not None and self._owner == os.getpid():
            try:
                self._process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._control = self._process = None


_SERVER = _Server()


def start() -> None:
    """Starts the server ahead of its first call: it makes ready beside whatever the caller does until then.

    Raises:
        ToolchainError: no process can be started.
    """
    _SERVER.start()


def stop() -> None:
    """Ends the server and every child; the next call starts a new one."""
    _SERVER.stop()


atexit.register(stop)
