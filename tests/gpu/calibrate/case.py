"""The noun of the calibration: one kernel, its launch, its data and what NumPy says should come out. Runs nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudaperf_magic.bench.plan import Launch, LaunchPlan, Pointer, Scalar

KERNELS = Path(__file__).parent / "kernels"
Array = NDArray[Any]
Arrays = dict[str, Array]
Shape = int | tuple[int, ...]


@dataclass(frozen=True)
class CalibrationCase:
    """One launch of one kernel.

    Attributes:
        name: unique; the table's row.
        arguments: of the kernel; a string names an array.
        arrays: makes the buffers, always the same ones.
        expected: what NumPy makes of fresh buffers: the outputs by name.
        tolerance: relative, of the outputs against NumPy; 0: equal.
        is_exact: integers and IEEE-exact float operations in a fixed order: simulator and GPU must agree in every bit.
        is_large: too much for a test that runs on every change.
    """

    name: str
    file: str
    kernel: str
    grid: Shape
    block: Shape
    arguments: tuple[str | int | float, ...]
    arrays: Callable[[], Arrays]
    expected: Callable[[Arrays], Arrays]
    shared_bytes: int = 0
    tolerance: float = 0.0
    is_exact: bool = True
    is_large: bool = False
    why: str = field(default="", compare=False)

    @property
    def plan(self) -> LaunchPlan:
        given = tuple(_argument(value) for value in self.arguments)
        return LaunchPlan((Launch(self.kernel, dim3(self.grid), dim3(self.block), given, self.shared_bytes),))


def dim3(shape: Shape) -> tuple[int, int, int]:
    sizes = (shape,) if isinstance(shape, int) else shape
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def differences(case: CalibrationCase, after: Arrays) -> str:
    """How the outputs differ from NumPy's, in words; empty when they agree."""
    for name, wanted in case.expected(case.arrays()).items():
        got = after[name]
        if case.tolerance == 0.0:
            same = got == wanted
        else:
            scale = float(np.max(np.abs(wanted), initial=0.0)) or 1.0
            same = np.abs(got.astype(np.float64) - wanted) <= case.tolerance * np.maximum(np.abs(wanted), 0.01 * scale)
        if not same.all():
            at = np.unravel_index(int(np.argmin(same)), same.shape)
            return f"{name}{list(map(int, at))} is {got[at]}, NumPy says {wanted[at]}; {np.mean(~same):.1%} differ"
    return ""


def _argument(value: str | int | float) -> Pointer | Scalar:
    if isinstance(value, str):
        return Pointer(value)
    return Scalar("float", value) if isinstance(value, float) else Scalar("int", value)


# ---- data, always from a seed of its own ----


def floats(*shape: int, seed: int = 1) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def ints(*shape: int, low: int = 0, high: int = 1000, seed: int = 2) -> NDArray[np.int32]:
    return np.random.default_rng(seed).integers(low, high, shape).astype(np.int32)


def zeros(*shape: int, dtype: Any = np.float32) -> Array:
    return np.zeros(shape, dtype)
