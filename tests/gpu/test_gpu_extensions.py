"""load_inline the fast way on a device: the files of tests/extensions, with tensors on the GPU."""

from __future__ import annotations

import runpy
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.gpu

FAST = sorted((Path(__file__).parents[1] / "extensions" / "fast").glob("*.py"))


def built(file: Path, told: dict[str, Any]) -> ModuleType:
    import torch

    from cudaperf_magic.bench.extensions.device import DevicePlace
    from cudaperf_magic.bench.extensions.module import fast_module

    major, minor = torch.cuda.get_device_capability()
    made = fast_module(
        file.stem,
        told["CPP"],
        told["CUDA"],
        told["FUNCTIONS"],
        place=lambda compiled: DevicePlace(compiled.cubin, compiled.mangled),
        arch=f"sm_{major}{minor}",
    )
    assert isinstance(made, ModuleType), made
    return made


@pytest.mark.parametrize("file", FAST, ids=lambda file: file.stem)
def test_a_fast_module_computes_what_torch_does_on_the_device(file: Path) -> None:
    import torch

    torch.manual_seed(0)
    with torch.device("cuda"):
        told = runpy.run_path(str(file))
        started = time.perf_counter()
        module = built(file, told)
        print(f"{file.stem}: {time.perf_counter() - started:.3f} s")
        for found, expected in told["calls"](module):
            torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


def test_a_fast_module_is_captured_in_a_graph_and_follows_the_current_stream() -> None:
    import torch

    file = next(file for file in FAST if file.stem == "relu")
    module = built(file, runpy.run_path(str(file)))
    x = torch.randn(1000, device="cuda")
    with torch.cuda.stream(torch.cuda.Stream()):
        module.relu(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = module.relu(x)
    x.copy_(torch.randn(1000))
    graph.replay()
    torch.testing.assert_close(y, torch.relu(x))
