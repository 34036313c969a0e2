"""Made-up episodes with times, as a GPU would give them: nothing here was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cudaperf_magic.fakes import BROKEN, CASE, SAXPY, correct
from cudaperf_magic.records import Candidate, Episode, Outcome, Task, Timing, Turn
from cudaperf_magic.rewards import score


def timing(
    us: float, *, baseline_us: float = 100.0, spread: float = 0.002, gpu: str = "card", noise: float = 0.01
) -> Timing:
    """Eleven samples around `us`, paired with as many of the baseline."""
    steps = [1.0 + spread * (i - 5) / 5 for i in range(11)]
    # Not in step with the candidate's: paired ratios spread as well.
    beside = [steps[(7 * i) % 11] for i in range(11)]
    ratio = baseline_us / us
    return Timing(
        tuple(us * s for s in steps),
        "turn 1 (plain CUDA)",
        tuple(baseline_us * s for s in beside),
        interval=(ratio * (1 - spread), ratio * (1 + spread)),
        noise=noise,
        gpu=gpu,
        case=CASE,
    )


def timed(us: float, **more: float) -> Outcome:
    """Right, and so many microseconds; `more` are scores of properties."""
    return replace(correct(**more), timing=timing(us), device="cuda:0")


def turn(outcome: Outcome, number: int = 1, preset: str = "default") -> Turn:
    candidate = Candidate(f"__global__ void k() {{}}\n// turn {number}\n", origin="made up", intention=f"try {number}")
    return Turn(candidate, outcome, score(outcome, preset), "go on")


def episode(
    outcomes: Sequence[Outcome], identity: str = "saxpy-0001", task: Task = SAXPY, preset: str = "default"
) -> Episode:
    turns = tuple(turn(outcome, i, preset) for i, outcome in enumerate(outcomes, 1))
    return Episode(task, turns, "all turns are used up", policy="made up", preset=preset, identity=identity)


# The reward follows structure; speed goes its own way: the third turn is prettier than the second and slower.
PRETTIER = (
    timed(100.0, coalescing=0.5, intensity=0.1),
    timed(40.0, coalescing=0.6, intensity=0.3),
    timed(60.0, coalescing=1.0, intensity=1.0),
)
HONEST = (BROKEN, timed(100.0, coalescing=0.5), timed(50.0, coalescing=0.8), timed(25.0, coalescing=1.0))
