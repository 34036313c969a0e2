"""load_inline without nvcc: sources that go the fast way compute what torch computes, the rest is told why it does not.

Each file of tests/extensions/fast holds the sources, calls with what they must give, and calls that must fail. The
kernels run on the simulator, over tensors of the CPU.
"""

from __future__ import annotations

import runpy
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from cudaperf_magic.bench.extensions.module import fast_module  # noqa: E402
from cudaperf_magic.bench.extensions.simulated import SimulatedPlace  # noqa: E402

FILES = Path(__file__).parent / "extensions"
FAST = sorted((FILES / "fast").glob("*.py"))
REFUSED = sorted((FILES / "refused").glob("*.cu"))


@cache
def described(file: Path) -> dict[str, Any]:
    return runpy.run_path(str(file))


@cache
def built(file: Path) -> ModuleType:
    told = described(file)
    flags = {"cuda_cflags": told.get("FLAGS", ())}
    made = fast_module(file.stem, told["CPP"], told["CUDA"], told["FUNCTIONS"], place=SimulatedPlace, **flags)
    assert isinstance(made, ModuleType), made
    return made


@pytest.mark.parametrize("file", FAST, ids=lambda file: file.stem)
def test_a_fast_module_computes_what_torch_does(file: Path) -> None:
    torch.manual_seed(0)
    compared = 0
    for found, expected in described(file)["calls"](built(file)):
        torch.testing.assert_close(found, expected, rtol=2e-5, atol=1e-5) if found.dtype == torch.float32 else (
            torch.testing.assert_close(found, expected)
        )
        compared += 1
    assert compared


@pytest.mark.parametrize("file", [file for file in FAST if "FAILING" in file.read_text()], ids=lambda file: file.stem)
def test_a_call_that_must_fail_raises_as_torch_would(file: Path) -> None:
    for call, kind, words in described(file)["FAILING"]:
        with pytest.raises(kind) as raised:
            call(built(file))
        assert words in str(raised.value)
