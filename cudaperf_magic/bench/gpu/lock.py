"""One lock for each GPU, across processes and users: while one kernel is timed, nothing else of ours runs there.

A file lock, so that the kernel releases it when its owner dies, however. It keeps out only those who ask for it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from cudaperf_magic.errors import ToolchainError

FOLDER = "cudaperf-magic-gpus"
POLL_S = 0.002
PATIENCE_S = 600.0
_EVERYBODY = 0o1777  # like the temporary folder itself: all may create, none may remove another's
_ALL_WRITE = 0o666


@contextlib.contextmanager
def gpu_lock(
    uuid: str,
    *,
    waiting: Callable[[], None] | None = None,
    patience_s: float = PATIENCE_S,
    folder: Path | None = None,
) -> Iterator[None]:
    """Held inside. Hold it only while something is timed.

    Args:
        uuid: the card's own, so that all who see it by other numbers mean the same.
        waiting: called once when another holds it, before waiting.
        folder: where the locks are, by default one in the shared temporary folder.

    Raises:
        ToolchainError: it was not free for `patience_s`, or no lock can be made here.
    """
    file = _opened(uuid, folder or Path(tempfile.gettempdir()) / FOLDER)
    try:
        until = time.monotonic() + patience_s
        told = False
        while not _taken(file):
            if not told and waiting is not None:
                waiting()
            told = True
            if time.monotonic() > until:
                raise ToolchainError(
                    f"another process has been timing on this GPU for {patience_s:.0f} s; end it, or use another device"
                )
            time.sleep(POLL_S)
        yield
    finally:
        os.close(file)  # which releases it


def _opened(uuid: str, folder: Path) -> int:
    name = "".join(character for character in uuid if character.isalnum() or character == "-") + ".lock"
    try:
        if not folder.is_dir():
            folder.mkdir(exist_ok=True)
            folder.chmod(_EVERYBODY)
        # No link is followed, and what another user made is only opened.
        file = os.open(folder / name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, _ALL_WRITE)
    except PermissionError:
        return _read_only(folder / name)
    except OSError as error:
        raise _no_lock(folder, error) from None
    with contextlib.suppress(OSError):
        os.fchmod(file, _ALL_WRITE)  # the owner's alone to do; others find it done
    return file


def _read_only(path: Path) -> int:
    """Linux protects files of others in such folders from O_CREAT; a lock needs no more than reading."""
    try:
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise _no_lock(path.parent, error) from None


def _no_lock(folder: Path, error: OSError) -> ToolchainError:
    return ToolchainError(f"no lock can be made in {folder} ({error.strerror}); set TMPDIR to a folder for all")


def _taken(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
