"""The same C as a candidate might compute it: honestly, with other roundings, and dishonestly, in less precision.

It is meant for a child process, after the checked build has found the inputs sound. Judging is calibration.py's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudaperf_magic.bench.reference.run import Builds, Limits, Runner, at_path, leaf_paths
from cudaperf_magic.records import Argument

Array = NDArray[Any]
Outputs = dict[str, Array]

FIRST_FRESH_NOISE = 1001  # the reference's own samples count from 1
TF32_DROPPED_BITS = 13


@dataclass(frozen=True)
class Variants:
    """Outputs of one case in the C's own types; None where a run strays out of bounds.

    honest: each operation rounded with fresh noise. lower: inputs and operations one precision class lower.
    narrow_inputs: the inputs alone one class lower, as tensor cores take them; None where that leaves them as they are.
    """

    honest: tuple[Outputs | None, ...]
    lower: Outputs | None
    narrow_inputs: Outputs | None


def run_variants(
    builds: Builds, arguments: tuple[Argument, ...], inputs: tuple[Outputs, ...], limits: Limits
) -> tuple[Variants, ...]:
    """Every variant of every set of inputs; `limits.samples` honest ones."""
    runner = Runner(builds, arguments, limits)
    return tuple(_case(runner, given) for given in inputs)


def _case(runner: Runner, given: Outputs) -> Variants:
    def outputs(inputs: Outputs, noise: int = 0, is_lower: bool = False) -> Outputs | None:
        run = runner.watched(runner.widened, inputs, noise, is_wide=True, is_lower=is_lower)
        if run.report.kind:
            return None
        return {a.name: _narrowed(run.data[a.name], given[a.name].dtype) for a in runner.outputs}

    narrow = {name: lowered(array) for name, array in given.items()}
    seeds = range(FIRST_FRESH_NOISE, FIRST_FRESH_NOISE + runner.limits.samples)
    is_narrower = any(narrow[name].tobytes() != array.tobytes() for name, array in given.items())
    return Variants(
        tuple(outputs(given, seed) for seed in seeds),
        outputs(narrow, is_lower=True),
        outputs(narrow) if is_narrower else None,
    )


def _narrowed(wide: Array, dtype: np.dtype[Any]) -> Array:
    made = np.zeros(wide.shape, dtype)
    with np.errstate(all="ignore"):
        for path in leaf_paths(dtype):
            at_path(made, path)[...] = at_path(wide, path)
    return made


def lowered(array: Array) -> Array:
    """Floating values one precision class lower, in the array's own type: float32 to TF32, float64 to float32."""
    made = array.copy()
    for path in leaf_paths(array.dtype):
        leaf = at_path(made, path)
        with np.errstate(all="ignore"):
            if leaf.dtype == np.float64:
                leaf[...] = leaf.astype(np.float32)
            elif leaf.dtype == np.float32:
                leaf[...] = _in_tf32(np.ascontiguousarray(leaf))
    return made


def _in_tf32(values: Array) -> Array:
    bits = values.view(np.uint32)
    half = np.uint32(1 << (TF32_DROPPED_BITS - 1))
    kept = (bits + half) & ~np.uint32((1 << TF32_DROPPED_BITS) - 1)
    finite = np.isfinite(values)
    rounded: Array = np.where(finite, kept.view(np.float32), values)
    return rounded
