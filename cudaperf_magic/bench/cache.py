"""One folder of files named by the hash of what made them. It does not know what the files hold.

Bounded in size (the least recently used go first) and safe when several processes use it at once: a file appears whole,
by rename, or not at all. It ends with the hash of its content, so that one damaged on disk is a miss, not a crash.
A path handed out may be gone a moment later, when another process makes room: whoever opens it has to be ready to make
the file again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from pathlib import Path

LIMIT_BYTES = 512 << 20
TRIM_EVERY = 64  # writes between two looks at the folder's size
UNFINISHED = ".new-"
LOST_AFTER_S = 3600.0  # an unfinished file this old was left by a process that died
SEAL_BYTES = 32


class Cache:
    """Files by key under `folder`, or under $CUDAPERF_CACHE, or ~/.cache/cudaperf-magic."""

    def __init__(self, folder: Path | None = None, limit_bytes: int = LIMIT_BYTES) -> None:
        chosen = folder or os.environ.get("CUDAPERF_CACHE") or Path.home() / ".cache" / "cudaperf-magic"
        self.folder = Path(chosen)
        self.limit_bytes = limit_bytes
        self._writes = 0
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            self.folder = Path(tempfile.gettempdir()) / f"cudaperf-magic-{os.getuid()}"
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def path(self, key: str) -> Path | None:
        """The file of this key, marked as just used; None when it is not held. Its last SEAL_BYTES are the cache's."""
        return None if self.read(key) is None else self.folder / key

    def read(self, key: str) -> bytes | None:
        path = self.folder / key
        try:
            os.utime(path)
            data = path.read_bytes()
        except OSError:
            return None
        content = data[:-SEAL_BYTES]
        if hashlib.sha256(content).digest() != data[-SEAL_BYTES:]:
            self.drop(key)
            return None
        return content

    def drop(self, key: str) -> None:
        """Forgets the file of this key."""
        with contextlib.suppress(OSError):
            os.unlink(self.folder / key)

    def write(self, key: str, data: bytes) -> Path:
        temporary = self.temporary()
        temporary.write_bytes(data)
        return self.adopt(temporary, key)

    def temporary(self, suffix: str = "") -> Path:
        """A fresh path in the same file system, for a tool that writes its output itself; hand it to `adopt`."""
        handle, name = tempfile.mkstemp(dir=self.folder, prefix=UNFINISHED, suffix=suffix)
        os.close(handle)
        return Path(name)

    def adopt(self, temporary: Path, key: str) -> Path:
        with open(temporary, "r+b") as file:
            seal = hashlib.sha256(file.read()).digest()
            file.write(seal)
        target = self.folder / key
        os.replace(temporary, target)
        self._writes += 1
        if self._writes % TRIM_EVERY == 1:
            self.trim()
        return target

    def trim(self) -> None:
        """Deletes the least recently used files until the folder is within its limit."""
        files: list[tuple[float, int, str]] = []
        with contextlib.suppress(OSError), os.scandir(self.folder) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    status = entry.stat()
                    if not entry.name.startswith(UNFINISHED):
                        files.append((status.st_mtime, status.st_size, entry.path))
                    elif time.time() - status.st_mtime > LOST_AFTER_S:
                        os.unlink(entry.path)
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= self.limit_bytes:
                return
            with contextlib.suppress(OSError):
                os.unlink(path)
                total -= size


def key_of(*parts: str | bytes) -> str:
    """A file name from the content that determines the file."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:40]
