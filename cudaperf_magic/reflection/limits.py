"""A correct candidate in words: how fast, which resource limits it, the line that costs most, what to try.

Times and counts are the bench's, weights the reward's; here they are only weighed against each other. Without a timing
no resource is named: how a kernel uses the machine is told, not how long it takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cudaperf_magic.records import PROPERTIES, KernelRun, Label, Outcome, Property, RewardBreakdown, Structure, Timing
from cudaperf_magic.reflection.secrecy import without_secrets
from cudaperf_magic.reflection.words import quote

NOTABLE_LOSS = 0.02  # reward lost to a property, below which it does not limit anything
NOTABLY_LOW = 0.9  # a score below this limits, where the reward asks for no property
CLOSE = 1.1  # times the floor: what is left is less than other numbers win
LAUNCH_US = 1.45  # from one launch to the next, measured on an H200 (benchmarks/RESULTS.md)
LAUNCH_SHARE = 0.5
USED_UP = 0.7  # of a roof that the card has reached
MOST_KERNELS_TOLD, LEAST_SHARE = 3, 0.05
TOLD_LABELS = ("library_call", "fig_leaf", "decoy", "late_work", "clocks_disagree", "not_timed", "state", "degenerate")
ALL_BUT_BYTES = ("occupancy", "balance", "synchronisation", "coalescing", "shared", "divergence")


@dataclass(frozen=True)
class Resource:
    """What limits a timed kernel, in a sentence, and which properties have a say in it."""

    sentence: str
    properties: tuple[str, ...] = PROPERTIES


def on_measure(outcome: Outcome, reward: RewardBreakdown, source: Sequence[str], before: str = "") -> list[str]:
    """What limits a correct candidate.

    Args:
        before: the reflection of the turn before, so that the same advice is not given twice in a row.
    """
    total = outcome.verdict.cases_total if outcome.verdict else 0
    parts = [f"It is correct on all {total} cases{_speed(outcome.timing)}; reward {reward.total:.2f}."]
    resource = limiting(outcome)
    parts += [resource.sentence if resource else "", _kernels(outcome.kernels), _doubts(outcome)]
    if outcome.structure is None:
        return parts
    limits = _limits(outcome.structure, reward, resource)
    if not limits:
        return [*parts, "No measured property limits it."]
    return parts + _told(limits, source, before)


def _told(limits: Sequence[Property], source: Sequence[str], before: str) -> list[str]:
    first = limits[0]
    parts = [f"What limits it most is {_named(first)}: {first.reason}", quote(first.line, source)]
    fresh = next((p for p in limits if p.remedy and p.remedy not in before), None)
    if fresh is None or fresh is first:
        parts.append(f"Try: {first.remedy}" if first.remedy else "")
    else:  # what was advised for the first has just been read
        parts += [f"Then {_named(fresh)}: {fresh.reason}", quote(fresh.line, source), f"Try for that: {fresh.remedy}"]
    if rest := [p for p in limits[1:3] if fresh is first or p is not fresh]:
        parts.append("Then " + "; then ".join(f"{_named(p)}: {p.reason}" for p in rest))
    return parts


def limiting(outcome: Outcome) -> Resource | None:
    """The resource that a timed candidate uses up, or that it waits; None where no time was measured."""
    timing, structure = outcome.timing, outcome.structure
    if timing is None:
        return None
    if timing.of_floor is not None and timing.of_floor < CLOSE:
        floor = f"{timing.of_floor:.2f} times what {timing.floor_by or 'the device'} needs at least"
        return Resource(f"It takes {floor}: next to nothing is left to win.")
    launches = structure.launches if structure else 0
    if not timing.is_graph and launches * LAUNCH_US >= LAUNCH_SHARE * timing.median_us:
        return _by_launches(launches, timing)
    return _by_roofs(structure, timing) or _by_floor(timing)


def _by_launches(launches: int, timing: Timing) -> Resource:
    said = f"launching limits it: {launches} {'launch' if launches == 1 else 'launches'} in {timing.median_us:.3g} us"
    mend = "fuse kernels, or keep the loop in one kernel with barriers" if launches > 1 else "there is little to win"
    return Resource(f"{said[0].upper()}{said[1:]}; {mend}.")


def _by_roofs(structure: Structure | None, timing: Timing) -> Resource | None:
    """From the bytes that were counted and the operations of the C, where both are of the case that was timed."""
    roof = structure.roofline if structure else None
    if structure is None or roof is None or structure.case != timing.case or "counted" not in roof.moved_by:
        return None
    moving = roof.moved_bytes / timing.median_us / 1e3 / roof.memory_gb_s  # a byte a microsecond is 0.001 GB/s
    computing = roof.operations / timing.median_us / 1e6 / roof.peak_tops
    if max(moving, computing) < USED_UP:
        return Resource(
            f"Latency limits it: neither memory bandwidth ({moving:.0%} of what the card reaches) nor {roof.kind} "
            f"arithmetic ({computing:.0%}) is used up, so threads wait.",
            ALL_BUT_BYTES,
        )
    if moving >= computing:
        said = f"Memory bandwidth limits it ({moving:.0%} of what the card reaches): only fewer bytes help."
        return Resource(said, ("intensity", "coalescing"))
    said = f"{roof.kind} arithmetic limits it ({computing:.0%} of what the card reaches): only less of it helps."
    return Resource(said, ("divergence", "balance"))


def _by_floor(timing: Timing) -> Resource | None:
    if timing.of_floor is None:
        return None
    return Resource(f"{timing.floor_by or 'the device'} alone would take {1 / timing.of_floor:.0%} of its time.")


def _speed(timing: Timing | None) -> str:
    if timing is None or timing.speedup is None:
        return ""
    baseline = timing.baseline or "the baseline"
    if timing.interval is not None and not timing.is_faster:
        return f", not surely faster than {baseline} ({timing.interval[0]:.3g} to {timing.interval[1]:.3g} times)"
    floor = f" and takes {timing.of_floor:.3g} times the floor ({timing.floor_by})" if timing.of_floor else ""
    return f", {timing.speedup:.3g} times as fast as {baseline}{floor}"


def _kernels(kernels: Sequence[KernelRun]) -> str:
    """Where the time of several kernels goes."""
    if len(kernels) < 2:
        return ""
    largest = sorted(kernels, key=lambda run: -run.share)[:MOST_KERNELS_TOLD]
    shares = [
        f"{run.name}{f' ({run.library or run.owner})' if run.owner == 'library' else ''} {run.share:.0%}"
        for run in largest
        if run.share >= LEAST_SHARE
    ]
    return f"Its time by kernel: {', '.join(shares)}." if shares else ""


def _doubts(outcome: Outcome) -> str:
    """What was seen beside the numbers and bears on them."""
    throttled = outcome.timing.clocks.throttled_by if outcome.timing and outcome.timing.clocks else ()
    said = [f"the card was slowed down ({', '.join(throttled)}) while it was timed"] if throttled else []
    said += [_plainly(label) for label in outcome.labels if label.kind in TOLD_LABELS]
    if outcome.verdict and outcome.verdict.is_deterministic is False:
        said.append("two runs of it differ in the last bits")
    return f"Beside this: {'; '.join(said[:2])}." if said else ""


def _plainly(label: Label) -> str:
    return without_secrets(label.message, None).rstrip(".")


def _limits(structure: Structure, reward: RewardBreakdown, resource: Resource | None) -> list[Property]:
    """The properties that limit it: those of the limiting resource first, and of these the costliest."""
    lost = {term.name: term.weight * (1.0 - term.score) for term in reward.terms if term.name in PROPERTIES}
    if lost:
        limiting_ones = [p for p in structure.properties if lost.get(p.name, 0.0) > NOTABLE_LOSS]
    else:  # a reward of speed alone
        limiting_ones = [p for p in structure.properties if p.score < NOTABLY_LOW]
    first = resource.properties if resource else PROPERTIES
    return sorted(limiting_ones, key=lambda p: (p.name not in first, -lost.get(p.name, 1.0 - p.score)))


def _named(prop: Property) -> str:
    return f"{prop.name} ({prop.score:.2f})"
