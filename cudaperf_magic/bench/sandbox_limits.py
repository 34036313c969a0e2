"""What the kernel of the machine can take away from a process: resources, writes to files, the network, its
neighbours.

Each measure is asked for and its outcome recorded by name; none is required. Linux only, through ctypes: rlimits,
namespaces (as root, or where a user namespace is allowed) and landlock.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import struct
from collections.abc import Iterable

_LIBC = ctypes.CDLL(None, use_errno=True)
_NEWUSER, _NEWPID, _NEWNET, _NEWIPC, _NEWNS = 0x10000000, 0x20000000, 0x40000000, 0x08000000, 0x00020000
_MS_NOSUID, _MS_NODEV, _MS_RECURSIVE, _MS_PRIVATE = 2, 4, 1 << 14, 1 << 18
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS, _PR_SET_DUMPABLE = 1, 36, 38, 4
_SIGKILL = 9

# landlock: system calls 444 to 446 on every architecture; rights from linux/landlock.h.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_WRITE_FILE, _TRUNCATE = 1 << 1, 1 << 14
_CHANGES = _WRITE_FILE | sum(1 << bit for bit in range(4, 13))  # remove and make anything
_REFER = 1 << 13
_TCP = 0b11  # bind, connect
_SCOPES = 0b11  # abstract Unix sockets, signals

_DEVICES = frozenset({"null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts"})

MAX_FILE_BYTES = 4 << 30
MAX_FOLDER_BYTES = 1 << 30  # a PyTorch extension and its objects are some 50 MB
MAX_OPEN_FILES = 512


def die_with_parent() -> None:
    _LIBC.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)


def adopt_orphans() -> None:
    """Grandchildren whose parent ends become ours, so that none can slip away by forking twice."""
    _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def become_mappable() -> bool:
    """Makes namespaces possible for a process that is not root, by a user namespace of its own."""
    if os.geteuid() == 0:
        return True
    uid, gid = os.getuid(), os.getgid()
    if _LIBC.unshare(_NEWUSER) != 0:
        return False
    try:
        for name, line in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(line)
    except OSError:
        return False
    return True


class ProcessNamespace:
    """Children forked inside `with` are the first process of a namespace: when that one dies, all in it die."""

    def __init__(self) -> None:
        self._own: int | None = None
        with contextlib.suppress(OSError):
            self._own = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        self.works = self._own is not None and self._probe()

    def _probe(self) -> bool:
        """Tried in a child: whoever is not root may enter such a namespace, but not come back for the next one."""
        pid = os.fork()
        if pid == 0:
            is_back = _LIBC.unshare(_NEWPID) == 0 and _LIBC.setns(self._own, _NEWPID) == 0
            os._exit(0 if is_back else 1)
        return os.waitpid(pid, 0)[1] == 0

    def enter(self) -> bool:
        """Whether the next fork begins a namespace."""
        if self.works and _LIBC.unshare(_NEWPID) != 0:
            self.works = False
        return self.works

    def leave(self) -> None:
        if self.works and self._own is not None and _LIBC.setns(self._own, _NEWPID) != 0:
            raise OSError(ctypes.get_errno(), "cannot return to the first process namespace")


def cut_network() -> bool:
    """Leaves the process with no network interface at all."""
    return bool(_LIBC.unshare(_NEWNET | _NEWIPC) == 0)


def mount_private(folder: str) -> bool:
    """Puts a file system of its own, of limited size, on the folder, which only this process and its children see.

    It is gone with the last of them, whatever they left open or unlinked in it.
    """
    if _LIBC.unshare(_NEWNS) != 0:
        return False
    # Without this our mount would show in the rest of the system.
    if _LIBC.mount(None, b"/", None, _MS_RECURSIVE | _MS_PRIVATE, None) != 0:
        return False
    options = f"size={MAX_FOLDER_BYTES},mode=0700".encode()
    return bool(_LIBC.mount(b"tmpfs", folder.encode(), b"tmpfs", _MS_NOSUID | _MS_NODEV, options) == 0)


def is_over_full(folder: str) -> bool:
    """Whether the files in it are more than MAX_FOLDER_BYTES; those that were unlinked are not seen."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_blocks * 512
    return total > MAX_FOLDER_BYTES


def lower_limits(memory_bytes: int | None, cpu_s: int, processes: int) -> None:
    """Memory counts above what the process holds now; the number of processes binds only a user who is not root."""
    if memory_bytes is not None:
        with open("/proc/self/statm") as file:
            held = int(file.read().split()[0]) * resource.getpagesize()
        _lower(resource.RLIMIT_AS, held + memory_bytes)
    _lower(resource.RLIMIT_CPU, cpu_s)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, MAX_FILE_BYTES)
    _lower(resource.RLIMIT_NOFILE, MAX_OPEN_FILES)
    if os.geteuid() != 0:
        _lower(resource.RLIMIT_NPROC, _own_tasks() + processes)


def _lower(which: int, value: int) -> None:
    _, hard = resource.getrlimit(which)
    limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (limit, limit))


def _own_tasks() -> int:
    """Processes and threads of this user: what RLIMIT_NPROC counts."""
    count, uid = 0, os.getuid()
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError):
                if os.stat(f"/proc/{name}").st_uid == uid:
                    count += len(os.listdir(f"/proc/{name}/task"))
    return count


def landlock_version() -> int:
    return max(int(_LIBC.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)), 0)


def lock_files(writable: Iterable[str]) -> None:
    """Forbids changes to files outside `writable`, and by newer versions TCP and signals to processes outside."""
    version = landlock_version()
    if version < 1:
        return
    changes = _CHANGES | (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    fields = [changes] + ([_TCP] if version >= 4 else []) + ([_SCOPES] if version >= 6 else [])
    attributes = struct.pack(f"<{len(fields)}Q", *fields)
    rules = int(_LIBC.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0))
    if rules < 0:
        return
    try:
        for path in writable:
            _allow(rules, path, changes)
        for device in _harmless_devices():
            _allow(rules, device, _WRITE_FILE | (changes & _TRUNCATE))
        _LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if _LIBC.syscall(_RESTRICT_SELF, rules, 0) != 0:
            raise OSError(ctypes.get_errno(), "landlock refuses its own rules")
    finally:
        os.close(rules)


def _harmless_devices() -> list[str]:
    """Not /dev as a whole: it holds disks, and the shared memory of other processes."""
    names = [name for name in os.listdir("/dev") if name in _DEVICES or name.startswith("nvidia")]
    return [f"/dev/{name}" for name in names]


def _allow(rules: int, path: str, rights: int) -> None:
    with contextlib.suppress(OSError):
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            _LIBC.syscall(_ADD_RULE, rules, 1, struct.pack("<Qi", rights, folder), 0)
        finally:
            os.close(folder)


def descendants(pid: int) -> list[int]:
    """Children of every thread of `pid`, and theirs, as far as they can be seen at this moment."""
    found: list[int] = []
    pending = [pid]
    while pending:
        current = pending.pop()
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{current}/task"):
                with open(f"/proc/{current}/task/{task}/children") as file:
                    children = [int(word) for word in file.read().split()]
                found += children
                pending += children
    return found


def kill_descendants(pid: int) -> None:
    """Until none is left: each round meets what was forked during the one before."""
    for _ in range(100):
        children = descendants(pid)
        if not children:
            return
        for child in children:
            with contextlib.suppress(OSError):
                os.kill(child, _SIGKILL)
        with contextlib.suppress(OSError):
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
