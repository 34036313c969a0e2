"""Parameters none of which is at its identity: a bias of 0, a scale of 1 or a running mean of 0 hide forgotten work.

Two ways, for two kinds of candidates: new values for a state that is loaded by name, and constructors in which what
would be constant varies, the same for the same seed. Pure but for what is patched while a constructor runs.
"""

from __future__ import annotations

import contextlib
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor


def randomised(state: dict[str, Tensor], seed: int) -> dict[str, Tensor]:
    """The state with other values: around zero for what is zero, else scaled by 0.5 to 1.5, element by element.

    So variances and other values above zero stay above zero. Integers stay as they are.
    """
    import torch

    generator = torch.Generator().manual_seed(seed)
    found = {}
    for name, tensor in state.items():
        if not tensor.is_floating_point() or not tensor.numel():
            found[name] = tensor.clone()
            continue
        noise = torch.rand(tensor.shape, generator=generator, dtype=torch.float32)
        values = tensor.detach().float().cpu()
        is_zero = bool((values == 0).all())
        found[name] = (noise - 0.5 if is_zero else values * (0.5 + noise)).to(tensor.dtype)
    return found


@contextlib.contextmanager
def varied_constants(seed: int) -> Iterator[None]:
    """While a constructor runs: parameters that are made constant vary instead, by the seed, their shape and order.

    Two constructors that make parameters of the same shapes in the same order get the same values. The framework's
    own stream of random numbers is left alone, for it makes the other parameters.
    """
    import torch

    init, parameter = torch.nn.init, torch.nn.Parameter
    made: Counter[tuple[str, tuple[int, ...]]] = Counter()

    def vary(kind: str, tensor: Any) -> None:
        if not isinstance(tensor, torch.Tensor) or not tensor.is_floating_point() or not tensor.numel():
            return
        # Counted whether constant or not: a parameter that is still uninitialised may be either.
        which = kind, tuple(tensor.shape)
        made[which] += 1
        if _is_constant(tensor):
            key = zlib.crc32(repr((seed, which, made[which])).encode())
            with torch.no_grad():
                tensor.copy_(randomised({"": tensor.detach()}, key)[""])

    def then_vary(kind: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def varied(*arguments: Any, **keywords: Any) -> Any:
            tensor = original(*arguments, **keywords)
            vary(kind, tensor)
            return tensor

        return varied

    before = {name: getattr(init, name) for name in ("ones_", "zeros_", "constant_")}
    construct = parameter.__new__
    try:
        for name, original in before.items():
            setattr(init, name, then_vary("init", original))
        parameter.__new__ = staticmethod(then_vary("parameter", construct))  # type: ignore[method-assign]
        yield
    finally:
        for name, original in before.items():
            setattr(init, name, original)
        parameter.__new__ = construct  # type: ignore[method-assign]


def _is_constant(tensor: Any) -> bool:
    values = tensor.detach().reshape(-1)
    return bool((values == values[0]).all())
