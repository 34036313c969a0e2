"""How long one step of the tuner takes, as one drags a slider: from other numbers to the page that is sent.

    python benchmarks/tuning.py [--turns 1000 10000] [--episodes 50] [--runs 7]

Turns of every kind, made up from a seed (as benchmarks/rewards.py makes them), shared among episodes of one task.
Record: measuring every turn, once, before the first step. Then each step: scores are the numbers alone; judge gives
scores, ranking, choices, advantages, correlation and suspicions; rules, what the reward violates; page, text and HTML;
widgets, all of these through the tuner's own controls, with no front end to draw them. Wall time, the least of the
runs; the size of the page is what a front end gets at each step. Prints; judges nothing.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from functools import partial

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from rewards import least_ms, outcome

from cudaperf_magic.fakes import SAXPY
from cudaperf_magic.notebook.tuner import Tuner
from cudaperf_magic.records import Candidate, Episode, RewardBreakdown, Turn
from cudaperf_magic.rewards import Preset, load_preset, preset_names, totals, violations
from cudaperf_magic.rewards.presets import TermWeight
from cudaperf_magic.tuned import Tuned
from cudaperf_magic.tuning import Record, judge, record

COLUMNS = ("scores", "judge", "rules", "page", "widgets")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, nargs="+", default=[1000, 10000], help="how many turns are weighed")
    parser.add_argument("--episodes", type=int, default=50, help="that they are shared among")
    parser.add_argument("--runs", type=int, default=7, help="the least of so many is printed")
    asked = parser.parse_args()
    InteractiveShell.instance()  # what the tuner sends goes nowhere
    for turns in asked.turns:
        played = episodes(turns, asked.episodes)
        spent = least_ms(lambda played=played: ready(record(played)), asked.runs)  # type: ignore[misc]
        print(f"{turns} turns of {len(played)} episodes, {spent:.0f} ms to record them")
        print_presets(ready(record(played)), asked.runs)


def episodes(turns: int, shared_among: int) -> list[Episode]:
    """Of one task, so that they are the rollouts of one group."""
    chance = random.Random(turns)
    nothing = RewardBreakdown("default", ())
    made = [Turn(Candidate("", "made up"), outcome(chance), nothing, "") for _ in range(turns)]
    each = -(-turns // shared_among)
    parts = [made[start : start + each] for start in range(0, turns, each)]
    return [Episode(SAXPY, tuple(part), identity=f"made-up-{number}") for number, part in enumerate(parts, 1)]


def ready(found: Record) -> Record:
    """With all that is computed once and kept."""
    judge(found, load_preset("default"))
    return found


def print_presets(found: Record, runs: int) -> None:
    print(f"  {'preset':<12}{''.join(f'{name:>11}' for name in COLUMNS)}{'sent':>11}")
    for name in preset_names():
        preset = load_preset(name)
        first, second = (preset.with_term(TermWeight("near_floor", weight)) for weight in (0.25, 0.5))
        shown = Tuned(found, first)
        tuner = Tuner(shown)
        steps: tuple[Callable[[], object], ...] = (
            partial(scores, found, first),
            partial(judge, found, first),
            partial(violations, first),
            shown._repr_mimebundle_,  # its standing is known by the second run
            partial(two_steps, tuner, second, first),
        )
        spent = [least_ms(step, runs) for step in steps]
        spent[-1] /= 2
        size = sum(map(len, shown._repr_mimebundle_().values()))
        print(f"  {name:<12}{''.join(f'{ms:>8.1f} ms' for ms in spent)}{size / 1024:>8.0f} KB")


def scores(found: Record, preset: Preset) -> None:
    for measured, groups in zip(found.measured, found.groups, strict=True):
        totals(measured, preset, groups)


def two_steps(tuner: Tuner, other: Preset, back: Preset) -> None:
    """There and back, so that every run moves something."""
    with capture_output():
        tuner.set(other, "near_floor.weight")
        tuner.set(back, "near_floor.weight")


if __name__ == "__main__":
    main()
