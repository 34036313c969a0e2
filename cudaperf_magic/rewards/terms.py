"""The terms of the reward, each a pure function from a part of the outcome to a named, weighed, explained score.

Every term but the verdict is at least 0 and exists only where its part was measured: being measured can only add.
So a reward on the simulator has no speed term at all, and rewards are compared between runs on one kind of device only.
It does not add the terms up and does not choose which apply: `score.py` does.
"""

from __future__ import annotations

import math

from cudaperf_magic.records import Memory, Outcome, Property, RewardTerm, Structure, Timing
from cudaperf_magic.rewards.presets import Preset, PropertyWeight


def verdict_term(outcome: Outcome, preset: Preset) -> RewardTerm:
    """The milestone that the candidate reached; a wrong one earns in proportion to the cases that it got right."""
    verdict = outcome.verdict
    if not outcome.build.ok:
        return RewardTerm("verdict", preset.build, 1.0, "it does not build")
    if verdict is None:
        return RewardTerm("verdict", preset.verify, 1.0, "it builds and was not verified")
    if verdict.ok:
        return RewardTerm("verdict", preset.correct, 1.0, f"correct on all {verdict.cases_total} cases")
    if verdict.status == "cheat":
        return RewardTerm("verdict", preset.cheat, 1.0, f"it does not do the work: {verdict.reason}")
    share = verdict.cases_passed / verdict.cases_total if verdict.cases_total else 0.0
    passed = f"{verdict.cases_passed} of {verdict.cases_total} cases passed"
    return RewardTerm("verdict", preset.verify + preset.partial * share, 1.0, f"{verdict.status}: {passed}")


def structural_terms(structure: Structure, preset: Preset) -> tuple[RewardTerm, ...]:
    """One term a property that applies. Their weights share `preset.structure`, so that one that does not apply
    (shared memory in a kernel without any) neither costs nor earns."""
    counted = [(p, w) for p in structure.properties if (w := preset.weight_of(p.name)) is not None and w.weight > 0]
    total = sum(weight.weight for _, weight in counted)
    return tuple(_structural_term(p, w, preset.structure * w.weight / total) for p, w in counted)


def _structural_term(prop: Property, weight: PropertyWeight, share: float) -> RewardTerm:
    return RewardTerm(prop.name, weight.bend(prop.score), share, prop.reason)


def speed_term(timing: Timing, preset: Preset) -> RewardTerm | None:
    """log2(1 + S) / log2(1 + cap), in [0, 1]: 0 when infinitely slow. None when there is no baseline."""
    speedup = timing.speedup
    if speedup is None:
        return None
    score = math.log2(1.0 + min(speedup, preset.speed_cap)) / math.log2(1.0 + preset.speed_cap)
    baseline = timing.baseline or "the baseline"
    return RewardTerm("speed", score, preset.speed, f"{speedup:.3g} times as fast as {baseline}")


def memory_term(memory: Memory, preset: Preset) -> RewardTerm:
    """The reference's peak bytes over the candidate's, at most 1."""
    score = min(1.0, memory.reference_bytes / memory.candidate_bytes) if memory.candidate_bytes > 0 else 1.0
    extra = max(0, memory.candidate_bytes - memory.reference_bytes)
    reason = f"{extra} bytes of workspace beside the arguments" if extra else "no memory beside the arguments"
    return RewardTerm("memory", score, preset.memory, reason)
