"""An output tensor against the reference's: equal, or off by no more than honest rounding. On the device where it lies.

The oracle is the reference in float64; the yardstick is the error of the reference itself at working precision. How
many times that error is allowed comes from the task: far enough above it for every order of the same operations, and
below the error of one precision class less. compare.py does the same for C, with more runs of the reference to go by.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from cudaperf_magic.records import OutputError, WrongElement

if TYPE_CHECKING:
    from torch import Tensor

LEAST_MULTIPLE, MOST_MULTIPLE = 3.0, 32.0
BLOCK = 256  # neighbours that share a yardstick: one element's own error is zero too often to measure by
FLOOR_ULPS = 4.0  # of the block's greatest magnitude: another order of the last few roundings


@dataclass(frozen=True)
class Judgement:
    """`reason` is empty when the output is right."""

    error: OutputError | None
    reason: str = ""
    wrong: WrongElement | None = None  # the element that shows it

    @property
    def ok(self) -> bool:
        return not self.reason


def judge(name: str, got: Tensor, plain: Tensor, wide: Tensor, multiple: float) -> Judgement:
    """Holds one output against the reference.

    Args:
        got, plain: the candidate's and the reference's output, of one dtype and shape.
        wide: the same from the reference in float64.
        multiple: of the reference's own error that is allowed.
    """
    if not got.is_floating_point() and not got.is_complex():
        return _judge_exact(name, got, plain, wide)
    import torch

    if got.is_complex():
        got, plain, wide = (torch.view_as_real(each.resolve_conj()) for each in (got, plain, wide))
    got, plain, wide = got.reshape(-1), plain.reshape(-1), wide.reshape(-1).double()
    strange = ~(torch.isfinite(plain) & torch.isfinite(wide))
    same = (torch.isnan(got) & torch.isnan(plain)) | (got == plain)
    misplaced = torch.where(strange, ~same, ~torch.isfinite(got))
    if bool(misplaced.any()):
        at = int(misplaced.int().argmax())
        ours_text, theirs_text = f"{got[at].item():g}", f"{plain[at].item():g}"
        found = WrongElement(f"{name}[{at}]", ours_text, theirs_text, int(misplaced.sum()), got.numel())
        return Judgement(None, f"{found.name} is {found.got}, the reference has {found.expected}", found)
    ours = torch.where(strange, 0.0, (got.double() - wide).abs())
    theirs = torch.where(strange, 0.0, (plain.double() - wide).abs())
    magnitude = torch.where(strange, 0.0, wide.abs())
    allowed = _allowed(theirs, magnitude, multiple, float(torch.finfo(plain.dtype).eps))
    error = _error(name, ours, theirs, magnitude)
    wrong = ours > allowed
    if bool(wrong.any()):
        at, count = int(wrong.int().argmax()), int(wrong.sum())
        found = WrongElement(f"{name}[{at}]", f"{got[at].item():.9g}", f"{plain[at].item():.9g}", count, got.numel())
        where = f"{found.name} is {found.got}, the reference has {found.expected}"
        said = f"{where} ({count:,} of {got.numel():,} elements are off by more than rounding)"
        return Judgement(error, said, found)
    typical = _rms(theirs)
    floor = FLOOR_ULPS * float(torch.finfo(plain.dtype).eps) * _rms(magnitude)
    if _rms(ours) > multiple * typical + floor:
        return Judgement(error, f"{name} is close everywhere, and as a whole off by more than rounding")
    return Judgement(error)


def _judge_exact(name: str, got: Tensor, plain: Tensor, wide: Tensor) -> Judgement:
    """Bitwise; where float64 decides otherwise than working precision (a tie of an argmax), either is right."""
    got, plain, wide = got.reshape(-1), plain.reshape(-1), wide.reshape(-1)
    wrong = (got != plain) & (got != wide)
    count = int(wrong.sum())
    share = count / max(got.numel(), 1)
    error = OutputError(name, share, float(count > 0), 0.0, 0.0)
    if not count:
        return Judgement(error)
    at = int(wrong.int().argmax())
    found = WrongElement(f"{name}[{at}]", str(got[at].item()), str(plain[at].item()), count, got.numel())
    where = f"{found.name} is {found.got}, the reference has {found.expected}"
    return Judgement(error, f"{where} ({count:,} of {got.numel():,} elements differ)", found)


def multiple_between(own: float, lower: float) -> float | None:
    """How many times the reference's own error `own` is allowed, when one precision class less errs by `lower`.

    The geometric middle, so that honest orders have as much room below it as a downgrade has above it. None where the
    two cannot be told apart; both are RMS errors against float64.
    """
    if own <= 0.0:
        return LEAST_MULTIPLE
    if lower <= LEAST_MULTIPLE * own:
        return None
    return min(max(sqrt(lower / own), LEAST_MULTIPLE), MOST_MULTIPLE)


def rms_error(got: Tensor, wide: Tensor) -> float:
    """RMS distance where both are finite; 0 for integers."""
    import torch

    if not got.is_floating_point():
        return 0.0
    distance = (got.reshape(-1).double() - wide.reshape(-1).double()).abs()
    return _rms(distance[torch.isfinite(distance)])


def _allowed(theirs: Tensor, magnitude: Tensor, multiple: float, epsilon: float) -> Tensor:
    own = _block_greatest(theirs) + _rms(theirs)
    return multiple * own + FLOOR_ULPS * epsilon * _block_greatest(magnitude)


def _block_greatest(values: Tensor) -> Tensor:
    """For each element the greatest value of its block of neighbours."""
    import torch

    count = values.numel()
    if count <= BLOCK:
        return values.max().expand(count) if count else values
    padded = torch.nn.functional.pad(values, (0, -count % BLOCK)).view(-1, BLOCK)
    return padded.amax(1, keepdim=True).expand_as(padded).reshape(-1)[:count]


def _rms(values: Tensor) -> float:
    return float(values.square().mean().sqrt()) if values.numel() else 0.0


def _error(name: str, ours: Tensor, theirs: Tensor, magnitude: Tensor) -> OutputError:
    unit = _rms(magnitude) or 1.0
    greatest = [float(each.max()) / unit if each.numel() else 0.0 for each in (ours, theirs)]
    return OutputError(name, _rms(ours) / unit, greatest[0], _rms(theirs) / unit, greatest[1])
