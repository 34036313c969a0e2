"""The contents that a candidate meets: the task's own inputs from a secret seed, changed by family, or a near-twin.

In the referee's process, on its device. Floating tensors change with the family; integers and booleans are what
`get_inputs` makes of the seed, for their ranges have a meaning. It does not judge whether a family suits the module.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Generator, Tensor

NOMINAL = "nominal"
# Beside the nominal ones. Each exists to catch a formula or a shortcut that holds on nominal inputs only.
FAMILIES = ("negated", "x100", "x0.01", "mixed magnitude", "offset", "zeros and ties", "integer-exact", "structured")
OFFSET = 100.0
TWIN_SHARE = 0.25  # of a near-twin's elements are new: enough to change most outputs, too few for a sampled fingerprint
KEPT_FIRST = 64  # elements that a near-twin always keeps: where a cheap fingerprint looks first


@dataclass(frozen=True)
class Content:
    """One set of inputs, by recipe. `twin_of` is the seed of the content that most of its elements come from."""

    number: int
    family: str
    seed: int
    twin_of: int | None = None
    neighbour: int | None = None  # of the shapes beside the task's own


def altered(tensors: list[Tensor], family: str, seed: int) -> list[Tensor]:
    """The same tensors in another family."""
    import torch

    generator = torch.Generator(device=tensors[0].device if tensors else "cpu").manual_seed(seed)
    return [_altered(t, family, generator) if t.is_floating_point() else t for t in tensors]


def _altered(tensor: Tensor, family: str, generator: Generator) -> Tensor:
    match family:
        case "negated":
            return -tensor
        case "x100":
            return tensor * 100
        case "x0.01":
            return tensor * 0.01
        case "mixed magnitude":
            powers = _uniform(tensor, generator) * 6 - 3
            return tensor * (10.0**powers) * _signs(tensor, generator)
        case "offset":
            return tensor + OFFSET
        case "zeros and ties":
            levels = (tensor * 4).round() / 4
            return levels * (_uniform(tensor, generator) < 0.5)
        case "integer-exact":
            return (_uniform(tensor, generator) * 9).floor() - 4
        case "structured":
            ramp = _ramp(tensor)
            return tensor * (ramp < 0.5) + ramp
    return tensor


def near_twin(tensors: list[Tensor], fresh: list[Tensor], seed: int) -> list[Tensor]:
    """The tensors with a share of their elements taken from `fresh`, in runs, none of them among the first."""
    import torch

    generator = torch.Generator(device=tensors[0].device if tensors else "cpu").manual_seed(seed)
    found = []
    for old, new in zip(tensors, fresh, strict=True):
        is_new = _uniform(old, generator).float() < TWIN_SHARE
        if old.numel() > 4 * KEPT_FIRST:
            is_new.view(-1)[:KEPT_FIRST] = False
        found.append(torch.where(is_new, new, old))
    return found


def _uniform(tensor: Tensor, generator: Generator) -> Tensor:
    import torch

    wanted = tensor.dtype if tensor.dtype in (torch.float32, torch.float64) else torch.float32
    made = torch.rand(tensor.shape, generator=generator, device=tensor.device, dtype=wanted)
    return made.to(tensor.dtype) if tensor.is_floating_point() else made


def _signs(tensor: Tensor, generator: Generator) -> Tensor:
    return (_uniform(tensor, generator) < 0.5).to(tensor.dtype) * 2 - 1


def _ramp(tensor: Tensor) -> Tensor:
    """From 0 to 1 along the elements' order."""
    import torch

    count = max(tensor.numel() - 1, 1)
    flat = torch.arange(tensor.numel(), device=tensor.device, dtype=torch.float64) / count
    return flat.to(tensor.dtype).reshape(tensor.shape)


def like(tensors: list[Tensor], patterns: list[Tensor]) -> list[Tensor]:
    """The tensors with the patterns' dtypes and strides: arithmetic may have changed both."""
    import torch

    found = []
    for tensor, pattern in zip(tensors, patterns, strict=True):
        made = torch.empty_strided(pattern.shape, pattern.stride(), dtype=pattern.dtype, device=pattern.device)
        found.append(made.copy_(tensor))
    return found


def fresh_inputs(module: Any, seed: int, device: str) -> Any:
    """What `get_inputs()` makes of a seed, on the device; tensors with holes between their elements made dense."""
    import torch

    from .layout import place_of, put_together, take_apart

    torch.manual_seed(seed)
    try:
        with torch.device(device):  # made where they are needed: random numbers by the million take a CPU long
            made_inputs = module.get_inputs()
    except RuntimeError:  # some of it insists on the CPU, a generator of its own for example
        torch.manual_seed(seed)
        made_inputs = module.get_inputs()
    tensors, nest = take_apart(made_inputs)
    placed = []
    for tensor in tensors:
        place = place_of(tensor)
        made = torch.empty_strided(place.shape, place.stride, dtype=tensor.dtype, device=device)
        placed.append(made.copy_(tensor))
    return put_together(nest, placed)
