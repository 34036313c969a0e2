"""Where an evaluation ran and what it took, as rows: memory, device, protections, seconds by stage, kernels, labels."""

from __future__ import annotations

from collections.abc import Iterator

from ..bench.symbols import written_name
from ..records import Memory, Outcome
from . import words

MOST_STAGES = 8


def rows(outcome: Outcome) -> list[tuple[str, str]]:
    """(what, its value); what was not recorded has no row."""
    return list(_rows(outcome))


def _rows(outcome: Outcome) -> Iterator[tuple[str, str]]:
    if outcome.memory is not None:
        yield "memory", memory(outcome.memory)
    where = [outcome.device, *([outcome.timing.gpu] if outcome.timing and outcome.timing.gpu else [])]
    yield "ran on", ", ".join([*where, *([outcome.build.arch] if outcome.build.arch else [])])
    for kernel in outcome.build.kernels:
        spilled = f", {words.number(kernel.spill_bytes)} bytes spilled" if kernel.spill_bytes else ""
        shared = f", {kernel.shared_bytes:,} bytes of shared memory" if kernel.shared_bytes else ""
        yield f"kernel {written_name(kernel.name)}", f"{kernel.registers} registers a thread{spilled}{shared}"
    for run in outcome.kernels:
        whose = f"{run.owner}{f' ({run.library})' if run.library else ''}"
        yield f"ran {run.name}", f"{whose}, {run.share:.0%} of the device time, {words.plural(run.launches, 'launch')}"
    if outcome.seconds:
        yield "evaluated in", f"{words.duration(outcome.seconds)}{_stages(outcome)}"
    if outcome.isolation:
        yield "protected by", ", ".join(outcome.isolation)
    for label in outcome.labels:
        yield f"label {label.kind}", label.message


def memory(found: Memory) -> str:
    """Peak bytes of candidate and reference, and what lies between them."""
    extra = found.candidate_bytes - found.reference_bytes
    beside = f"; {words.in_bytes(extra)} of workspace beside the arguments" if extra > 0 else "; no workspace"
    ours, alone = words.in_bytes(found.candidate_bytes), words.in_bytes(found.reference_bytes)
    return f"{ours} at its peak, the arguments alone {alone}{beside}"


def _stages(outcome: Outcome) -> str:
    longest = sorted(outcome.stages, key=lambda stage: -stage[1])[:MOST_STAGES]
    told = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in longest if seconds >= 0.005)
    return f": {told}" if told else ""
