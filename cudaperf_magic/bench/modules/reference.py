"""The task's own module as the reference: at working precision, in float64, and one precision class lower.

Trusted, in the referee's process. Each content is given to it once and in order, as to the candidate, so that a module
that keeps state keeps the same. It holds no outputs of candidates.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from .layout import put_together, take_apart
from .loading import state_tensors

if TYPE_CHECKING:
    from torch import Tensor

MANTISSA_BITS = {"float64": 23, "float32": 10, "float16": 5, "bfloat16": 3}  # of one precision class less
NOISE_ULPS = 1.0  # without float64, the yardstick is how a change of the inputs by their last bit is passed on
UNSETTLED = "it gives other results for the same inputs (dropout, or random numbers of its own); make it deterministic"


class Reference:
    """Args: model: the module with the parameters that the candidate has too. nest: how its inputs are nested."""

    def __init__(self, model: Any, nest: Any) -> None:
        self.nest = nest
        self.model = model
        self.wide: Any = _widened(model)
        self.has_wide = self.wide is not None

    def plain(self, inputs: list[Tensor]) -> list[Tensor]:
        """The outputs at working precision; the inputs stay as they are."""
        return self._run(self.model, [tensor.clone() for tensor in inputs])

    def oracle(self, inputs: list[Tensor], plain: list[Tensor]) -> list[Tensor]:
        """The outputs in float64; where the module cannot do that, those at working precision."""
        if self.wide is not None:
            try:
                return self._run(self.wide, [_double(tensor) for tensor in inputs])
            except (RuntimeError, TypeError):
                self.wide = None  # a dtype is written into it
                self.has_wide = False
        return self._shaken(inputs) if plain else []

    def lower(self, inputs: list[Tensor]) -> list[Tensor]:
        """The outputs when inputs and parameters are rounded to the next smaller type's digits."""
        model = copy.deepcopy(self.model)
        _each_parameter(model, _rounded)
        return self._run(model, [_rounded(tensor) for tensor in inputs])

    def changes_inputs(self, inputs: list[Tensor]) -> tuple[int, ...]:
        """Which inputs the reference itself writes to: a candidate may as well."""
        import torch

        copies = [tensor.clone() for tensor in inputs]
        self._run(copy.deepcopy(self.model), copies)
        return tuple(k for k, (a, b) in enumerate(zip(copies, inputs, strict=True)) if not torch.equal(a, b))

    def repeats(self, inputs: list[Tensor]) -> bool:
        """Whether the same inputs, from the same state, give the same outputs."""
        import torch

        first, second = (self._run(copy.deepcopy(self.model), [t.clone() for t in inputs]) for _ in range(2))
        return all(torch.equal(_bytes(a), _bytes(b)) for a, b in zip(first, second, strict=True))

    def peak_bytes(self, inputs: list[Tensor]) -> int:
        """Device memory that a call needs at its peak: parameters, inputs, and what the module allocates meanwhile.

        By the counters of torch's allocator, in this process, where nothing foreign runs.
        """
        import torch

        model = copy.deepcopy(self.model)  # a call may change it
        held: int = sum(tensor.numel() * tensor.element_size() for tensor in [*state_tensors(model).values(), *inputs])
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        with torch.no_grad():
            result = model(*put_together(self.nest, inputs))
            torch.cuda.synchronize()
        del result
        return held + int(torch.cuda.max_memory_allocated()) - before

    def _shaken(self, inputs: list[Tensor]) -> list[Tensor]:
        import torch

        shaken = []
        for tensor in inputs:
            if tensor.is_floating_point():
                signs = torch.randint(0, 2, tensor.shape, device=tensor.device, dtype=torch.int8) * 2 - 1
                tensor = tensor * (1 + NOISE_ULPS * torch.finfo(tensor.dtype).eps * signs.to(tensor.dtype))
            shaken.append(tensor)
        return self._run(copy.deepcopy(self.model), shaken)

    def _run(self, model: Any, inputs: list[Tensor]) -> list[Tensor]:
        import torch

        with torch.no_grad():
            tensors, _ = take_apart(model(*put_together(self.nest, inputs)))
        return [tensor.contiguous().clone() for tensor in tensors]


def _widened(model: Any) -> Any:
    import torch

    if not isinstance(model, torch.nn.Module):
        return model
    return copy.deepcopy(model).double()


def _double(tensor: Tensor) -> Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor.clone()


def _bytes(tensor: Tensor) -> Tensor:
    import torch

    return tensor.contiguous().reshape(-1).view(torch.uint8)


def _each_parameter(model: Any, change: Any) -> None:
    import torch

    if isinstance(model, torch.nn.Module):
        with torch.no_grad():
            for tensor in (*model.parameters(), *model.buffers()):
                tensor.copy_(change(tensor))


def _rounded(tensor: Tensor) -> Tensor:
    """To so many bits of mantissa, the leading one not counted."""
    import torch

    bits = MANTISSA_BITS.get(str(tensor.dtype).removeprefix("torch."))
    if bits is None:
        return tensor.clone()
    mantissa, exponent = torch.frexp(tensor.double())  # 0.5 <= mantissa < 1
    steps = 2.0 ** (bits + 1)
    return torch.ldexp((mantissa * steps).round() / steps, exponent).to(tensor.dtype)
