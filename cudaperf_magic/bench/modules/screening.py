"""What a task's module can be held to: which families suit it, how much error is honest, whether the check is weak.

In the referee's process, before any candidate, on inputs that no candidate will see. It decides no verdict.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .inputs import NOMINAL
from .judge import LEAST_MULTIPLE, judge, multiple_between, rms_error
from .reference import Reference

if TYPE_CHECKING:
    from torch import Tensor

WORST_OWN_ERROR = 0.05  # of the output's magnitude: where the reference itself loses its digits, nothing is shown


@dataclass(frozen=True)
class Screened:
    """`multiples`: family that suits -> how many times the reference's own error is allowed on it.

    `weak` names what would pass for the outputs on every family: such a task shows nothing. `unrefereeable` says that
    one precision class less cannot be told from honest rounding on nominal inputs.
    """

    multiples: tuple[tuple[str, float], ...]
    weak: tuple[str, ...] = ()
    is_unrefereeable: bool = False
    has_float64: bool = True

    @property
    def families(self) -> tuple[str, ...]:
        return tuple(family for family, _ in self.multiples)


def screen(reference: Reference, families: dict[str, list[Tensor]], nominal: Callable[[int], list[Tensor]]) -> Screened:
    """Tries the families and the impostors.

    Args:
        families: inputs by family, the nominal ones among them.
        nominal: more nominal inputs, by number.
    """
    multiples: list[tuple[str, float]] = []
    passing: set[str] | None = None
    is_unrefereeable = False
    for family, inputs in families.items():
        plain = reference.plain(inputs)
        wide = reference.oracle(inputs, plain)
        if family != NOMINAL and not _suits(plain, wide):
            continue
        multiple = _multiple(reference, inputs, plain, wide)
        is_unrefereeable = is_unrefereeable or (family == NOMINAL and multiple is None)
        multiples.append((family, multiple or LEAST_MULTIPLE))
        found = _impostors_that_pass(plain, wide, multiple or LEAST_MULTIPLE)
        passing = found if passing is None else passing & found
    weak = set(passing or ())
    if _is_constant(reference, families[NOMINAL], nominal):
        weak.add("one answer for all inputs")
    return Screened(tuple(multiples), tuple(sorted(weak)), is_unrefereeable, reference.has_wide)


def _suits(plain: list[Tensor], wide: list[Tensor]) -> bool:
    import torch

    for ours, oracle in zip(plain, wide, strict=True):
        if not ours.is_floating_point():
            continue
        if not bool(torch.isfinite(ours).all()):
            return False
        scale = float(oracle.double().square().mean().sqrt()) if oracle.numel() else 0.0
        if rms_error(ours, oracle) > WORST_OWN_ERROR * scale:
            return False
    return True


def _multiple(reference: Reference, inputs: list[Tensor], plain: list[Tensor], wide: list[Tensor]) -> float | None:
    """The least over the outputs; None when some output cannot be refereed."""
    least: float | None = None
    for ours, less, oracle in zip(plain, reference.lower(inputs), wide, strict=True):
        if not ours.is_floating_point() or not ours.numel():
            continue
        found = multiple_between(rms_error(ours, oracle), rms_error(less, oracle))
        if found is None:
            return None
        least = found if least is None else min(least, found)
    return LEAST_MULTIPLE if least is None else least


def _impostors_that_pass(plain: list[Tensor], wide: list[Tensor], multiple: float) -> set[str]:
    """Which of zeros, the mean and another order would pass for all outputs."""
    import torch

    def mean(tensor: Tensor) -> Tensor:
        values = tensor.double().mean() if tensor.numel() and not tensor.is_complex() else torch.tensor(0.0)
        return torch.full_like(tensor, values.item()) if tensor.is_floating_point() else tensor * 0

    makers: dict[str, Callable[[Tensor], Tensor]] = {
        "zeros": lambda tensor: torch.zeros_like(tensor),
        "the mean": mean,
        "another order": lambda tensor: torch.roll(tensor.reshape(-1), 1).reshape(tensor.shape),
    }
    return {
        name
        for name, make in makers.items()
        if all(judge("", make(p), p, w, multiple).ok for p, w in zip(plain, wide, strict=True))
        and any(p.numel() > 1 or name != "another order" for p in plain)
    }


def _is_constant(reference: Reference, first: list[Tensor], nominal: Callable[[int], list[Tensor]]) -> bool:
    """Whether three sets of inputs have one answer."""
    import torch

    before = reference.plain(first)
    return all(
        all(torch.equal(a, b) for a, b in zip(before, reference.plain(nominal(number)), strict=True))
        for number in (1, 2)
    )
