"""Precompiled headers for sources that begin with heavy ones (cub, cooperative groups): compiling takes a third.

NVRTC (12.8 and later) can use such a file only in the process that made it and in those forked from it, so each
compile server has a folder of its own. NVRTC does not notice that a header has changed since: the stamp of all headers
is part of the name here. A file is some 300 MB, so few are kept, and none is made for what is compiled only once.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import fcntl
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from cudaperf_magic.bench.cache import Cache, key_of

HEAP_BYTES = 512 << 20  # of addresses; all of cub takes 341 MB, and too small a heap means no file
MOST_KEPT = 3
HEAVY = re.compile(r"#[ \t]*include[ \t]*<(cub|thrust|cooperative_groups|cuda/|cooperative_groups\.h|cuda/std/)")
_FOLDER = "headers"
_UNSUITED = "-diag-suppress=630,639,20282"  # a file that does not fit is made anew: nothing to tell anybody

_home: Path | None = None  # of this server and its children


def open_home(library: ctypes.CDLL) -> None:
    """In a compile server, before its first child: a folder for its files, and the addresses that they will lie at."""
    global _home
    if not hasattr(library, "nvrtcSetPCHHeapSize") or library.nvrtcSetPCHHeapSize(ctypes.c_size_t(HEAP_BYTES)) != 0:
        return
    root = Cache().folder / _FOLDER
    with contextlib.suppress(OSError):
        root.mkdir(exist_ok=True)
        _clear(root)
        _home = root / str(os.getpid())
        _home.mkdir(exist_ok=True)
        atexit.register(shutil.rmtree, _home, ignore_errors=True)


def _clear(root: Path) -> None:
    """Removes what servers that are gone have left."""
    for folder in root.iterdir():
        if folder.name == str(os.getpid()) or not Path("/proc", folder.name).exists():
            shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def precompiled(source: str, flags: Sequence[str], folders: Sequence[str]) -> Iterator[list[str]]:
    """The further options with which NVRTC uses, or makes, a file for this source's headers; none where it should not.

    Args:
        flags: all other options; another file is made for others.
        folders: where headers are found.
    """
    beginning = _beginning(source)
    if _home is None or not HEAVY.search(beginning):
        yield []
        return
    folder = _home / key_of(beginning, repr(list(flags)), _stamp(folders))
    with contextlib.ExitStack() as stack:
        yield _options(folder, stack)


def _options(folder: Path, stack: contextlib.ExitStack) -> list[str]:
    try:
        if not folder.exists():
            folder.mkdir()  # met for the first time: the next one shows that it is worth a file
            _make_room(folder)
            return []
        lock = os.open(folder / "lock", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        stack.callback(os.close, lock)
        is_made = any(folder.glob("*.pch"))
        # One makes it while others do without; many use it at once.
        fcntl.flock(lock, (fcntl.LOCK_SH if is_made else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        os.utime(folder)
        return ["-pch", f"-pch-dir={folder}", "-pch-messages=false", _UNSUITED]
    except OSError:
        return []


def _make_room(newest: Path) -> None:
    """Removes the files that were used least lately and that nobody uses now."""
    others = sorted((path for path in newest.parent.iterdir() if path != newest), key=lambda path: path.stat().st_mtime)
    for old in others[: max(len(others) + 1 - MOST_KEPT, 0)]:
        with contextlib.suppress(OSError), open(old / "lock", "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(old, ignore_errors=True)


def _beginning(source: str) -> str:
    """The lines before the first that is neither a directive, nor a comment of one line, nor empty."""
    lines: list[str] = []
    for line in source.splitlines():
        text = line.strip()
        if text and not text.startswith(("#", "//")):
            break
        lines.append("" if text.startswith("//") else text)
    return "\n".join(line for line in lines if line)


def _stamp(folders: Sequence[str]) -> str:
    """Of every header's size and time: some 20 ms, where compiling takes seconds."""
    found: list[str] = []
    for folder in folders:
        for place, _, names in os.walk(folder):
            for name in names:
                with contextlib.suppress(OSError):
                    status = os.stat(os.path.join(place, name))
                    found.append(f"{place}/{name} {status.st_size} {status.st_mtime_ns}")
    return key_of(*sorted(found))
