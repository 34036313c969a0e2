"""Every case of the calibration, in the order in which they are launched. The order identifies a kernel to ncu."""

from __future__ import annotations

from .case import CalibrationCase
from .cases_compute import COMPUTE_CASES
from .cases_exact import EXACT_CASES
from .cases_memory import MEMORY_CASES
from .cases_shared import SHARED_CASES

CASES: tuple[CalibrationCase, ...] = (*MEMORY_CASES, *SHARED_CASES, *COMPUTE_CASES, *EXACT_CASES)


def by_file() -> dict[str, tuple[str, ...]]:
    """The kernels that each file is asked for, in order of first use."""
    found: dict[str, dict[str, None]] = {}
    for case in CASES:
        found.setdefault(case.file, {})[case.kernel] = None
    return {file: tuple(kernels) for file, kernels in found.items()}
