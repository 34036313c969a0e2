"""The warm servers of this process, one for each kind of child: started when first needed, and again when one died.

What a server has loaded decides what its children can do: a process in which NVRTC 13 has worked has initialised the
CUDA driver, and its forked children cannot use a device. So compilers, users of a device and users of torch are forked
from different servers.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..errors import ToolchainError

KindName = Literal["plain", "gpu", "compile", "torch"]
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Kind:
    """What a server imports, and the function "module:name" that it calls once, before its first child."""

    modules: tuple[str, ...]
    warm_up: str = ""
    has_driver: bool = False
    writes_cache: bool = True


KINDS: dict[KindName, Kind] = {
    "plain": Kind(("numpy", "cudaperf_magic.bench.nvrtc", "cudaperf_magic.bench.simulator.launch")),
    "gpu": Kind(
        ("numpy", "cudaperf_magic.bench.gpu.child"), "cudaperf_magic.bench.counters.counting:warm_up", has_driver=True
    ),
    "compile": Kind(("numpy", "cudaperf_magic.bench.compilers"), "cudaperf_magic.bench.nvrtc:warm_server"),
    "torch": Kind(
        ("numpy", "torch", "cudaperf_magic.bench.gpu.driver", "cudaperf_magic.bench.modules.referee"),
        "cudaperf_magic.bench.modules.loading:warm_up",
        has_driver=True,
        writes_cache=False,
    ),
}


class Server:
    """One warm process of this process. Safe to use from several threads, and after a fork of this process."""

    def __init__(self, kind: KindName) -> None:
        self.kind = kind
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._owner = 0

    @property
    def pid(self) -> int | None:
        """Of the process, when it has been started."""
        process = self._process
        return None if process is None else process.pid

    def send(self, message: bytes, files: list[int]) -> None:
        """One request, to the server or to a new one where it has died.

        Raises:
            ToolchainError: no process can be started.
        """
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
        with theirs:
            kind = KINDS[self.kind]
            program = [sys.executable, "-m", "cudaperf_magic.bench.sandbox_server"]
            try:
                self._process = subprocess.Popen(
                    [*program, str(theirs.fileno()), kind.warm_up, *kind.modules],
                    stdin=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,  # a Ctrl-C in the terminal is ours to handle
                    env=_environment(),
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


def _environment() -> dict[str, str]:
    package = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, **ONE_THREAD, "PYTHONPATH": path}


SERVERS: dict[KindName, Server] = {name: Server(name) for name in KINDS}
BEFORE_STOP: list[Callable[[], None]] = []  # those who would start a server again


def start(kind: KindName = "plain") -> None:
    """Starts a server ahead of its first call: it makes ready beside whatever the caller does until then.

    Raises:
        ToolchainError: no process can be started.
    """
    SERVERS[kind].start()


def stop() -> None:
    """Ends all servers and every child of theirs; the next call starts new ones."""
    for tidy in BEFORE_STOP:
        with contextlib.suppress(ToolchainError):
            tidy()
    for server in SERVERS.values():
        server.stop()


_holders = 0  # of the servers; changed under _HOLDING
_HOLDING = threading.Lock()


@contextlib.contextmanager
def held() -> Iterator[None]:
    """While anyone holds the servers, `rest` leaves them running: another thread's children are in them."""
    global _holders
    with _HOLDING:
        _holders += 1
    try:
        yield
    finally:
        with _HOLDING:
            _holders -= 1


def rest() -> None:
    """Ends all servers as `stop` does, unless somebody holds them."""
    if not _holders:
        stop()


atexit.register(stop)
