"""The C functions of the tests at sizes that fill a GPU, translated by the search: how fast each becomes.

    python benchmarks/c_functions.py --device cuda:0 [--functions 64] [--turns 8] [--jobs 8] [--minutes 30]
                                     [--only matmul/ dot.c] [--out FOLDER] [--json FILE]

Each function is one `cudaperf translate` process, several at a time; the bench itself lets one at a time be timed on a
device. A function whose episode already lies in the folder is not translated again, so that a run can be continued;
when the minutes are over, what is there is summed up. The table: time of the fastest candidate, the device's floor for
it, how much of the floor it reaches, speedups over turn 1 and over the C on the processor, and launches. Below it, per
kind, how many reach the bar. On the simulator there are no times, and the table says what came of each function.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import chain, zip_longest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from corpus import CorpusFile, load_corpus

from cudaperf_magic.policies.timed import fastest
from cudaperf_magic.records import Episode, Outcome, Timing
from cudaperf_magic.records_json import loads

# Shares of the floor that a kind should reach. A float32 product: half of a library that reaches three quarters.
BARS = {
    "elementwise": 0.85, "reductions": 0.85, "transposes": 0.70, "matvec": 0.70, "matmul": 0.37, "stencils": 0.60,
}  # fmt: skip
STEPS = ("steps", "T", "iters")  # sizes that say how often a whole array is gone over; the floor knows one pass
EPISODE_S = 600  # for one function's turns


@dataclass(frozen=True)
class Row:
    """What came of one function. Times are in microseconds of one call, None where nothing was timed."""

    path: str
    decision: str
    turns: int
    seconds: float
    said: str = ""
    schedule: str = ""
    case: str = ""
    time_us: float | None = None
    floor_us: float | None = None
    floor_by: str = ""
    steps: int = 1
    over_turn_1: float | None = None
    processor_us: tuple[tuple[str, float], ...] = ()
    launches: int | None = None

    @property
    def kind(self) -> str:
        return self.path.partition("/")[0]

    @property
    def of_floor(self) -> float | None:
        """The share of the device's floor that it reaches, a pass over its arrays counted for each step."""
        if self.time_us is None or self.floor_us is None:
            return None
        return self.steps * self.floor_us / self.time_us


def wanted(count: int, only: Sequence[str]) -> list[CorpusFile]:
    """The functions, of every kind in turn."""
    by_kind: dict[str, list[CorpusFile]] = {}
    for file in load_corpus():
        if file.decision == "translate" and (not only or any(part in file.path for part in only)):
            by_kind.setdefault(file.path.partition("/")[0], []).append(file)
    files = chain.from_iterable(zip_longest(*by_kind.values()))
    return [file for file in files if file is not None][:count]


def command_for(file: CorpusFile, arguments: argparse.Namespace, target: Path) -> list[str]:
    command = [sys.executable, "-m", "cudaperf_magic", "translate", str(file.file), "--device", arguments.device]
    command += ["--turns", str(arguments.turns), "--json", str(target)]
    command += ["--entry", file.entry] if file.entry else []
    for option, values in (("--size", file.size), ("--range", file.ranges)):
        for name, value in values.items():
            command += [option, f"{name}={value}"]
    return command


def translated(file: CorpusFile, arguments: argparse.Namespace, until: float) -> Row | None:
    """The row of one function, from its episode in the folder or a new one; None when there is no time left."""
    target = arguments.out / f"{file.path.replace('/', '-')}.json"
    started, said = time.monotonic(), ""
    if not target.exists():
        left = min(EPISODE_S, until - started)
        if left <= 0:
            return None
        try:
            command = command_for(file, arguments, target)
            done = subprocess.run(command, capture_output=True, text=True, timeout=left, check=False)
            said = (done.stderr.strip().splitlines() or [""])[-1]
        except subprocess.TimeoutExpired:
            said = f"had not ended after {left:.0f} s"
    seconds = time.monotonic() - started
    if not target.exists():
        return Row(file.path, "none", 0, seconds, said)
    return row_of(file.path, loads(Episode, target.read_text()), seconds)


def row_of(path: str, episode: Episode, seconds: float) -> Row:
    found = fastest(episode)
    if found is None:
        said = episode.kept or episode.stopped
        return Row(path, episode.decision, len(episode.turns), seconds, said, launches=launches_of(episode))
    candidate, outcome = found
    timing = outcome.timing
    assert timing is not None
    case = timing.case
    steps = next((case.size[name] for name in STEPS if case is not None and name in case.size), 1)
    return Row(
        path, episode.decision, len(episode.turns), seconds, episode.stopped, candidate.schedule, str(case or ""),
        timing.median_us, timing.floor_us, timing.floor_by, max(1, steps), over_turn_1(episode, timing),
        tuple((other.name, other.median_us) for other in timing.others), launches_in(outcome),
    )  # fmt: skip


def over_turn_1(episode: Episode, timing: Timing) -> float | None:
    """From the paired baseline, which is turn 1; where there is none, from turn 1's own time."""
    first = episode.turns[0].outcome.timing
    return timing.speedup or (first.median_us / timing.median_us if first is not None else None)


def launches_in(outcome: Outcome) -> int | None:
    if outcome.kernels:
        return sum(kernel.launches for kernel in outcome.kernels)
    return outcome.structure.launches if outcome.structure else None


def launches_of(episode: Episode) -> int | None:
    return launches_in(episode.best.outcome) if episode.best else None


# ------------------------------------------------------------------------ tables


def line(row: Row) -> str:
    if row.time_us is None:
        return f"{row.path:<36} {row.decision:<10} {row.turns:>2} turns  {row.said[:90]}"
    share = f"{row.of_floor:6.1%}" if row.of_floor is not None else "     ?"
    faster = f"{row.over_turn_1:8.1f}x" if row.over_turn_1 else "        ?"
    others = "  ".join(f"{us / row.time_us:.0f}x {name}" for name, us in row.processor_us)
    floor = f"{row.floor_us:10.1f}" if row.floor_us is not None else "         ?"
    return f"{row.path:<36} {row.time_us:10.1f} {floor} {share} {faster} {row.launches or 0:>6}  {others}"


def table(rows: Iterable[Row]) -> None:
    print(f"{'function':<36} {'us':>10} {'floor us':>10} {'share':>6} {'turn 1':>9} {'launch':>6}  against the C")
    for row in sorted(rows, key=lambda one: one.path):
        print(line(row))


def by_kind(rows: Sequence[Row]) -> dict[str, tuple[int, int, float]]:
    """For each kind with a bar: functions that reach it, of those measured, and the median share of the floor."""
    found: dict[str, tuple[int, int, float]] = {}
    for kind, bar in BARS.items():
        shares = [row.of_floor for row in rows if row.kind == kind and row.of_floor is not None]
        if shares:
            found[kind] = (sum(share >= bar for share in shares), len(shares), statistics.median(shares))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--functions", type=int, default=64)
    parser.add_argument("--turns", type=int, default=8)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--only", nargs="*", default=[], help="parts of paths, for example matmul/ dot.c")
    parser.add_argument("--out", type=Path, default=Path("out/c-functions"))
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + 60 * arguments.minutes
    files = wanted(arguments.functions, arguments.only)
    rows: list[Row] = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for row in pool.map(lambda file: translated(file, arguments, until), files):
            if row is not None:
                rows.append(row)
                print(line(row), file=sys.stderr, flush=True)
    table(rows)
    for kind, (reached, measured, share) in by_kind(rows).items():
        print(f"{kind:<14} {reached} of {measured} reach {BARS[kind]:.0%} of the floor; median {share:.0%}")
    print(f"{len(rows)} of {len(files)} functions; {sum(row.decision == 'translate' for row in rows)} translated")
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
