"""The line between a session's two ends: each message is a value in a sealed memory file, sent with other open files.

The child's end is `Line`, what a session's work is given. It sets no limits: session.py and the server do.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from . import sandbox_pickle
from .sandbox_shared import FIXED_CONTENT

MAX_FILES = 64
_HEAD = struct.Struct("<H")  # how many of the files are those of SharedArrays in the value
_GET_SEALS, _ADD_SEALS = 1034, 1033  # linux/fcntl.h


@dataclass(frozen=True)
class Message:
    """One received message; its memory file and `files` are the receiver's to close."""

    memory: int
    shared: tuple[int, ...]
    files: tuple[int, ...]

    def read(self, *, is_trusted: bool) -> Any:
        """The value, and closes its memory file; see sandbox_pickle.read."""
        try:
            if not is_trusted:
                _must_be_sealed(self.memory)
            return sandbox_pickle.read(self.memory, is_trusted=is_trusted, shared=self.shared)
        finally:
            os.close(self.memory)

    def close_files(self) -> None:
        for file in (*self.shared, *self.files):
            os.close(file)


def _must_be_sealed(file: int) -> None:
    """A sender that lives could make the file smaller while we read it, and a bus error would end us."""
    try:
        seals = fcntl.fcntl(file, _GET_SEALS)
    except OSError:
        seals = 0
    if seals & FIXED_CONTENT != FIXED_CONTENT:
        raise sandbox_pickle.BrokenPickle("its memory file can still be changed")


def packed(value: Any) -> tuple[int, list[int]]:
    """A sealed memory file with the value, and the files of the SharedArrays in it."""
    memory = os.memfd_create("message", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        shared = sandbox_pickle.write(memory, value)
        fcntl.fcntl(memory, _ADD_SEALS, FIXED_CONTENT)
    except BaseException:
        os.close(memory)
        raise
    return memory, [one.file for one in shared]


def send(channel: socket.socket, value: Any, files: Sequence[int] = ()) -> None:
    """Raises OSError when the other end is gone."""
    memory, shared = packed(value)
    try:
        socket.send_fds(channel, [_HEAD.pack(len(shared))], [memory, *shared, *files])
    finally:
        os.close(memory)


def receive(channel: socket.socket, flags: int = 0) -> Message | None:
    """The next message; None when the other end has closed.

    Raises:
        BlockingIOError: there is none yet, and `flags` say not to wait.
        BrokenPickle: what came is no message.
    """
    try:
        # Not socket.recv_fds, which forgets its flags.
        data, parts, _, _ = channel.recvmsg(64, socket.CMSG_LEN(MAX_FILES * 4), flags | socket.MSG_CMSG_CLOEXEC)
    except ConnectionError:
        return None
    files: list[int] = []
    for _, _, content in parts:
        files += struct.unpack(f"{len(content) // 4}i", content[: len(content) // 4 * 4])
    if not data and not files:
        return None
    count = _HEAD.unpack(data)[0] if len(data) == _HEAD.size else len(files)
    if not files or count > len(files) - 1:
        for file in files:
            os.close(file)
        raise sandbox_pickle.BrokenPickle("no message")
    return Message(files[0], tuple(files[1 : 1 + count]), tuple(files[1 + count :]))


class Line:
    """The child's end: `receive` what the parent asks, `send` the answer."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self.files: tuple[int, ...] = ()

    def receive(self) -> Any:
        """The next question; `files` then holds the descriptors that came with it, which are yours to close.

        Raises:
            EOFError: the parent asks no more. Let it pass: it ends the child.
        """
        message = receive(self._channel)
        if message is None:
            raise EOFError
        self.files = message.files
        return message.read(is_trusted=True)

    def send(self, value: Any) -> None:
        """Answers with plain values, NumPy arrays and this package's records; the parent believes nothing else."""
        self._put("value", value)

    def send_error(self, error: BaseException) -> None:
        self._put("error", (type(error).__module__, type(error).__qualname__, str(error)))

    def _put(self, kind: Literal["value", "error"], value: Any) -> None:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        send(self._channel, (kind, value))
