"""Whether a task can be refereed: honest re-orderings must pass, and the same C one precision class lower must fail.

Both are tried on the task's small cases, as candidates would be. A task whose own rounding errors are as large as those
of lower precision (all cancellation, chaos) cannot tell the two apart: that is said, and refuses no candidate.
Integers, and functions that only copy and compare, need no calibration.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from threading import Lock
from weakref import WeakKeyDictionary

from cudaperf_magic.bench.compare import compare
from cudaperf_magic.bench.oracle import BUDGET_STEPS, MEMORY_BYTES, TIMEOUT_S, Oracle, Reference, has_floats
from cudaperf_magic.bench.reference.run import Builds, Limits, at_path
from cudaperf_magic.bench.reference.variants import Outputs, Variants, run_variants
from cudaperf_magic.bench.sandbox import Finished, run_in_child
from cudaperf_magic.bench.settle import is_degenerate
from cudaperf_magic.records import Label

HONEST_SAMPLES = 3
MULTIPLES = (3.0, 2.0, 1.5, 5.0, 8.0)  # the usual one first, then stricter, then milder
HEAVY_STEPS = 500_000  # cases beyond cost more than they tell


@dataclass(frozen=True)
class Calibration:
    """What the two-way trial of a task showed.

    multiple: a multiple of the C's own errors at which honest variants pass and lower precision fails, the task's own
    if it does; None where none does. is_exact: nothing rounds, so every output is held to its bits.
    sees_narrow_inputs: whether inputs alone, rounded one class lower, would be noticed.
    """

    multiple: float | None
    is_exact: bool = False
    sees_narrow_inputs: bool = True

    @property
    def is_refereeable(self) -> bool:
        return self.is_exact or self.multiple is not None

    @property
    def note(self) -> str:
        """What a person has to know of it; "" where all is well."""
        if not self.is_refereeable:
            return (
                "its precision cannot be refereed: the C's own rounding errors are as large as those of arithmetic "
                "one precision class lower, so a kernel that computes less exactly would pass as well"
            )
        if not self.sees_narrow_inputs:
            return "a kernel that rounds its inputs one precision class lower (TF32, or float for double) would pass"
        return ""


def task_labels(oracle: Oracle) -> tuple[Label, ...]:
    """What every candidate of the task is labelled with: "degenerate" (no speed may be claimed), "unrefereeable"
    (precision cannot be told apart), "narrow_inputs" (inputs in less precision would not be noticed).

    Raises: as `calibration`.
    """
    found = calibration(oracle)
    kind = "narrow_inputs" if found.is_refereeable else "unrefereeable"
    labels = [Label(kind, found.note)] if found.note else []
    why = is_degenerate(oracle.task)
    return (*labels, Label("degenerate", why)) if why is not None else tuple(labels)


_KNOWN: WeakKeyDictionary[Oracle, Calibration] = WeakKeyDictionary()
_LOCK = Lock()


def calibration(oracle: Oracle) -> Calibration:
    """The trial, once for each oracle.

    Raises:
        TaskError: the C fails on its own cases. ToolchainError: there is no C compiler.
    """
    with _LOCK:
        known = _KNOWN.get(oracle)
    if known is None:
        known = _tried(oracle)
        with _LOCK:
            _KNOWN[oracle] = known
    return known


def _tried(oracle: Oracle) -> Calibration:
    references = [r for r in oracle.run_all(oracle.task.cases) if r.steps <= HEAVY_STEPS]
    if not has_floats(oracle.function) or not any(_rounds(reference) for reference in references):
        return Calibration(None, is_exact=True)
    builds = Builds(oracle.build.as_written, oracle.build.checked, oracle.build.widened)
    inputs = tuple(reference.inputs for reference in references)
    limits = Limits(BUDGET_STEPS, HONEST_SAMPLES)
    ended = run_in_child(
        run_variants, builds, oracle.task.arguments, inputs, limits, timeout_s=TIMEOUT_S, memory_bytes=MEMORY_BYTES
    )
    if not isinstance(ended, Finished):
        return Calibration(None)  # what strays that far with other roundings cannot be told from less precision
    tried = list(zip(references, ended.value, strict=True))
    usual = oracle.task.tolerance.multiple
    for multiple in dict.fromkeys((usual, *MULTIPLES)):
        is_honest_right = all(
            _passes(oracle, r, got, multiple) for r, v in tried for got in v.honest if got is not None
        )
        if is_honest_right and not _all_pass(oracle, tried, multiple, "lower"):
            return Calibration(multiple, sees_narrow_inputs=not _all_pass(oracle, tried, multiple, "narrow_inputs"))
    return Calibration(None)


def _rounds(reference: Reference) -> bool:
    """Whether anything in this case's outputs is rounded, or decided by rounding."""
    return any(
        bool((leaf.spread > 0).any()) if leaf.plain.dtype.kind == "f" else bool((leaf.low < leaf.high).any())
        for leaf in reference.leaves
    )


def _all_pass(oracle: Oracle, tried: list[tuple[Reference, Variants]], multiple: float, which: str) -> bool:
    """Whether a variant would pass on every case; one that strays out of bounds would not."""
    found: Iterator[tuple[Reference, Outputs | None]] = ((r, getattr(v, which)) for r, v in tried)
    return all(got is not None and _passes(oracle, r, got, multiple) for r, got in found)


def _passes(oracle: Oracle, reference: Reference, got: Outputs, multiple: float) -> bool:
    tolerance = replace(oracle.task.tolerance, multiple=multiple)
    return all(compare(leaf, at_path(got[leaf.name], leaf.path), tolerance).ok for leaf in reference.leaves)
