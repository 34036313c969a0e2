"""What every reward must satisfy, tried on a preset: which of it a preset violates, in words, with an example.

The examples are outcomes of every kind, from one that does not build to one that is right and far faster than its
baseline. A preset that violates nothing here may still be a bad one. What the machine did wrong needs no rule: it is an
exception, and never an outcome.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, product
from typing import Literal

from cudaperf_magic.records import (
    PROPERTIES,
    Build,
    KernelRun,
    Memory,
    Outcome,
    Property,
    Status,
    Structure,
    Timing,
    Verdict,
)
from cudaperf_magic.records import Baseline as TimedBaseline
from cudaperf_magic.rewards.presets import Preset
from cudaperf_magic.rewards.score import Measured, measure, totals
from cudaperf_magic.rewards.terms import TERMS, Term

Rule = Literal[
    "building never costs",
    "being correct always earns more",
    "being measured never costs",
    "a slower kernel never earns more",
    "a noisier timing never earns more",
    "a better property never earns less",
    "more memory never earns more",
    "more passed cases never earn less",
    "a cheat never earns more than a failed build",
]

SPEEDUPS = (0.01, 0.25, 0.5, 0.9, 1.0, 1.04, 1.06, 2.0, 4.0, 20.0, 100.0)
STRUCTURES = (None, 0.0, 1.0)
BASELINE_US = 100.0
LEVELS = (0.0, 0.1, 0.5, 0.9, 1.0)
NOISES = (0.0, 0.02, 0.3)
TOTAL_CASES = 10
SLACK = 1e-9  # sums of floats


@dataclass(frozen=True)
class Violation:
    """A rule with the example that breaks it."""

    rule: Rule
    better: str  # what should earn at least as much
    worse: str
    better_total: float
    worse_total: float

    def __str__(self) -> str:
        examples = f"{self.better} earns {self.better_total:.3g} and {self.worse} earns {self.worse_total:.3g}"
        return f"{self.rule}, but {examples}"


@dataclass(frozen=True)
class _Probe:
    name: str
    total: float


def violations(preset: Preset) -> tuple[Violation, ...]:
    """The rules that a preset breaks, each once with its worst example; () for a sound one. Deterministic."""
    worst: dict[Rule, Violation] = {}
    for found in _violations(preset):
        known = worst.get(found.rule)
        if known is None or _gap(found) > _gap(known):
            worst[found.rule] = found
    return tuple(worst.values())


def _gap(found: Violation) -> float:
    return found.worse_total - found.better_total


def _violations(preset: Preset) -> Iterator[Violation]:
    kinds = {name: _rated(preset, probes) for name, probes in _kinds(tuple(TERMS.values())).items()}
    broken, cheats, wrong, plain, measured = (kinds[name] for name in ("broken", "cheat", "wrong", "plain", "measured"))
    yield from _never_less("building never costs", wrong, broken)
    yield from _never_less("being correct always earns more", [*plain, *measured], [*broken, *wrong], is_strict=True)
    yield from _never_less("a cheat never earns more than a failed build", broken, cheats)
    yield from _never_less("being measured never costs", measured, plain)
    yield from _rising("more passed cases never earn less", wrong)
    for structure in STRUCTURES:
        yield from _rising("a slower kernel never earns more", kinds[f"speed, {structure}"])
    yield from _rising("a noisier timing never earns more", kinds["noise"])
    for name in PROPERTIES:
        yield from _rising("a better property never earns less", kinds[name])
    yield from _rising("more memory never earns more", kinds["memory"])


def _never_less(
    rule: Rule, better: Sequence[_Probe], worse: Sequence[_Probe], *, is_strict: bool = False
) -> Iterator[Violation]:
    least, most = min(better, key=lambda p: p.total), max(worse, key=lambda p: p.total)
    if most.total > least.total + SLACK or (is_strict and most.total > least.total - SLACK):
        yield Violation(rule, least.name, most.name, least.total, most.total)


def _rising(rule: Rule, probes: Sequence[_Probe]) -> Iterator[Violation]:
    for worse, better in pairwise(probes):
        yield from _never_less(rule, [better], [worse])


def _rated(preset: Preset, probes: Mapping[str, Measured]) -> list[_Probe]:
    return [_Probe(name, total) for name, total in zip(probes, totals(probes.values(), preset), strict=True)]


# ---- outcomes to try ----


@lru_cache(maxsize=2)
def _kinds(catalogue: tuple[Term, ...]) -> dict[str, dict[str, Measured]]:
    """The outcomes by kind, the worst first where they are in order, as these terms measure them."""
    outcomes = {
        "broken": {"one that does not build": Outcome(Build(ok=False, log="error"))},
        "cheat": {f"a cheat that passed {n} of 10 cases": _failed("cheat", n) for n in (0, 9)},
        "wrong": {f"one right on {n} of 10 cases": _failed("mismatch", n) for n in range(TOTAL_CASES)},
        "plain": {"a correct one": _right()},
        "measured": dict(_correct()),
        "noise": {f"one whose samples vary by {noise:.0%}": _right(1.5, noise=noise) for noise in NOISES[::-1]},
        "memory": {f"one of {size} times the reference's memory": _right(memory=size) for size in (8, 2, 1)},
    }
    for structure in STRUCTURES:
        named = {f"one {speedup:g} times as fast": _right(speedup, structure) for speedup in SPEEDUPS}
        outcomes[f"speed, {structure}"] = named
    for name in PROPERTIES:
        outcomes[name] = {f"one with {name} {level}": _right(1.5, only=(name, level)) for level in LEVELS}
    return {kind: {name: measure(outcome) for name, outcome in found.items()} for kind, found in outcomes.items()}


def _failed(status: Status, passed: int) -> Outcome:
    return Outcome(Build(ok=True), Verdict(status, "made up", cases_passed=passed, cases_total=TOTAL_CASES))


def _correct() -> Iterator[tuple[str, Outcome]]:
    for speedup, structure in product((None, *SPEEDUPS), STRUCTURES):
        if speedup is None and structure is None:
            continue
        parts = [
            f"{speedup:g} times as fast" if speedup else "",
            f"all properties {structure}" if structure is not None else "",
        ]
        yield f"a correct one, {', '.join(part for part in parts if part)}", _right(speedup, structure)
    poor = _right(min(SPEEDUPS), 0.0, noise=max(NOISES), memory=8)
    yield "a correct one, slow, noisy, badly built and of 8 times the reference's memory", poor
    library = (KernelRun("k", "library", 1, 1.0, "cublas"),)
    yield "a correct one that leaves all of the work to a library", replace(_right(min(SPEEDUPS)), kernels=library)


def _right(
    speedup: float | None = None,
    structure: float | None = None,
    *,
    noise: float = 0.0,
    only: tuple[str, float] | None = None,
    memory: int | None = None,
) -> Outcome:
    scores = {name: structure for name in PROPERTIES} if structure is not None else {}
    scores |= dict([only]) if only else {}
    found = tuple(Property(n, s, s, "ratio", "simulator", "made up") for n, s in scores.items() if s is not None)
    return Outcome(
        Build(ok=True),
        Verdict("pass", "made up", cases_passed=TOTAL_CASES, cases_total=TOTAL_CASES),
        timing=_timing(speedup, noise) if speedup else None,
        structure=Structure(found) if found else None,
        memory=Memory(100 * memory, 100) if memory else None,
        kernels=(KernelRun("k", "candidate", 1, 1.0),) if speedup else (),
    )


def _timing(speedup: float, noise: float) -> Timing:
    """As fast against every baseline that a term may ask for; the samples' coefficient of variation is `noise`."""
    samples = (BASELINE_US / speedup * (1.0 - noise), BASELINE_US / speedup * (1.0 + noise))
    others = tuple(TimedBaseline(name, (BASELINE_US,)) for name in ("eager", "torch.compile"))
    return Timing(samples, "turn 1", (BASELINE_US,), BASELINE_US / max(SPEEDUPS), "memory bandwidth", others=others)
