"""load_inline without nvcc: sources that go the fast way compute what torch computes, the rest is told why it does not.

Each file of tests/extensions/fast holds the sources, calls with what they must give, and calls that must fail. The
kernels run on the simulator, over tensors of the CPU.
"""

from __future__ import annotations

import re
import runpy
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from cudaperf_magic.bench.extensions.lane_b import fast_answer  # noqa: E402
from cudaperf_magic.bench.extensions.module import HostCode, NotFast, fast_module, read_sources  # noqa: E402
from cudaperf_magic.bench.extensions.simulated import SimulatedPlace  # noqa: E402
from cudaperf_magic.bench.modules.extension import inline_request  # noqa: E402

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


@pytest.mark.parametrize("file", REFUSED, ids=lambda file: file.stem)
def test_what_is_not_surely_understood_is_left_to_nvcc_with_the_reason(file: Path) -> None:
    source = file.read_text()
    made = fast_module(file.stem, "", source, ["f"], place=SimulatedPlace)
    assert isinstance(made, NotFast)
    assert source.splitlines()[0].removeprefix("// Expect ") in made.reason


def test_flags_that_change_the_result_are_not_passed_over() -> None:
    source = "__global__ void k(float *x) {} void f(torch::Tensor x) { k<<<1, N>>>(x.data_ptr<float>()); }"
    assert isinstance(read_sources([], [source], ["f"], cuda_cflags=["-O3", "-DN=3"]), HostCode)
    refused = read_sources([], [source], ["f"], cuda_cflags=["-include", "other.h"])
    assert refused == NotFast("the compiler is told -include")


def test_a_request_of_lane_b_is_answered_with_kernels_for_its_device() -> None:
    told = described(FILES / "fast" / "relu.py")
    options = {"functions": told["FUNCTIONS"]}
    request = inline_request("ext", told["CPP"], told["CUDA"], options)
    assert isinstance(fast_answer(request), NotFast), "no device"
    answer = fast_answer({**request, "arch": "sm_90"})
    assert isinstance(answer, dict)
    assert answer["cubin"][:4] == b"\x7fELF"
    assert answer["symbols"].keys() == {"relu_kernel"}


@pytest.mark.parametrize("name", ["own_kernel", "kernel_for_show"])
def test_the_kernels_of_the_lane_b_corpus_go_fast(name: str) -> None:
    file = next((Path(__file__).parent / "hacks" / "lane_b").rglob(f"{name}.py"))
    source = re.search(r'SOURCE = """(.*?)"""', file.read_text(), re.DOTALL)
    exported = re.search(r'functions=\["(\w+)"\]', file.read_text())
    assert source and exported
    assert isinstance(read_sources([], [source[1]], [exported[1]]), HostCode)
