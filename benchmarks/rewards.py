"""How long it takes to weigh the turns of past episodes anew, as one drags a slider.

    python benchmarks/rewards.py [--turns 1000 10000] [--runs 5]

Turns of every kind, made up from a seed: some do not build, some are wrong, the others are right with properties, and
most of these timed. Measuring: once for all presets. Totals: the numbers alone. Breakdowns: with every term and its
reason. Violations: the rules that the preset breaks, which do not depend on the turns. Wall time, the least of the
runs. Prints; judges nothing.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from cudaperf_magic.fakes import BROKEN, WRONG, correct
from cudaperf_magic.records import PROPERTIES, Memory, Outcome, RewardBreakdown, Timing
from cudaperf_magic.rewards import Measured, Preset, load_preset, measure, preset_names, totals, violations, weigh

SAMPLES = 50


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, nargs="+", default=[1000, 10000], help="how many turns are weighed")
    parser.add_argument("--runs", type=int, default=5, help="the least of so many is printed")
    asked = parser.parse_args()
    for turns in asked.turns:
        chance = random.Random(turns)
        outcomes = [outcome(chance) for _ in range(turns)]
        spent = least_ms(partial(measure_all, outcomes), asked.runs)
        print(f"{turns} turns, {spent:.0f} ms to measure them")
        print_presets(measure_all(outcomes), asked.runs)


def measure_all(outcomes: list[Outcome]) -> list[Measured]:
    return [measure(one) for one in outcomes]


def breakdowns(measured: list[Measured], preset: Preset) -> list[RewardBreakdown]:
    return [weigh(one, preset) for one in measured]


def print_presets(measured: list[Measured], runs: int) -> None:
    print(f"  {'preset':<12} {'totals':>10} {'breakdowns':>12} {'violations':>12}")
    for name in preset_names():
        preset = load_preset(name)
        of_totals = least_ms(partial(totals, measured, preset), runs)
        of_breakdowns = least_ms(partial(breakdowns, measured, preset), runs)
        of_violations = least_ms(partial(violations, preset), runs)
        print(f"  {name:<12} {of_totals:>7.2f} ms {of_breakdowns:>9.2f} ms {of_violations:>9.2f} ms")


def outcome(chance: random.Random) -> Outcome:
    kind = chance.random()
    if kind < 0.1:
        return BROKEN
    if kind < 0.3:
        return WRONG
    found = correct(**{name: chance.random() for name in PROPERTIES})
    if kind < 0.4:
        return found
    ours = tuple(chance.uniform(90.0, 110.0) for _ in range(SAMPLES))
    theirs = tuple(chance.uniform(90.0, 1100.0) for _ in range(SAMPLES))
    return replace(found, timing=Timing(ours, "turn 1", theirs), memory=Memory(chance.randrange(1, 2048), 1024))


def least_ms(work: Callable[[], object], runs: int) -> float:
    """Wall time in milliseconds."""
    spent = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        spent.append(time.perf_counter() - began)
    return 1000.0 * min(spent)


if __name__ == "__main__":
    main()
