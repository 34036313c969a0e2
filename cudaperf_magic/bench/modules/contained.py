"""The child's process as the parent sees it: whose number it has, whether it lives, and how it is stopped still.

A socket tells the number: the kernel writes the sender's into the message, translated from its namespace to ours. It
ends no process; the session does.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import struct
import time

from .. import sandbox_limits

_CREDENTIALS = struct.Struct("3i")  # struct ucred: pid, uid, gid
_STILL_S = 0.5
_LOOKS = 3  # a process that forks while it is being stopped shows in the next look


class Contained:
    """`theirs` goes to the child, which sends one byte; then `meet`. A context manager."""

    def __init__(self) -> None:
        self._mine, self.theirs = socket.socketpair()
        self._mine.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._process = -1
        self.pid = 0
        self._others: list[int] = []

    def meet(self, timeout_s: float) -> None:
        """Waits for the child's byte.

        Raises:
            OSError: it did not come, or the process is gone.
        """
        self.theirs.close()
        self._mine.settimeout(timeout_s)
        data, extra, _, _ = self._mine.recvmsg(1, socket.CMSG_SPACE(_CREDENTIALS.size))
        if not data or not extra:
            raise OSError("the child does not say who it is")
        self.pid = _CREDENTIALS.unpack(extra[0][2][: _CREDENTIALS.size])[0]
        self._process = os.pidfd_open(self.pid)

    def is_alive(self) -> bool:
        waiting = select.poll()
        waiting.register(self._process, select.POLLIN)
        return not waiting.poll(0)

    def freeze(self) -> bool:
        """Stops the child and all that it started; whether all stand still now."""
        self._send(self._process, signal.SIGSTOP)
        until = time.monotonic() + _STILL_S
        for _ in range(_LOOKS):
            self._others = others = sandbox_limits.descendants(self.pid)
            for other in others:
                with contextlib.suppress(OSError):
                    os.kill(other, signal.SIGSTOP)
            while not all(_is_still(pid) for pid in (self.pid, *others)):
                if time.monotonic() > until:
                    return False
                time.sleep(20e-6)
            if not others:
                return True
        return True

    def thaw(self) -> None:
        """Sets the child going again, and then what it started. The first is one system call: it is clocked."""
        self._send(self._process, signal.SIGCONT)
        for other in self._others:
            with contextlib.suppress(OSError):
                os.kill(other, signal.SIGCONT)

    def close(self) -> None:
        self._mine.close()
        self.theirs.close()
        if self._process >= 0:
            os.close(self._process)
            self._process = -1

    @staticmethod
    def _send(process: int, number: signal.Signals) -> None:
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(process, number)


def _is_still(pid: int) -> bool:
    """Every thread is stopped, or the process is gone."""
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/stat") as file:
                state = file.read().rpartition(")")[2].split()[0]
            if state not in "TtZX":
                return False
    except OSError:
        return not os.path.isdir(f"/proc/{pid}")
    return True
