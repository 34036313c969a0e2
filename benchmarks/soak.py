"""Evaluations by the thousand, good and bad mixed, in several threads: is each outcome right, and is nothing left?

    python benchmarks/soak.py --evaluations 10000 [--device simulator] [--threads 4] [--seed 1]

Candidates are soak_kernels/*.cu; the first line of each says what must come of it. One in twenty has a text that no
cache has seen, so that compilers work as well; no outcome is ever taken from a cache. Between them, functions in
sandboxed children do what a machine may suffer from: fork bombs, full disks and memory, crashes, hangs, and the death
of a server. After the first twentieth, when every kind has come several times, memory of this process and its servers
is read at rest, again after each of twenty parts of the run, and the slope through the readings is what has grown.
At the end: processes, temporary files, open files, shared memory. Prints a table; ends with status 1 when anything is
not as it should be.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from deeds import fork_for_ever, hang, hoard, segfault
from soak_memory import growths, read_all

from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.bench.sandbox import Finished, run_in_child
from cudaperf_magic.bench.sandbox_servers import SERVERS
from cudaperf_magic.bench.settle import settled
from cudaperf_magic.records import Candidate, Outcome, Task
from cudaperf_magic.tasks.c import read_task

KERNELS = Path(__file__).parent / "soak_kernels"
SOURCE = "void scale(int n, float a, float x[n]) {\n    for (int i = 0; i < n; i++) x[i] = a * x[i];\n}\n"
CASES = 3  # of the task: what is soaked is the machinery, not the verdict's depth
FRESH_EVERY = 20  # evaluations of a text that no cache has seen
DEED_EVERY = 100
MOST_GROWTH = 0.05
WARM_SHARE = 0.05
READINGS = 20  # of memory, after the warm-up
FIRST = 6  # times that each kind comes in the beginning
# Each takes a hundred times as long as others, the one that prints on a device only.
RARE = {"endless": 0.05, "deadlock": 0.05, "endless_host": 0.02, "prints_without_end": 0.05}


@dataclass(frozen=True)
class Kind:
    """One candidate, and the status that it must have ("build": it must fail to build)."""

    name: str
    source: str
    expected: str


@dataclass
class Tally:
    """What came of one kind."""

    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


# What a machine may suffer from


def leave() -> None:
    os._exit(0)


def fill_the_disk() -> None:
    with open("large", "wb") as file:
        while True:
            file.write(bytes(16 << 20))


DEEDS = (leave, segfault, hang, hoard, fork_for_ever, fill_the_disk)


def do_a_deed(number: int) -> str:
    """Does one, in a child or to a server, and tells what is wrong about how that ended; "" when nothing is."""
    if number % (len(DEEDS) + 1) == len(DEEDS):
        pid = SERVERS["plain"].pid
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
        return ""
    deed = DEEDS[number % (len(DEEDS) + 1)]
    ended = run_in_child(deed, timeout_s=0.5, memory_bytes=256 << 20)
    return f"{deed.__name__} came to its end" if isinstance(ended, Finished) else ""


# Evaluations


def kinds() -> list[Kind]:
    found = []
    for path in sorted(KERNELS.glob("*.cu")):
        text = path.read_text()
        found.append(Kind(path.stem, text, text.splitlines()[0].removeprefix("// expected: ")))
    return found


def status(outcome: Outcome) -> str:
    return outcome.verdict.status if outcome.verdict is not None else "build"


def soak(bench: Bench, task: Task, order: list[tuple[int, Kind]], threads: int) -> tuple[dict[str, Tally], list[str]]:
    """Evaluates all; the tallies by kind, and what else went wrong."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    troubles: list[str] = []

    def one(item: tuple[int, Kind]) -> None:
        number, kind = item
        if number % DEED_EVERY == DEED_EVERY - 1:
            trouble = do_a_deed(number // DEED_EVERY)
            troubles.extend([trouble] if trouble else [])
        text = f"{kind.source}// {number}\n" if number % FRESH_EVERY == 0 else kind.source
        started = time.perf_counter()
        try:
            seen = status(bench.evaluate(task, Candidate(text)))
        except Exception as error:  # nothing that a candidate does may raise
            seen = f"{type(error).__name__}: {error}"
        tally = tallies[kind.name]
        tally.seconds.append(time.perf_counter() - started)
        if seen != kind.expected:
            tally.wrong.append(seen)

    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(one, order):
            pass
    return tallies, troubles


def shuffled(count: int, seed: int) -> list[tuple[int, Kind]]:
    """The order of evaluations, as seeded.

    It begins with each kind several times, so that memory has been as large as it gets: reading endless_host takes
    some 60 MB in small pieces, and Python keeps an arena as long as one object of another thread lies in it.
    """
    dice = random.Random(seed)
    known = kinds()
    weights = [RARE.get(kind.name, 1.0) for kind in known]
    first = dice.sample(known * FIRST, len(known) * FIRST)
    return list(enumerate([*first, *dice.choices(known, weights, k=count)][:count]))


def parts(order: list[tuple[int, Kind]], count: int) -> list[list[tuple[int, Kind]]]:
    """The rest of the run, in parts of nearly one length; none is empty."""
    size = max(1, -(-len(order) // count))
    return [order[start : start + size] for start in range(0, len(order), size)]


# What is left


def descendants() -> list[int]:
    """Processes below this one."""
    found: list[int] = []
    pending = [os.getpid()]
    while pending:
        pid = pending.pop()
        for path in Path(f"/proc/{pid}/task").glob("*/children"):
            try:
                children = [int(word) for word in path.read_text().split()]
            except OSError:
                continue
            found += children
            pending += children
    return found


@dataclass(frozen=True)
class Held:
    """What this process and its machine hold."""

    files: int
    temporary: tuple[str, ...]
    shared: tuple[str, ...]

    @classmethod
    def now(cls) -> Held:
        temporary = sorted(name for name in os.listdir(tempfile.gettempdir()) if name != "cache")
        return cls(len(os.listdir("/proc/self/fd")), tuple(temporary), tuple(sorted(os.listdir("/dev/shm"))))


def leftovers(before: Held) -> list[str]:
    """What is still there of processes, files and shared memory once the bench is closed."""
    until = time.monotonic() + 10
    while descendants() and time.monotonic() < until:
        time.sleep(0.1)
    after = Held.now()
    found = [f"process {pid} is left" for pid in descendants()]
    found += [f"{name} is left in the temporary folder" for name in after.temporary if name not in before.temporary]
    found += [f"{name} is left in /dev/shm" for name in after.shared if name not in before.shared]
    if after.files > before.files:
        found.append(f"{after.files - before.files} files are left open")
    return found


def printed(order: list[tuple[int, Kind]], tallies: dict[str, Tally]) -> int:
    """The table; how many outcomes were wrong."""
    print(f"{'candidate':22}{'expected':>10}{'times':>8}{'wrong':>7}{'median s':>10}{'longest s':>11}")
    wrong = 0
    for kind in sorted({kind for _, kind in order}, key=lambda kind: kind.name):
        tally = tallies[kind.name]
        wrong += len(tally.wrong)
        middle, most = median(tally.seconds), max(tally.seconds)
        print(f"{kind.name:22}{kind.expected:>10}{len(tally.seconds):8}{len(tally.wrong):7}{middle:10.3f}{most:11.2f}")
        for seen in sorted(set(tally.wrong))[:3]:
            print(f"    was {seen}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--evaluations", type=int, default=10_000)
    parser.add_argument("--device", default="simulator")
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--most-growth", type=float, default=MOST_GROWTH, help="of memory, as a share")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        os.environ.setdefault("CUDAPERF_CACHE", str(Path(folder) / "cache"))
        return run(options)


def run(options: argparse.Namespace) -> int:
    whole = settled(*read_task(SOURCE, sizes={"n": "200"}))
    task = replace(whole, cases=whole.cases[:CASES])
    order = shuffled(options.evaluations, options.seed)
    warm = max(int(len(order) * WARM_SHARE), FIRST * len(kinds()))
    held = Held.now()
    started = time.perf_counter()
    with Bench(options.device) as bench:
        tallies, troubles = soak(bench, task, order[:warm], options.threads)
        readings = read_all(warm)
        for part in parts(order[warm:], READINGS):
            more, later = soak(bench, task, part, options.threads)
            readings += read_all(part[-1][0] + 1)
            troubles += later
            for name, tally in more.items():
                tallies[name].seconds += tally.seconds
                tallies[name].wrong += tally.wrong
    seconds = time.perf_counter() - started
    wrong = printed(order, tallies)
    found = growths(readings)
    troubles += leftovers(held)
    troubles += [f"{each.name} grows by {each.share:.1%}" for each in found if each.share > options.most_growth]
    print(f"{len(order):,} evaluations in {seconds:.0f} s, {len(order) / seconds:.1f} a second; {wrong} wrong")
    for each in found:
        print(each.sentence)
    for trouble in troubles:
        print(trouble)
    return 1 if wrong or troubles else 0


if __name__ == "__main__":
    sys.exit(main())
