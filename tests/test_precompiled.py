"""Precompiled headers: used when they help, never when they are stale, and the kernel is the same either way."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from cudaperf_magic.bench import nvrtc, precompiled, sandbox
from cudaperf_magic.bench.cache import Cache
from cudaperf_magic.bench.compilers import MEMORY_BYTES
from cudaperf_magic.bench.nvrtc import Compiled
from cudaperf_magic.bench.sandbox import Finished, run_in_child
from cudaperf_magic.bench.sandbox_servers import SERVERS

SOURCE = """// a sum
#include <cooperative_groups.h>
#include <cub/fake.cuh>
__global__ void k(float *x) { x[0] += VALUE + NUMBER; }
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server of its own, whose folder is empty."""
    sandbox.stop()
    monkeypatch.setenv("CUDAPERF_CACHE", str(tmp_path / "cache"))


def build_with(folder: str, source: str) -> Compiled:
    """In the child: with one more folder of headers."""
    found = (*nvrtc.include_folders(), folder)
    nvrtc.include_folders = lambda: found  # type: ignore[assignment]
    return nvrtc._compile(source, "sm_90", ("k",), ())


def build(folder: Path, number: int) -> Compiled:
    source = SOURCE.replace("NUMBER", str(number))
    ended = run_in_child(build_with, str(folder), source, timeout_s=60, memory_bytes=MEMORY_BYTES, kind="compile")
    assert isinstance(ended, Finished) and ended.value.build.ok, ended
    made: Compiled = ended.value
    return made


def instructions(made: Compiled) -> list[str]:
    """The PTX without its table of files, which holds their times."""
    return [line for line in made.ptx.splitlines() if not line.lstrip().startswith((".file", ".loc", "//"))]


def files() -> list[Path]:
    return sorted((Cache().folder / "headers").rglob("*.pch"))


def header(folder: Path, value: int) -> None:
    (folder / "cub").mkdir(parents=True, exist_ok=True)
    (folder / "cub" / "fake.cuh").write_text("#pragma once\n#include <inner.h>\n")
    (folder / "inner.h").write_text(f"#pragma once\n#define VALUE {value}\n")


@pytest.mark.slow
def test_the_second_source_with_the_same_headers_makes_a_file_that_the_third_uses(tmp_path: Path) -> None:
    header(tmp_path, 1)
    plain = build(tmp_path, 5)
    assert files() == []
    build(tmp_path, 6)
    (made,) = files()
    moment = made.stat().st_mtime_ns
    third = build(tmp_path, 5)
    assert instructions(third) == instructions(plain) and third.build.log == plain.build.log
    assert made.stat().st_mtime_ns == moment
    sandbox.stop()
    assert files() == []


@pytest.mark.slow
def test_a_file_whose_headers_have_changed_is_not_used(tmp_path: Path) -> None:
    header(tmp_path, 1)
    for _ in range(3):
        old = build(tmp_path, 5)
    time.sleep(0.02)
    header(tmp_path, 7)  # a header that the named one includes
    for _ in range(3):
        new = build(tmp_path, 5)
        assert new.ptx != old.ptx and "0f41400000" in new.ptx  # 12.0


def test_light_sources_make_no_file() -> None:
    def beginning(text: str) -> bool:
        return bool(precompiled.HEAVY.search(precompiled._beginning(text)))

    assert beginning(SOURCE) and beginning("#define A 1\n\n#include <thrust/sort.h>\nint x;\n")
    assert not beginning("#include <math.h>\n__global__ void k() {}\n")
    assert not beginning("int x;\n#include <cub/cub.cuh>\n")


def test_what_dead_servers_left_is_removed(tmp_path: Path) -> None:
    left = Cache().folder / "headers" / "999999999"
    left.mkdir(parents=True)
    (left / "large.pch").write_bytes(b"x")
    SERVERS["compile"].start()
    ended = run_in_child(os.getpid, timeout_s=60, memory_bytes=MEMORY_BYTES, kind="compile")
    assert isinstance(ended, Finished) and not left.exists()
