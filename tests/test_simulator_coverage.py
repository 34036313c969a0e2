"""What NVRTC makes of every intrinsic is translated, for every architecture; the headers' functions also run.

CUDAPERF_NVRTC12 names a libnvrtc.so.12, e.g. from the wheel nvidia-cuda-nvrtc-cu12, to try that compiler as well.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator

import numpy as np
import pytest
from simulated import KERNELS, run

from cudaperf_magic.bench import nvrtc
from cudaperf_magic.bench.nvrtc import build
from cudaperf_magic.bench.simulator.lower import lower
from cudaperf_magic.bench.simulator.ptx_reader import parse

FILES = sorted(path.relative_to(KERNELS).as_posix() for path in KERNELS.glob("coverage/*.cu"))
ARCHES = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_103", "sm_110", "sm_120", "sm_120a")
ONLY_13 = ("sm_110",)
OLDER = os.environ.get("CUDAPERF_NVRTC12", "")
INTRINSICS = ("half_intrinsics", "bfloat_intrinsics", "small_float_intrinsics", "scalar_intrinsics")
VALUES_BYTES = 256  # more than the struct of any of them


def translate(file: str, arch: str, *options: str) -> int:
    """Builds a file and translates each of its kernels; how many there are."""
    compiled = build((KERNELS / file).read_text(), arch, options=options)
    assert compiled.build.ok, compiled.build.log[:2000]
    module = parse(compiled.ptx)
    kernels = [f.name for f in module.functions.values() if f.is_kernel]
    for name in kernels:
        assert "run_warp" in lower(module, name).c_source
    return len(kernels)


@pytest.mark.parametrize("file", FILES)
def test_every_intrinsic_is_translated_on_the_oldest_architecture(file: str) -> None:
    assert translate(file, "sm_75")


@pytest.mark.slow
@pytest.mark.parametrize("arch", ARCHES)
def test_every_intrinsic_is_translated_on_every_architecture(arch: str) -> None:
    for file in FILES:
        assert translate(file, arch)
        assert translate(file, arch, "-use_fast_math")


@pytest.fixture
def older_compiler(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    library = ctypes.CDLL(OLDER)
    library.nvrtcGetErrorString.restype = ctypes.c_char_p
    monkeypatch.setattr(nvrtc, "_library", lambda: library)
    nvrtc._version.cache_clear()
    yield
    nvrtc._version.cache_clear()


@pytest.mark.slow
@pytest.mark.skipif(not OLDER, reason="CUDAPERF_NVRTC12 names no library")
@pytest.mark.parametrize("arch", [arch for arch in ARCHES if arch not in ONLY_13])
@pytest.mark.usefixtures("older_compiler")
def test_every_intrinsic_is_translated_as_cuda_12_compiles_it(arch: str) -> None:
    for file in FILES:
        if "small_float" not in file:  # the installed header of these is CUDA 13's own
            assert translate(file, arch)
            assert translate(file, arch, "-use_fast_math")


def results(name: str, arch: str) -> np.ndarray:
    """What the functions give for numbers that are near one, or, read as integers, of all sizes."""
    values = np.random.default_rng(9).integers(0, 256, VALUES_BYTES).astype(np.uint8)
    values[1::2] = values[1::2] % 16 + 0x38
    out = np.zeros(500, np.uint64)
    assert not run(
        f"coverage/{name}.cu", name, 1, 1, ("values", "out", 1), {"values": values, "out": out}, arch=arch
    ).faults
    return out


@pytest.mark.slow
@pytest.mark.parametrize("name", INTRINSICS)
def test_functions_of_the_headers_say_the_same_by_their_own_opcodes_and_without(name: str) -> None:
    """What sm_120 has an opcode for, sm_80 computes in float or in integers."""
    old, new = results(name, "sm_80"), results(name, "sm_120a")
    assert np.count_nonzero(old) > 50
    differs = (old != new) & (old != 0)  # packed floats, at the end, sm_80 does not have
    assert not differs.any(), np.flatnonzero(differs)
