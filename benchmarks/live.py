"""How long an update of the live view takes and how large it is, by the number of turns that the episode has."""

from __future__ import annotations

import time
from dataclasses import replace
from statistics import median

from cudaperf_magic.episode import play
from cudaperf_magic.fakes import SAXPY, FakeBench, FakePolicy, correct
from cudaperf_magic.notebook import progress
from cudaperf_magic.records import Episode

TURNS = (4, 20, 50, 200, 1000)
REPEATS = 20
LINES = 150  # of the kernel


def long_episode(turns: int) -> Episode:
    """An episode of different programs, each of many lines."""
    body = "\n".join(f"    y[{line}] = a * x[{line}] + y[{line}];" for line in range(LINES))
    kinds = 8
    sources = [f"// {number}\n__global__ void k() {{\n{body}\n}}\n" for number in range(kinds)]
    outcomes = {source: correct(coalescing=number / kinds, occupancy=0.5) for number, source in enumerate(sources)}
    (*_, last) = play([SAXPY], FakePolicy(sources), FakeBench(outcomes), turns=kinds)
    return replace(last, turns=tuple(replace(last.turns[n % kinds]) for n in range(turns)), stopped="")


def main() -> None:
    print(f"{'turns':>6} {'update, ms':>11} {'size, KiB':>10}")
    for turns in TURNS:
        episode = long_episode(turns)
        took_s = []
        for _ in range(REPEATS):
            started = time.perf_counter()
            page = progress.html(progress.Progress(episode, turns + 1, 60.0, 59.0), progress.turns_html(episode))
            took_s.append(time.perf_counter() - started)
        print(f"{turns:>6} {median(took_s) * 1000:>11.2f} {len(page) / 1024:>10.1f}")


if __name__ == "__main__":
    main()
