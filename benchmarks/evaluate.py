"""How fast a new candidate is evaluated, stage by stage, and how many a second with isolation.

    python benchmarks/evaluate.py [--device cuda:0] [--tasks 40] [--seconds 10] [--threads 4] [--json FILE]
    python benchmarks/evaluate.py --devices 2

Each candidate is the plain translation of a C file of the tests with a comment of its own, so that no cache knows it;
each task's references are made before, as they are in an episode. Four tables: the stages (medians over the tasks), the
slowest tasks, the compiler alone, and evaluations a second from several threads. With --devices N one process a device
runs at once, and the rates are added up. On the simulator there are no times of kernels, and the rest is the same.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain, count, cycle, zip_longest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from corpus import CorpusFile, load_corpus

from cudaperf_magic import commands
from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.bench.building import build_candidate
from cudaperf_magic.errors import CudaperfError
from cudaperf_magic.records import Candidate, Outcome, Task
from cudaperf_magic.tasks.c import function_of
from cudaperf_magic.tasks.plain import plain_candidate

_NEW = count(time.time_ns())
COMPILES = 20
SLOWEST = 8


@dataclass(frozen=True)
class Job:
    name: str
    task: Task
    plain: Candidate

    def candidate(self) -> Candidate:
        """The plain translation, new to every cache."""
        return replace(self.plain, source=f"{self.plain.source}\n// {next(_NEW)}\n")


@dataclass(frozen=True)
class Run:
    job: Job
    outcome: Outcome
    seconds: float


def jobs(wanted: int) -> list[Job]:
    """C files of the tests with a plain translation, spread over their kinds."""
    files = [file for file in load_corpus() if file.decision == "translate"]
    by_kind: dict[str, list[CorpusFile]] = {}
    for file in files:
        by_kind.setdefault(file.path.partition("/")[0], []).append(file)
    found: list[Job] = []
    for file in chain.from_iterable(zip_longest(*by_kind.values())):
        if file is None or len(found) == wanted:
            continue
        try:
            task = commands.read(
                file.source,
                entry=file.entry,
                sizes=dict(file.size),
                ranges=dict(file.ranges),
                folders=(str(file.file.parent),),
            )
            plain = plain_candidate(task, function_of(task))
        except CudaperfError as error:
            print(f"{file.path}: {error}", file=sys.stderr)
            continue
        if plain is not None:
            found.append(Job(file.path, task, plain))
    return found


def evaluate(bench: Bench, job: Job) -> Run:
    started = time.perf_counter()
    outcome = bench.evaluate(job.task, job.candidate())
    return Run(job, outcome, time.perf_counter() - started)


def stage_table(runs: list[Run]) -> dict[str, Any]:
    """Median, ninth decile and worst of the whole and of each stage, in seconds."""
    columns: dict[str, list[float]] = {"whole": [run.seconds for run in runs]}
    for run in runs:
        for name, seconds in run.outcome.stages:
            columns.setdefault(name, []).append(seconds)
    print(f"\n{'stage':<28} {'median':>8} {'p90':>8} {'worst':>8}   (seconds, {len(runs)} tasks)")
    table = {}
    for name, values in columns.items():
        ordered = sorted(values)
        row = (statistics.median(ordered), ordered[int(0.9 * (len(ordered) - 1))], ordered[-1])
        table[name] = row
        print(f"{name:<28} " + " ".join(f"{value:8.3f}" for value in row))
    return table


def slowest(runs: list[Run]) -> None:
    print(f"\nslowest {min(SLOWEST, len(runs))} of {len(runs)}")
    for run in sorted(runs, key=lambda one: -one.seconds)[:SLOWEST]:
        parts = ", ".join(f"{name} {seconds:.2f}" for name, seconds in run.outcome.stages if seconds >= 0.02)
        print(f"{run.seconds:7.2f} s  {run.job.name:<40} {parts}")
    for run in runs:
        if not run.outcome.ok:
            reason = run.outcome.verdict.reason if run.outcome.verdict else run.outcome.build.log
            print(f"NOT VERIFIED  {run.job.name}: {reason[:200]}")


def compiler_alone(job: Job, arch: str) -> float:
    """Median seconds of building one small kernel that no cache knows."""
    times = []
    for _ in range(COMPILES):
        started = time.perf_counter()
        build_candidate(job.task, job.candidate(), arch)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def rate(bench: Bench, work: list[Job], threads: int, seconds: float) -> tuple[int, float]:
    """(evaluations, seconds) from so many threads at once."""
    started = time.perf_counter()
    done = count()
    finished = 0
    jobs_in_turn = cycle(work)

    def worker(_: int) -> None:
        nonlocal finished
        while time.perf_counter() - started < seconds:
            evaluate(bench, next(jobs_in_turn))
            finished = next(done) + 1

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(worker, range(threads)))
    return finished, time.perf_counter() - started


def one_device(options: argparse.Namespace) -> dict[str, Any]:
    work = jobs(options.tasks)
    with Bench(options.device) as bench:
        print(f"device {bench.device}; {len(work)} tasks; first evaluations make the references", flush=True)
        started = time.perf_counter()
        with ThreadPoolExecutor(options.threads) as pool:
            first = list(pool.map(lambda job: evaluate(bench, job), work))
        print(f"references and first evaluations: {time.perf_counter() - started:.1f} s", flush=True)
        runs = [evaluate(bench, one.job) for one in first if one.outcome.ok]
        table = stage_table(runs)
        slowest([*runs, *(one for one in first if not one.outcome.ok)])
        arch = runs[0].outcome.build.arch
        compiling = compiler_alone(min((run.job for run in runs), key=lambda job: len(job.plain.source)), arch)
        print(f"\ncompile alone, a small kernel new to the cache: {compiling:.4f} s (median of {COMPILES})")
        quick = [run.job for run in sorted(runs, key=lambda one: one.seconds)[: max(1, len(runs) * 3 // 4)]]
        finished, seconds = rate(bench, quick, options.threads, options.seconds)
        print(f"sustained from {options.threads} threads: {finished / seconds:.2f} evaluations a second")
    return {
        "device": options.device, "stages": table, "compile_s": compiling, "evaluations": finished, "seconds": seconds,
        "tasks": {run.job.name: {"seconds": run.seconds, "stages": dict(run.outcome.stages)} for run in runs},
    }  # fmt: skip


def several(options: argparse.Namespace) -> None:
    """One process a device, all at once: their rates together against one of them alone."""
    def command(index: int) -> list[str]:
        arguments = ["--device", f"cuda:{index}", "--tasks", str(options.tasks), "--seconds", str(options.seconds)]
        return [sys.executable, __file__, *arguments, "--threads", str(options.threads), "--json", "-"]

    def rates(indices: range) -> tuple[list[float], str]:
        """Evaluations a second of each, and what the first of them printed."""
        running = [subprocess.Popen(command(i), stdout=subprocess.PIPE, text=True) for i in indices]
        texts = [process.communicate()[0].strip() for process in running]
        answers = [json.loads(text.splitlines()[-1]) for text in texts]
        shown = "\n".join(texts[0].splitlines()[:-1])
        return [answer["evaluations"] / answer["seconds"] for answer in answers], shown

    (alone,), shown = rates(range(1))
    print(shown)
    together, _ = rates(range(options.devices))
    listed = " + ".join(f"{each:.2f}" for each in together)
    print(f"\none device alone: {alone:.2f} evaluations a second")
    times = sum(together) / alone
    print(f"{options.devices} devices at once: {listed} = {sum(together):.2f}, {times:.2f} times as many")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--tasks", type=int, default=40)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--devices", type=int, default=0, help="so many CUDA devices at once, one process each")
    parser.add_argument("--json", help="a file for the numbers; - prints them as the last line")
    options = parser.parse_args()
    if options.devices:
        several(options)
        return
    numbers = json.dumps(one_device(options))
    if options.json == "-":
        print(numbers)
    elif options.json:
        Path(options.json).write_text(numbers + "\n")


if __name__ == "__main__":
    main()
