"""The content-addressed cache: whole files or none, and never more than its limit for long."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cudaperf_magic.bench.cache import Cache, key_of


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.write("a", b"text")
    assert cache.read("a") == b"text"
    assert cache.read("b") is None


def test_the_least_recently_used_file_goes_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path, limit_bytes=300)
    for age, name in ((300, "old"), (200, "used"), (100, "new")):
        path = cache.write(name, b"x" * 100)
        os.utime(path, (1_000_000 - age, 1_000_000 - age))
    assert cache.read("used") is not None  # a read counts as use
    cache.trim()
    assert cache.read("old") is None
    assert cache.read("used") is not None and cache.read("new") is not None


def test_writers_at_once_leave_one_whole_file(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: cache.write("key", bytes([i]) * 10_000), range(32)))
    data = cache.read("key")
    assert data is not None and len(data) == 10_000 and len(set(data)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def test_keys_tell_where_one_part_ends() -> None:
    assert key_of("ab", "c") != key_of("a", "bc")
    assert key_of("a") == key_of(b"a")


def test_a_damaged_file_is_a_miss_and_forgotten(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    path = cache.write("a", b"text" * 100)
    for damage in (path.read_bytes()[:-1], b"", b"x" + path.read_bytes()[1:]):
        path.write_bytes(damage)
        assert cache.read("a") is None and not path.exists()
        assert cache.path("a") is None


def test_what_a_dead_process_left_unfinished_goes_and_what_is_being_written_stays(tmp_path: Path) -> None:
    cache = Cache(tmp_path, limit_bytes=1)
    left, current = cache.temporary(), cache.temporary()
    os.utime(left, (1_000_000, 1_000_000))
    cache.trim()
    assert not left.exists() and current.exists()
