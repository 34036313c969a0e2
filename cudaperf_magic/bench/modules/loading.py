"""Module text -> a Python module with its own file, as inspect and Triton expect it. In a child; it judges nothing."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from .parameters import varied_constants

MOST_TRACE_LINES = 30


def load_source(source: str, name: str) -> ModuleType:
    """Runs the text as a module called `name`, from a file in the private temporary folder."""
    path = Path(tempfile.gettempdir()) / f"{name}.py"
    path.write_text(source)
    specification = importlib.util.spec_from_file_location(name, path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module


def construct(module: ModuleType, name: str, init_inputs: Any, seed: int, device: str) -> Any:
    """`module.name(*init_inputs)` on the device; with the same seed, the same draws make the same weights."""
    import torch

    torch.manual_seed(seed)
    with varied_constants(seed):
        made = getattr(module, name)(*init_inputs)
    return made.to(device) if isinstance(made, torch.nn.Module) else made


def state_tensors(model: Any) -> dict[str, Any]:
    """Parameters and persistent buffers by name; none for what is no nn.Module."""
    import torch

    if not isinstance(model, torch.nn.Module):
        return {}
    return {name: value for name, value in model.state_dict().items() if isinstance(value, torch.Tensor)}


def trouble(error: BaseException) -> str:
    """An exception in words, with its place in the text of the candidate where there is one."""
    import traceback

    lines = [f"{type(error).__name__}: {error}"]
    folder = tempfile.gettempdir()
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(folder)]
    if isinstance(error, SyntaxError) and error.lineno:
        lines = [f"line {error.lineno}: {error.msg}"]
    elif frames:
        lines[0] = f"line {frames[-1].lineno}: {lines[0]}"
    return "\n".join("\n".join(lines).splitlines()[:MOST_TRACE_LINES])


def strict_float32() -> None:
    """Float32 means float32: no TF32 in matrix products or convolutions unless the module itself asks for it."""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False


def warm_up() -> None:
    """Brings in what is imported at first use, in the server, so that its children need not.

    It must not touch a device, nor ask whether there is one: children of a process that did cannot use it. So
    torch.utils.cpp_extension, which asks, is not among it.
    """
    import torch

    from ..extensions import lane_b  # noqa: F401  what a child needs to open a module that went the fast way
    from .observe import operations_of

    operations_of(lambda: torch.ones(2) + 1)
