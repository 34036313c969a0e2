"""Memory files that processes share. It knows nothing of what lies in them."""

from __future__ import annotations

import fcntl
import os


def memory_file(size_bytes: int) -> int:
    """Of a fixed size: whoever could cut it short would end every process that has it mapped."""
    file = os.memfd_create("shared", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(file, size_bytes)
    fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
    return file
