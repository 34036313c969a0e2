"""The process that forks children for sandbox.py: warm (its imports are done), single-threaded, and never running
foreign code.

Run as `python -m cudaperf_magic.bench.sandbox_server SOCKET WARM_UP MODULE...`. For each request it forks a *keeper*,
first of its own process namespace where there is one, which forks the *worker* that does the session's work. The server
watches the session's deadline, the number of processes and their files, and kills; what the worker says and prints goes
to the parent directly. The server ends when its parent's socket closes.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import glob
import importlib
import json
import math
import os
import selectors
import shutil
import signal
import socket
import struct
import sys
import tempfile
import time
import traceback
import warnings
from dataclasses import dataclass
from typing import Any

from . import sandbox_limits as limits
from . import sandbox_pickle
from .sandbox_line import Line

PACKAGE = "cudaperf_magic."
_PREFIX = "cudaperf-server-"
_TICK_S = 0.05
_IDLE_TICK_S = 1.0  # when no session has a deadline
_STARTED, _ENDED = 1, 2
_STATUS = struct.Struct("<iiii")  # _STARTED, is the network cut, version of landlock, is the folder private; or
# _ENDED, exit status, signal, 0
_LIMIT = struct.Struct("<d")
_MESSAGE_BYTES = 1 << 18
_FILES = 4  # control, channel, output, request; then those of shared arrays
_SHARED = 64


@dataclass(eq=False)
class _Call:
    """One child on its way. `line` leads to whoever waits for it; when that end closes, nobody wants it any more."""

    line: socket.socket
    keeper: int
    status: int
    folder: str
    started: float
    deadline: float
    processes: int
    levels: list[str]

    @property
    def is_in_namespace(self) -> bool:
        return "process namespace" in self.levels


@dataclass(frozen=True)
class _Files:
    """The worker's ends, and the request with the files of shared arrays in it."""

    channel: int
    output: int
    request: int
    shared: tuple[int, ...]

    @property
    def all(self) -> tuple[int, ...]:
        return (self.channel, self.output, self.request, *self.shared)


class Server:
    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.calls: list[_Call] = []
        self.selector = selectors.DefaultSelector()
        self.selector.register(control, selectors.EVENT_READ, None)
        limits.adopt_orphans()
        limits.become_mappable()
        self.namespace = limits.ProcessNamespace()
        _clear()
        self.folder, self.lock = _own_folder()  # of the folders of its children

    def close(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self.lock)

    def serve(self) -> None:
        while True:
            for key, _ in self.selector.select(self.tick_s):
                if key.data is None:
                    if not self.accept():
                        return
                elif key.data in self.calls:
                    self.hear(key.data, key.fd)
            self.watch()

    @property
    def tick_s(self) -> float | None:
        if not self.calls:
            return None
        return _IDLE_TICK_S if all(math.isinf(call.deadline) for call in self.calls) else _TICK_S

    def accept(self) -> bool:
        """Takes one request; False when the parent is gone."""
        message, found, _, _ = socket.recv_fds(self.control, _MESSAGE_BYTES, _FILES + _SHARED)
        if not message:
            for call in list(self.calls):
                self.end(call, "dropped")
            return False
        options = json.loads(message)
        for name in options["modules"]:
            if name.startswith(PACKAGE):  # our own, so that the next child finds it imported
                with contextlib.suppress(ImportError):
                    importlib.import_module(name)
        line, files = socket.socket(fileno=found[0]), _Files(found[1], found[2], found[3], tuple(found[4:]))
        try:
            self.calls.append(self.fork(line, files, options))
        except OSError as error:
            _say(line, {"how": "failed", "why": f"cannot start a process: {error}"})
            line.close()
        finally:
            for each in files.all:
                os.close(each)
        return True

    def fork(self, line: socket.socket, files: _Files, options: dict[str, Any]) -> _Call:
        status_read, status_write = os.pipe()
        folder = tempfile.mkdtemp(dir=self.folder)
        is_separate = not options["has_driver"] and self.namespace.enter()
        pid = os.fork()
        if pid == 0:
            try:
                self.selector.close()
                os.close(self.lock)
                for call in self.calls:
                    os.close(call.status)
                    call.line.close()
                self.control.close()
                line.close()
                os.close(status_read)
                _keep(status_write, files, folder, options, is_separate)
            finally:
                os._exit(70)
        if is_separate:
            self.namespace.leave()
        os.close(status_write)
        started = time.monotonic()
        until = math.inf if options["timeout_s"] is None else started + options["timeout_s"]
        levels = ["process group", "resource limits", *(["process namespace"] if is_separate else [])]
        call = _Call(line, pid, status_read, folder, started, until, options["processes"], levels)
        for each in (line, status_read):
            self.selector.register(each, selectors.EVENT_READ, call)
        return call

    def hear(self, call: _Call, file: int) -> None:
        if file == call.status:
            self.hear_keeper(call)
            return
        try:
            data = call.line.recv(_LIMIT.size)
        except ConnectionError:
            data = b""
        if len(data) == _LIMIT.size:
            call.deadline = time.monotonic() + _LIMIT.unpack(data)[0]
        else:
            self.end(call, "dropped")

    def hear_keeper(self, call: _Call) -> None:
        data = os.read(call.status, _STATUS.size)
        tag, *values = _STATUS.unpack(data) if len(data) == _STATUS.size else (_ENDED, -1, 0, 0)
        if tag == _STARTED:
            is_cut, landlock, is_private = values
            call.levels += ["network"] if is_cut or landlock >= 4 else []
            call.levels += ["files"] if landlock else []
            call.levels += ["private folder"] if is_private else []
            _say(call.line, {"how": "started", "levels": call.levels})
        else:
            self.end(call, "ended", values[0], values[1])

    def watch(self) -> None:
        now = time.monotonic()
        for call in list(self.calls):
            if now > call.deadline:
                self.end(call, "late")
            elif len(limits.descendants(call.keeper)) > call.processes:
                self.end(call, "crowd")
            elif "private folder" not in call.levels and limits.is_over_full(call.folder):
                self.end(call, "disk")
        keepers = {call.keeper for call in self.calls}
        for child in _children():
            if child not in keepers:  # an orphan that came to us
                with contextlib.suppress(OSError):
                    os.kill(child, signal.SIGKILL)
        _reap()

    def end(self, call: _Call, how: str, code: int = -1, number: int = 0) -> None:
        """Kills what is left of the call, removes its folder, and tells how it ended."""
        self.calls.remove(call)
        if not call.is_in_namespace:
            limits.kill_descendants(call.keeper)
        with contextlib.suppress(OSError):
            os.kill(call.keeper, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.waitpid(call.keeper, 0)
        for each in (call.line, call.status):
            with contextlib.suppress(KeyError, ValueError):
                self.selector.unregister(each)
        os.close(call.status)
        shutil.rmtree(call.folder, ignore_errors=True)
        _say(call.line, {"how": how, "code": code, "signal": number})
        call.line.close()


def _own_folder() -> tuple[str, int]:
    """A new folder, and the lock by which others see that it is in use."""
    while True:
        folder = tempfile.mkdtemp(prefix=_PREFIX)
        try:
            lock = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.fstat(lock).st_nlink:  # else another server took it for a dead one's, before we had the lock
            return folder, lock
        os.close(lock)


def _clear() -> None:
    """Removes the folders of servers that were killed: nobody holds their lock."""
    for path in glob.glob(os.path.join(tempfile.gettempdir(), f"{_PREFIX}*")):
        with contextlib.suppress(OSError):
            file = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(file)


def _say(line: socket.socket, word: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        line.send(json.dumps(word).encode(), socket.MSG_DONTWAIT)


def _children() -> list[int]:
    with contextlib.suppress(OSError), open(f"/proc/self/task/{os.getpid()}/children") as file:
        return [int(word) for word in file.read().split()]
    return []


def _reap() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def _keep(status: int, files: _Files, folder: str, options: dict[str, Any], is_separate: bool) -> None:
    """The keeper: forks the worker, waits for it, clears up behind it, and says how it ended."""
    limits.die_with_parent()
    os.setsid()
    limits.adopt_orphans()
    is_cut = not options["network"] and limits.cut_network()
    is_private = limits.mount_private(folder)
    os.write(status, _STATUS.pack(_STARTED, is_cut, limits.landlock_version(), is_private))
    worker = os.fork()
    if worker == 0:
        try:
            os.close(status)
            _work(files, folder, options)
        finally:
            os._exit(71)
    for each in files.all:
        os.close(each)
    ended = 0
    while True:
        pid, ended = os.waitpid(-1, 0)
        if pid == worker:
            break
    if not is_separate:
        limits.kill_descendants(os.getpid())
    code = os.waitstatus_to_exitcode(ended)
    os.write(status, _STATUS.pack(_ENDED, max(code, 0), max(-code, 0), 0))
    os._exit(0)


def _work(files: _Files, folder: str, options: dict[str, Any]) -> None:
    """The worker: the one process here that runs foreign code, with everything taken away before it does."""
    limits.die_with_parent()
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (files.output, 1), (files.output, 2)):
        os.dup2(source, target)
    for each in (null, files.output):
        os.close(each)
    os.environ.clear()
    os.environ.update(options["environment"])
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    os.chdir(folder)
    sys.path[:] = options["path"]
    limits.lower_limits(options["memory_bytes"], options["cpu_s"], options["processes"])
    limits.lock_files([folder, *options["writable"]])
    line = Line(socket.socket(fileno=files.channel))
    try:
        work, arguments = sandbox_pickle.read(files.request, is_trusted=True, shared=files.shared)
        os.close(files.request)
        work(line, *arguments)
    except EOFError:
        pass  # nobody asks any more
    except BaseException as error:
        traceback.print_exc()
        with contextlib.suppress(OSError):
            line.send_error(error)
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(0)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # NVRTC keeps a thread; it waits while we fork, and holds no lock that a child needs.
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    control = socket.socket(fileno=int(sys.argv[1]))
    for name in sys.argv[3:]:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    if sys.argv[2]:
        module, _, name = sys.argv[2].partition(":")
        with contextlib.suppress(Exception):  # what fails here fails in the children too, who can say so
            getattr(importlib.import_module(module), name)()
    gc.freeze()  # or a collection in a child would write to, and so copy, the pages of all that lives now
    server = Server(control)
    try:
        server.serve()
    finally:
        server.close()


if __name__ == "__main__":
    main()
