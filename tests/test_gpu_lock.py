"""One lock a GPU: it excludes, it tells who waits, and the death of its owner frees it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cudaperf_magic.bench.gpu.lock import gpu_lock
from cudaperf_magic.errors import ToolchainError

HOLDER = """
import sys, time
from pathlib import Path
from cudaperf_magic.bench.gpu.lock import gpu_lock
with gpu_lock(sys.argv[1], folder=Path(sys.argv[2])):
    print("held", flush=True)
    time.sleep(600)
"""


def test_two_who_time_on_one_gpu_take_turns(tmp_path: Path) -> None:
    inside, most = 0, 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(20):
            with gpu_lock("GPU-1", folder=tmp_path):
                inside += 1
                most = max(most, inside)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_another_gpu_is_free(tmp_path: Path) -> None:
    with gpu_lock("GPU-1", folder=tmp_path), gpu_lock("GPU-2", folder=tmp_path, patience_s=0.0):
        pass


def test_who_waits_is_told_so_once_and_at_last_what_to_do(tmp_path: Path) -> None:
    told: list[bool] = []
    with gpu_lock("GPU-1", folder=tmp_path):
        waiter = gpu_lock("GPU-1", folder=tmp_path, patience_s=0.05, waiting=lambda: told.append(True))
        with pytest.raises(ToolchainError, match="another device"), waiter:
            pass
    assert told == [True]
    with gpu_lock("GPU-1", folder=tmp_path, waiting=lambda: told.append(True)):
        assert told == [True]


def test_a_killed_owner_leaves_the_lock_free(tmp_path: Path) -> None:
    owner = subprocess.Popen([sys.executable, "-c", HOLDER, "GPU-1", str(tmp_path)], stdout=subprocess.PIPE, text=True)
    try:
        assert owner.stdout is not None and owner.stdout.readline() == "held\n"
        with pytest.raises(ToolchainError), gpu_lock("GPU-1", folder=tmp_path, patience_s=0.0):
            pass
        owner.send_signal(signal.SIGKILL)
        owner.wait()
        with gpu_lock("GPU-1", folder=tmp_path, patience_s=5.0):
            pass
    finally:
        owner.kill()
        owner.communicate()


def test_other_users_can_take_the_lock_too(tmp_path: Path) -> None:
    folder = tmp_path / "locks"
    with gpu_lock("GPU-1", folder=folder):
        assert folder.stat().st_mode & 0o1777 == 0o1777
        (file,) = folder.iterdir()
        assert file.stat().st_mode & 0o666 == 0o666
        os.chmod(file, 0o444)  # as a file of another user, which may only be read
    with gpu_lock("GPU-1", folder=folder):
        pass


def test_a_link_in_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    (tmp_path / "GPU-1.lock").symlink_to(victim)
    with pytest.raises(ToolchainError, match="no lock"), gpu_lock("GPU-1", folder=tmp_path):
        pass
    assert not victim.exists()
