"""A session: a sandboxed child that is asked one thing after another. The protections are those of sandbox.py.

The child's work is `work(line, *arguments)`, a function at the top level of an importable module. It takes questions
with `line.receive()` and answers with `line.send(value)`; when it returns or raises, the session is over. Nothing that
the child sends is believed: values are built from plain data only. What an answer means is the caller's to judge.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import socket
import struct
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self

from ..errors import ToolchainError
from . import sandbox_line
from .cache import Cache
from .sandbox_ends import Crashed, Ended, Finished, ServerDied, TimedOut, exit_words, raised_words
from .sandbox_pickle import BrokenPickle
from .sandbox_servers import KINDS, ONE_THREAD, SERVERS, KindName

MAX_OUTPUT_BYTES = 1 << 20
MAX_PROCESSES = 64  # a compiler driver and its parts are a handful
MOST_CPU_S = 3600.0  # of a session without a limit on its time
# How long a wait stays in the operating system: an interrupt of a thread that is not the main one is taken in Python.
GLANCE_S = 0.2
_GONE_S = 5.0  # for the server to kill a child and to say so
_READ_BYTES = 1 << 16
_HEARD = select.POLLIN | select.POLLHUP | select.POLLERR

End = Finished | Crashed | TimedOut


def open_session(
    work: Callable[..., Any],
    *arguments: Any,
    kind: KindName = "plain",
    timeout_s: float | None = None,
    memory_bytes: int | None,
    output_bytes: int = MAX_OUTPUT_BYTES,
    processes: int = MAX_PROCESSES,
    network: bool = False,
    warm_module: str = "",
) -> Session:
    """Starts a child and returns at once; the child's own start-up runs beside the caller. Safe from several threads.

    Args:
        work: called in the child as `work(line, *arguments)`; see `sandbox_line.Line`. Arguments may hold
            `SharedArrays`.
        kind: which server it is forked from.
        timeout_s: wall time of the whole session; None: without end, until `Session.limit` sets one.
        memory_bytes: address space above the warm process's own; None for work that uses a CUDA driver (see
            `run_in_child`).
        output_bytes: of stdout and stderr together; a child that prints more is killed.
        processes: how many processes the child may hold at once.
        warm_module: a module of this package that the server imports before it forks, as it does `work`'s own.

    Raises:
        ToolchainError: no process can be started.
    """
    has_driver = memory_bytes is None
    places = [*([str(Cache().folder)] if KINDS[kind].writes_cache else []), *(["/proc"] if has_driver else [])]
    options = {
        "timeout_s": timeout_s,
        "memory_bytes": memory_bytes,
        "processes": processes,
        "network": network,
        "cpu_s": int((timeout_s or MOST_CPU_S) * (os.cpu_count() or 1)) + 2,
        "modules": [work.__module__, warm_module],
        "path": [os.path.abspath(entry) for entry in sys.path],
        "environment": {**os.environ, **ONE_THREAD},  # as it is now, not as it was when the server started
        "has_driver": has_driver,
        "writable": places,
    }
    request, shared = sandbox_line.packed((work, arguments))
    mine: list[socket.socket] = []
    output, printed = os.pipe()
    try:
        for _ in range(2):
            mine += socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        control, their_control, channel, their_channel = mine
        files = [their_control.fileno(), their_channel.fileno(), printed, request, *shared]
        SERVERS[kind].send(json.dumps(options).encode(), files)
        their_control.close()
        their_channel.close()
        os.set_blocking(output, False)
        return Session(control, channel, output, output_bytes, timeout_s)
    except BaseException:
        for each in mine:
            each.close()
        os.close(output)
        raise
    finally:
        os.close(printed)
        os.close(request)


@dataclass
class _Heard:
    """What the server has said of the child so far; `end` is its last word."""

    levels: tuple[str, ...] | None = None
    end: dict[str, Any] | None = None
    is_closed: bool = False


class Session:
    """A child's other end, used by one thread at a time. `close` it, or use it as a context manager.

    Once an answer is not `Finished` the child is gone, and every later question has the same answer.
    """

    def __init__(
        self, control: socket.socket, channel: socket.socket, output: int, output_bytes: int, timeout_s: float | None
    ) -> None:
        self.greeting: Any = None  # the first word of one that was prepared ahead (spares.py)
        self._control, self._channel, self._output = control, channel, output
        self._output_bytes = output_bytes
        self._text = bytearray()
        self._shown = 0  # how much of the text earlier answers have told
        self._until = math.inf if timeout_s is None else time.monotonic() + timeout_s
        self._timeout_s = timeout_s
        self._heard = _Heard()
        self._ended: Crashed | TimedOut | None = None
        self._owner = os.getpid()
        self._poll = select.poll()
        for each in (control.fileno(), channel.fileno(), output):
            self._poll.register(each, _HEARD)

    @property
    def levels(self) -> tuple[str, ...]:
        """The protections that hold; waits until the child has them."""
        until = time.monotonic() + _GONE_S
        while self._heard.levels is None and not self._is_over and time.monotonic() < until:
            self._listen_to_server(until)
        return self._heard.levels or ()

    @property
    def is_alive(self) -> bool:
        """Whether the child could still be asked, as far as is known without waiting."""
        while not self._is_over and self._listen_to_server(0.0):
            pass
        return not self._is_over

    def limit(self, timeout_s: float) -> None:
        """Sets what is left for the whole session, from now on."""
        self._until, self._timeout_s = time.monotonic() + timeout_s, timeout_s
        with contextlib.suppress(OSError):
            self._control.send(struct.pack("<d", timeout_s))

    def ask(self, message: Any, *, timeout_s: float | None = None, files: Sequence[int] = ()) -> End:
        """Sends the message and waits for the answer.

        Args:
            message: anything that can be pickled; arrays and `SharedArrays` in it are not copied through a pipe.
            timeout_s: wall time for the answer, past which the child is killed; None: what the session has left.
            files: descriptors that the child finds as `line.files`.

        Raises:
            ServerDied: the server has ended, and the child with it. Other errors as from `answer`.
        """
        if self._ended is None:
            with contextlib.suppress(OSError):  # it is gone; the answer says why
                sandbox_line.send(self._channel, message, files)
        return self.answer(timeout_s=timeout_s)

    def answer(self, *, timeout_s: float | None = None) -> End:
        """Waits for what the child sends next, without asking.

        Raises:
            ToolchainError: the child raised it, or the server could not start it. CudaperfError: the child raised it.
            ServerDied: the server has ended. KeyboardInterrupt: the child is gone by then.
        """
        if self._ended is not None:
            return self._ended
        started = time.monotonic()
        until = min(self._until, math.inf if timeout_s is None else started + timeout_s)
        limit_s = timeout_s if timeout_s is not None and until < self._until else self._timeout_s
        try:
            found = self._await(until, limit_s or 0.0)
        except BaseException:
            self.close()
            raise
        told = bytes(self._text[self._shown : self._output_bytes]).decode(errors="replace")
        self._shown = len(self._text)
        found = replace(found, output=told, seconds=time.monotonic() - started, levels=self.levels)
        if not isinstance(found, Finished):
            self._ended = found
            self._release()
        return found

    def close(self, *, wait: bool = True) -> None:
        """Ends the child, and waits until nothing is left of it unless told not to. May be called again."""
        if self._ended is None:
            self._ended = Crashed(why="the session is closed")
            if wait and self._owner == os.getpid():
                self._kill()
        self._release()

    def interrupt(self) -> None:
        """From another thread: ends the child; whoever waits for its answer is told so."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_WR)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self._release()

    # Waiting

    def _await(self, until: float, limit_s: float) -> End:
        while True:
            found = self._take_message()
            if found is not None:
                self._take_output()
                return found
            if self._is_over:
                return self._told(limit_s)
            left_s = until - time.monotonic()
            if left_s <= 0:
                self._kill()
                return TimedOut(timeout_s=limit_s)
            ready = [file for file, _ in self._poll.poll(max(min(left_s, GLANCE_S) * 1000, 1))]
            if self._output in ready:
                self._take_output()
                if len(self._text) > self._output_bytes:
                    self._kill()
                    return Crashed(why=f"more than {self._output_bytes:,} bytes of output")
            if self._control.fileno() in ready:
                self._listen_to_server(0.0)

    def _take_message(self) -> End | None:
        try:
            message = sandbox_line.receive(self._channel, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return None
        except BrokenPickle as error:
            return self._broken(error)
        if message is None:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._channel.fileno())  # closed; how it ended is the server's to say
            return None
        try:
            kind, value = message.read(is_trusted=False)
            words = () if kind == "value" else tuple(map(str, value))
        except (BrokenPickle, TypeError, ValueError) as error:
            return self._broken(error)
        finally:
            message.close_files()
        if kind == "value":
            return Finished(value=value)
        if len(words) != 3:
            return self._broken(ValueError("no error of Python's"))
        self._kill()
        return Crashed(why=raised_words(*words))

    def _broken(self, error: Exception) -> Crashed:
        self._kill()
        return Crashed(why=f"a broken answer ({error})")

    def _take_output(self) -> None:
        while len(self._text) <= self._output_bytes:
            try:
                data = os.read(self._output, _READ_BYTES)
            except BlockingIOError:
                return
            if not data:
                with contextlib.suppress(KeyError):
                    self._poll.unregister(self._output)
                return
            self._text += data

    # What the server says

    @property
    def _is_over(self) -> bool:
        return self._heard.is_closed or self._heard.end is not None

    def _listen_to_server(self, until: float) -> bool:
        """Takes one word of the server; False when there is none by then."""
        wait_s = max(until - time.monotonic(), 0.0) if until else 0.0
        listening = select.poll()
        try:
            listening.register(self._control.fileno(), select.POLLIN)
            if not listening.poll(wait_s * 1000):
                return False
            data = self._control.recv(_READ_BYTES)
        except (OSError, ValueError):
            data = b""
        if not data:
            self._heard.is_closed = True
            return True
        word = json.loads(data)
        if word["how"] == "started":
            self._heard.levels = tuple(word["levels"])
        else:
            self._heard.end = word
        return True

    def _told(self, limit_s: float) -> End:
        """How the child ended by the server's last word."""
        found = self._take_message()  # sent just before the end
        self._take_output()
        if found is not None:
            return found
        word = self._heard.end
        if word is None:
            raise ServerDied("the server of sandboxed processes ended; try again")
        match word["how"]:
            case "failed":
                raise ToolchainError(word["why"])
            case "late":
                return TimedOut(timeout_s=limit_s)
            case "crowd":
                return Crashed(why="too many processes at once")
            case "disk":
                return Crashed(why="too many bytes of files")
        return Crashed(why=exit_words(word["code"], word["signal"]), signal=word["signal"] or None)

    def _kill(self) -> None:
        """Says that the child is not wanted any more, and waits until it is gone."""
        self.interrupt()
        until = time.monotonic() + _GONE_S
        while not self._is_over and time.monotonic() < until:
            self._listen_to_server(until)
        with contextlib.suppress(OSError):
            self._take_output()

    def _release(self) -> None:
        self._control.close()  # a server that still has the child ends it
        self._channel.close()
        if self._output >= 0:
            os.close(self._output)
            self._output = -1


__all__ = ["Crashed", "End", "Ended", "Finished", "Session", "TimedOut", "open_session"]
