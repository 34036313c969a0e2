"""The process that forks children for sandbox.py: warm (its imports are done), single-threaded, and never running
foreign code.

Run as `python -m cudaperf_magic.bench.sandbox_server SOCKET MODULE...`. For each request it forks a *keeper*, first
of its own process namespace where there is one, which forks the *worker* that calls the function. The server watches
deadline, output and the number of processes, and kills; it ends when its parent's socket closes.
"""

from __future__ import annotations

import contextlib
import importlib
import json
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
from dataclasses import dataclass, field
from typing import Any

from . import sandbox_limits as limits
from . import sandbox_pickle

PACKAGE = "cudaperf_magic."
_TICK_S = 0.05
_STATUS = struct.Struct("<iiii")  # exit status, signal, whether the network is cut, version of landlock
_MESSAGE_BYTES = 1 << 16
_DRAIN_S = 0.2


@dataclass(eq=False)
class _Call:
    """One child on its way. `socket` leads to whoever waits for it; when that end closes, nobody wants it any more."""

    socket: socket.socket
    keeper: int
    status: int
    output: int
    folder: str
    started: float
    options: dict[str, Any]
    levels: list[str]
    text: bytearray = field(default_factory=bytearray)

    @property
    def deadline(self) -> float:
        return self.started + float(self.options["timeout_s"])


class Server:
    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.calls: list[_Call] = []
        self.selector = selectors.DefaultSelector()
        self.selector.register(control, selectors.EVENT_READ, None)
        limits.adopt_orphans()
        limits.become_mappable()
        self.namespace = limits.ProcessNamespace()

    def serve(self) -> None:
        while True:
            for key, _ in self.selector.select(_TICK_S if self.calls else None):
                if key.data is None:
                    if not self.accept():
                        return
                elif key.data in self.calls:
                    self.hear(key.data, key.fd)
            self.watch()

    def accept(self) -> bool:
        """Takes one request; False when the parent is gone."""
        message, files, _, _ = socket.recv_fds(self.control, _MESSAGE_BYTES, 3)
        if not message:
            for call in list(self.calls):
                self.end(call, "dropped")
            return False
        options = json.loads(message)
        if options["module"].startswith(PACKAGE):  # our own, so that the next child finds it imported
            with contextlib.suppress(ImportError):
                importlib.import_module(options["module"])
        line, request, result = socket.socket(fileno=files[0]), files[1], files[2]
        try:
            self.calls.append(self.fork(line, request, result, options))
        except OSError as error:
            _reply(line, {"how": "failed", "why": f"cannot start a process: {error}", "output": "", "levels": []})
        finally:
            os.close(request)
            os.close(result)
        return True

    def fork(self, line: socket.socket, request: int, result: int, options: dict[str, Any]) -> _Call:
        status_read, status_write = os.pipe()
        output_read, output_write = os.pipe()
        folder = tempfile.mkdtemp(prefix="cudaperf-")
        is_separate = not options["has_driver"] and self.namespace.enter()
        pid = os.fork()
        if pid == 0:
            try:
                self.selector.close()
                for call in self.calls:
                    os.close(call.status)
                    os.close(call.output)
                    call.socket.close()
                self.control.close()
                line.close()
                _keep(status_write, output_write, request, result, folder, options, is_separate)
            finally:
                os._exit(70)
        if is_separate:
            self.namespace.leave()
        os.close(status_write)
        os.close(output_write)
        os.set_blocking(output_read, False)
        levels = ["process group", "resource limits", *(["process namespace"] if is_separate else [])]
        call = _Call(line, pid, status_read, output_read, folder, time.monotonic(), options, levels)
        for each in (line, status_read, output_read):
            self.selector.register(each, selectors.EVENT_READ, call)
        return call

    def hear(self, call: _Call, file: int) -> None:
        if file == call.output:
            self.take_output(call)
            if len(call.text) > call.options["output_bytes"]:
                self.end(call, "printed")
        elif file == call.status:
            self.end(call, "ended")
        elif not call.socket.recv(1):
            self.end(call, "dropped")

    def take_output(self, call: _Call) -> bool:
        """Whether there may be more to come now."""
        try:
            data = os.read(call.output, 1 << 16)
        except BlockingIOError:
            return False
        if not data:
            with contextlib.suppress(KeyError):
                self.selector.unregister(call.output)
        call.text += data
        return bool(data)

    def watch(self) -> None:
        now = time.monotonic()
        for call in list(self.calls):
            if now > call.deadline:
                self.end(call, "late")
            elif len(limits.descendants(call.keeper)) > call.options["processes"]:
                self.end(call, "crowd")
        keepers = {call.keeper for call in self.calls}
        for child in _children():
            if child not in keepers:  # an orphan that came to us
                with contextlib.suppress(OSError):
                    os.kill(child, signal.SIGKILL)
        _reap()

    def end(self, call: _Call, how: str) -> None:
        """Kills what is left of the call, tells how it ended, and removes its folder."""
        self.calls.remove(call)
        status = os.read(call.status, _STATUS.size) if how == "ended" else b""
        if "process namespace" not in call.levels:
            limits.kill_descendants(call.keeper)
        with contextlib.suppress(OSError):
            os.kill(call.keeper, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.waitpid(call.keeper, 0)
        until = time.monotonic() + _DRAIN_S
        while len(call.text) <= call.options["output_bytes"] and time.monotonic() < until and self.take_output(call):
            pass
        for each in (call.socket, call.status, call.output):
            with contextlib.suppress(KeyError, ValueError):
                self.selector.unregister(each)
        os.close(call.status)
        os.close(call.output)
        code, number, cut, landlock = _STATUS.unpack(status) if len(status) == _STATUS.size else (-1, 0, 0, 0)
        levels = call.levels + (["network"] if cut or landlock >= 4 else []) + (["files"] if landlock else [])
        text = bytes(call.text[: call.options["output_bytes"]]).decode(errors="replace")
        seconds = time.monotonic() - call.started
        shutil.rmtree(call.folder, ignore_errors=True)
        answer = {"how": how, "code": code, "signal": number, "output": text, "levels": levels, "seconds": seconds}
        _reply(call.socket, answer)


def _reply(line: socket.socket, answer: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        line.sendall(json.dumps(answer).encode())
    line.close()


def _children() -> list[int]:
    with contextlib.suppress(OSError), open(f"/proc/self/task/{os.getpid()}/children") as file:
        return [int(word) for word in file.read().split()]
    return []


def _reap() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def _keep(
    status: int, output: int, request: int, result: int, folder: str, options: dict[str, Any], is_separate: bool
) -> None:
    """The keeper: forks the worker, waits for it, clears up behind it, and says how it ended."""
    limits.die_with_parent()
    os.setsid()
    limits.adopt_orphans()
    is_cut = not options["network"] and limits.cut_network()
    landlock = limits.landlock_version()
    worker = os.fork()
    if worker == 0:
        try:
            os.close(status)
            _work(output, request, result, folder, options)
        finally:
            os._exit(71)
    for each in (output, request, result):
        os.close(each)
    ended = 0
    while True:
        pid, ended = os.waitpid(-1, 0)
        if pid == worker:
            break
    if not is_separate:
        limits.kill_descendants(os.getpid())
    code = os.waitstatus_to_exitcode(ended)
    os.write(status, _STATUS.pack(max(code, 0), max(-code, 0), is_cut, landlock))
    os._exit(0)


def _work(output: int, request: int, result: int, folder: str, options: dict[str, Any]) -> None:
    """The worker: the one process here that runs foreign code, with everything taken away before it does."""
    limits.die_with_parent()
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    os.environ.clear()
    os.environ.update(options["environment"])
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    os.chdir(folder)
    sys.path[:] = options["path"]
    limits.lower_limits(options["memory_bytes"], options["cpu_s"], options["processes"])
    limits.lock_files([folder, *options["writable"]])
    try:
        function, arguments, keywords = sandbox_pickle.read(request, is_trusted=True)
        answer: tuple[str, Any] = ("value", function(*arguments, **keywords))
    except BaseException as error:
        traceback.print_exc()
        answer = ("error", (type(error).__module__, type(error).__qualname__, str(error)))
    with contextlib.suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    try:
        sandbox_pickle.write(result, answer)
    except BaseException as error:
        os.ftruncate(result, 0)
        sandbox_pickle.write(result, ("error", (type(error).__module__, type(error).__qualname__, str(error))))
    os._exit(0)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = socket.socket(fileno=int(sys.argv[1]))
    for name in sys.argv[2:]:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    Server(control).serve()


if __name__ == "__main__":
    main()
