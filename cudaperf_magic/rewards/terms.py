"""The catalogue of reward terms: what each one measures of an outcome, when it may count, and what it can be.

A term's measure is a pure function of an outcome to a raw value and a reason, or None where it was not measured or does
not apply; a preset clips and weighs it. The seven structural properties are terms as well, but share one weight, so
they are weighed in `score.py`. Nothing is added up here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean, pstdev

from cudaperf_magic.records import PROPERTIES, Outcome, Timing

Raw = tuple[float, str]  # the value before it is clipped, and why it is so
Range = tuple[float | None, float | None]  # None: no bound on that side
Shape = Callable[[float, float | None], float]  # (clipped value, the clip's upper end) -> score


# ---- gates: the conditions under which a term counts ----

HALF_OF_GROUP = "half_of_group"
GATES = {
    "always": "always",
    "unbuilt": "it does not build",
    "built": "it builds",
    "incorrect": "it is not correct, for whatever reason",
    "wrong": "it builds and is not correct, without cheating",
    "cheat": "it tried to look right without computing",
    "nothing_right": "no case passed, it does not build, or it cheats",
    "some_right": "at least one case passed",
    "partly_right": "some cases passed, not all",
    "correct": "it is correct",
    HALF_OF_GROUP: "at least half of its group is correct",
}


def passed_share(outcome: Outcome) -> float:
    """q: the share of cases that passed; 0 for a cheat and for what was not verified, 1 for what is correct."""
    verdict = outcome.verdict
    if verdict is None or verdict.status == "cheat":
        return 0.0
    if verdict.ok:
        return 1.0
    return verdict.cases_passed / verdict.cases_total if verdict.cases_total else 0.0


def open_gates(outcome: Outcome) -> frozenset[str]:
    """The gates that an outcome opens by itself; `half_of_group` depends on its group and is added by `score.py`."""
    share = passed_share(outcome)
    is_cheat = outcome.verdict is not None and outcome.verdict.status == "cheat"
    found = {
        "always": True,
        "unbuilt": not outcome.build.ok,
        "built": outcome.build.ok,
        "incorrect": not outcome.ok,
        "wrong": outcome.build.ok and not outcome.ok and not is_cheat,
        "cheat": is_cheat,
        "nothing_right": share == 0.0,
        "some_right": share > 0.0,
        "partly_right": share > 0.0 and not outcome.ok,
        "correct": outcome.ok,
    }
    return frozenset(name for name, holds in found.items() if holds)


# ---- terms ----


@dataclass(frozen=True)
class Term:
    """One kind of term. `gate` is when it counts unless a preset says otherwise; `shape` bends the clipped value."""

    name: str
    title: str
    about: str
    measure: Callable[[Outcome], Raw | None]
    gate: str = "correct"
    range: Range = (0.0, 1.0)
    shape: Shape | None = None
    is_constant: bool = False  # 1 whenever it counts: there is nothing to clip

    def score(self, raw: float, low: float | None, high: float | None) -> float:
        """The raw value clipped to [low, high], and bent where the term says so."""
        clipped = raw if low is None or raw >= low else low
        clipped = clipped if high is None or clipped <= high else high
        return self.shape(clipped, high) if self.shape else clipped

    def bounds(self, low: float | None, high: float | None) -> Range:
        """What the score can be under a clip. A shape's own range holds where the clip has an upper end."""
        least, most = self.range
        if self.shape:
            return self.shape(low, high) if low is not None and low > 0.0 else least, most if high is not None else None
        least = low if least is None or (low is not None and low > least) else least
        most = high if most is None or (high is not None and high < most) else most
        return least, most


TERMS: dict[str, Term] = {}


def register(term: Term) -> Term:
    """Add a term to the catalogue, so that presets may name it.

    Raises:
        ValueError: its name is taken, by a term or a structural property, or its gate is not known.
    """
    if term.name in TERMS or term.name in PROPERTIES:
        raise ValueError(f"there is a reward term {term.name} already")
    if term.gate not in GATES:
        raise ValueError(f"{term.name}: there is no gate {term.gate}")
    TERMS[term.name] = term
    return term


def _constant(name: str, title: str, about: str, gate: str, reason: Callable[[Outcome], str]) -> None:
    register(Term(name, title, about, lambda outcome: (1.0, reason(outcome)), gate, is_constant=True))


def _on_timing(measure: Callable[[Timing], Raw | None]) -> Callable[[Outcome], Raw | None]:
    return lambda outcome: measure(outcome.timing) if outcome.timing else None


def _cases(outcome: Outcome) -> str:
    verdict = outcome.verdict
    if verdict is None:
        return "it builds and was not verified" if outcome.build.ok else "it does not build"
    if verdict.ok:
        return f"correct on all {verdict.cases_total} cases"
    return f"{verdict.status}: {verdict.cases_passed} of {verdict.cases_total} cases passed"


def _cheat(outcome: Outcome) -> str:
    return f"it does not do the work: {outcome.verdict.reason}" if outcome.verdict else _cases(outcome)


_constant("failed_build", "does not build", "1 when the candidate does not compile.", "unbuilt", _cases)
_constant("cheat", "cheats", "1 when it tried to look right without computing.", "cheat", _cheat)
_constant("wrong", "wrong", "1 when it builds and is not correct.", "wrong", _cases)
_constant("incorrect", "incorrect", "1 when it does not build or is not correct.", "incorrect", _cases)
_constant("nothing_right", "nothing right", "1 when not one case passed.", "nothing_right", _cases)
_constant("partly_right", "partly right", "1 when some cases passed, not all.", "partly_right", _cases)
_constant("correct", "correct", "1 when every case passed.", "correct", _cases)

register(
    Term(
        "passed", "cases passed", "q, the share of cases that passed.", lambda o: (passed_share(o), _cases(o)), "wrong"
    )
)
register(
    Term(
        "failed_cases",
        "cases failed",
        "1 - q, the share of cases that failed.",
        lambda o: (1.0 - passed_share(o), _cases(o)),
        "built",
    )
)


def _speedup(timing: Timing) -> Raw | None:
    """S: the baseline's time over the candidate's."""
    if timing.speedup is None:
        return None
    return timing.speedup, f"{timing.speedup:.3g} times as fast as {timing.baseline or 'the baseline'}"


def _log2_speedup(timing: Timing) -> Raw | None:
    found = _speedup(timing)
    return (math.log2(found[0]), found[1]) if found else None


def _gain(timing: Timing) -> Raw | None:
    found = _speedup(timing)
    return (found[0] - 1.0, found[1]) if found else None


def _bent_speed(speedup: float, cap: float | None) -> float:
    """log2(1 + S) / log2(1 + cap), in [0, 1]: 0 when infinitely slow, so that a time is never worse than no time."""
    return math.log2(1.0 + speedup) / math.log2(1.0 + cap) if cap else math.log2(1.0 + speedup)


def _over(*names: str) -> Callable[[Timing], Raw | None]:
    """The least of the speedups over baselines that have these words in their names ("Model (PyTorch eager)"); of
    several that have one word the fastest counts."""

    def measure(timing: Timing) -> Raw | None:
        found = [over for name in names if (over := _over_one(timing, name)) is not None]
        if len(found) < len(names):
            return None
        return min(found), " and ".join(f"{s:.3g} times as fast as {n}" for s, n in zip(found, names, strict=True))

    return measure


def _over_one(timing: Timing, name: str) -> float | None:
    word = re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE)
    found = [other.median_us / timing.median_us for other in timing.others if word.search(other.name)]
    if word.search(timing.baseline) and timing.speedup is not None:
        found.append(timing.speedup)
    return min(found, default=None)


def _noise(timing: Timing) -> Raw | None:
    """The samples' coefficient of variation: standard deviation / mean."""
    if len(timing.samples_us) < 2:
        return None
    varies = pstdev(timing.samples_us) / fmean(timing.samples_us)
    return varies, f"its {len(timing.samples_us)} samples vary by {varies:.2%}"


def _near_floor(timing: Timing) -> Raw | None:
    if not timing.floor_us:
        return None
    share = min(1.0, timing.floor_us / timing.median_us)
    return share, f"the floor ({timing.floor_by}) is {share:.0%} of its time"


def _own_share(outcome: Outcome) -> Raw | None:
    """PR: device time in the candidate's own kernels / all device time. A program that was read launches no others."""
    if outcome.kernels:
        own = sum(kernel.share for kernel in outcome.kernels if kernel.owner == "candidate")
        return min(1.0, own), f"{own:.0%} of the device time is spent in its own kernels"
    return (1.0, "it launches only its own kernels") if outcome.structure is not None else None


def _memory(outcome: Outcome) -> Raw | None:
    """The reference's peak bytes over the candidate's, at most 1."""
    memory = outcome.memory
    if memory is None:
        return None
    score = min(1.0, memory.reference_bytes / memory.candidate_bytes) if memory.candidate_bytes > 0 else 1.0
    extra = max(0, memory.candidate_bytes - memory.reference_bytes)
    return score, f"{extra:,} bytes of workspace beside the arguments" if extra else "no memory beside the arguments"


def _timed(name: str, title: str, about: str, measure: Callable[[Timing], Raw | None], **more: object) -> None:
    register(Term(name, title, about, _on_timing(measure), **more))  # type: ignore[arg-type]


_ANY: Range = (0.0, None)
_timed("speedup", "speedup", "S, the baseline's time over the candidate's.", _speedup, range=_ANY)
_timed("log2_speedup", "log2 of the speedup", "log2 S: 1 for twice as fast.", _log2_speedup, range=(None, None))
_timed("gain", "speedup beyond 1", "S - 1.", _gain, range=(-1.0, None))
_timed(
    "speed",
    "speed",
    "log2(1 + S) / log2(1 + the clip's upper end): from 0, infinitely slow, to 1.",
    _speedup,
    range=(0.0, 1.0),
    shape=_bent_speed,
)
_timed("over_eager", "speedup over eager", "S over PyTorch's eager mode.", _over("eager"), range=_ANY)
_timed(
    "over_eager_and_compile",
    "speedup over eager and torch.compile",
    "The lesser of S over PyTorch's eager mode and S over torch.compile.",
    _over("eager", "torch.compile"),
    range=_ANY,
)
_timed("noise", "noise of the timing", "CV, the samples' standard deviation over their mean.", _noise, range=_ANY)
_timed("near_floor", "nearness to the floor", "The least possible time over the time.", _near_floor)
register(Term("own_share", "own kernels", "PR, the share of device time in its own kernels.", _own_share))
register(Term("memory", "memory", "The reference's peak bytes over the candidate's, at most 1.", _memory))
# Counts for a decision, not for a program: `score.score_keep` weighs it.
register(
    Term("kept", "KEEP", "1 when the program is left sequential.", lambda outcome: None, "always", is_constant=True)
)
