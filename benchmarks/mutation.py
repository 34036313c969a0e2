"""Faults planted in verified kernels, and how many of them verification catches; honest kernels that it refuses.

    python benchmarks/mutation.py [--tasks matmul/matmul ...] [--minutes 10] [--mutants 12] [--device simulator]

Programs: every one that the search verifies in its first turns on C functions of the tests, and the honest kernels of
tests/honest. In each, faults are planted one at a time (tests/mutants.py, mutants_of_values.py). A mutant counts only
if a comparison with float64 on some input can witness it; tests/witness.py has the rule. Prints a table by kind of
fault and every escape. It ends when its minutes are used up, and says how many programs it came to.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from corpus import CorpusFile, load_corpus
from kernel_files import honest_kernels, task_of
from mutants import Mutant, mutants
from mutants_of_values import ALL_KINDS
from witness import Witness

from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.bench.settle import settled
from cudaperf_magic.episode import play
from cudaperf_magic.errors import CudaperfError, Unsupported
from cudaperf_magic.policies.search import SearchPolicy
from cudaperf_magic.records import Candidate, Episode, Task
from cudaperf_magic.tasks.c import read_task

DEFAULT_TASKS = (
    "elementwise/axpby", "elementwise/clamp", "elementwise/gelu", "reductions/dot", "reductions/argmax",
    "reductions/row_softmax", "reductions/minmax", "matmul/matmul", "matmul/syrk", "matvec/gemv",
    "matvec/gemv_transposed", "transposes/transpose", "stencils/heat2d_swap", "stencils/smooth1d", "stencils/laplace3d",
    "scans/prefix_sum", "scans/running_max", "histograms/bincount", "sparse/csr_spmv", "convolutions/conv1d",
    "statistics/covariance", "dynamic/lcs",
)  # fmt: skip
REFUSES = "CUDA refuses"  # in the log of a launch that no device would make: caught, though nothing ran
NOTED_EVERY_S = 30.0

Fate = Literal["caught", "escaped", "equivalent", "no CUDA"]


@dataclass(frozen=True)
class Program:
    """A verified kernel, before any fault."""

    name: str
    task: Task
    candidate: Candidate


@dataclass(frozen=True)
class Found:
    """One mutant's fate, and the words on it."""

    program: str
    kind: str
    mutant: str
    fate: Fate
    why: str = ""


@dataclass
class Tally:
    """What came of all mutants so far."""

    found: list[Found] = field(default_factory=list)
    programs: set[str] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)  # honest kernels that do not pass

    def count(self, fate: Fate, kind: str | None = None) -> int:
        return sum(one.fate == fate and kind in (None, one.kind) for one in self.found)

    def share(self, kind: str | None = None) -> float | None:
        """Caught, of those that can be witnessed."""
        caught, escaped = self.count("caught", kind), self.count("escaped", kind)
        return caught / (caught + escaped) if caught + escaped else None


# ------------------------------------------------------------------ programs


def searched(file: CorpusFile, bench: Bench, turns: int, most: int) -> list[Program]:
    """The programs that the search verifies in its first turns, the last of them first."""
    task, function = read_task(file.source, entry=file.entry, sizes=file.size, ranges=file.ranges)
    task = settled(task, function)
    episodes: list[Episode] = list(play([task], SearchPolicy(function), bench, turns=turns, proposals=2))
    turns_taken = [(turn, (turn.candidate, turn.outcome)) for turn in episodes[-1].turns]
    tried = [pair for turn, own in turns_taken for pair in (own, *turn.others)]
    verified = {candidate.source: candidate for candidate, outcome in tried if outcome is not None and outcome.ok}
    chosen = list(verified.values())[::-1][:most]
    name = file.path.removesuffix(".c")
    return [Program(f"{name} {c.schedule or 'plain'}".replace("\n", "; "), task, c) for c in chosen]


def by_hand() -> Iterator[Program]:
    """The honest kernels of tests/honest."""
    for file in honest_kernels():
        yield Program(f"honest {file.name}", task_of(file.path.parent.name), Candidate(file.source))


# ------------------------------------------------------------------ mutants


def drawn(program: Program, most: int, chance: random.Random) -> list[Mutant]:
    """So many mutants of a program, of as many kinds as there are."""
    kinds: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in mutants(program.candidate.source, ALL_KINDS):
        kinds[mutant.kind].append(mutant)
    for planted in kinds.values():
        chance.shuffle(planted)
    order = sorted(kinds, key=lambda _: chance.random())
    rounds = [kinds[kind][k] for k in range(most) for kind in order if k < len(kinds[kind])]
    return rounds[:most]


def judged(program: Program, mutant: Mutant, bench: Bench, witness: Witness) -> Found:
    """Verification's answer, and where it passes the mutant, whether it should have."""
    candidate = Candidate(mutant.source)

    def found(fate: Fate, why: str = "") -> Found:
        return Found(program.name, mutant.kind, mutant.name, fate, why)

    try:
        outcome = bench.evaluate(program.task, candidate)
        if outcome.verdict is None:
            return found("caught" if REFUSES in outcome.build.log else "no CUDA", outcome.build.log)
        if not outcome.ok:
            return found("caught", f"{outcome.verdict.status}: {outcome.verdict.reason}")
        why = witness.differs(candidate)
    except Unsupported as error:
        return found("no CUDA", str(error))
    return found("escaped" if why else "equivalent", why)


def run(programs: Sequence[Program], bench: Bench, options: argparse.Namespace, tally: Tally, until: float) -> None:
    """Plants faults in every program until the time is up."""
    chance = random.Random(options.seed)
    noted = time.monotonic()
    with ThreadPoolExecutor(options.jobs) as pool:
        for program in programs:
            if time.monotonic() > until:
                return
            outcome = bench.evaluate(program.task, program.candidate)
            if not outcome.ok:
                tally.refused.append(f"{program.name}: {outcome.verdict or outcome.build.log}")
                continue
            tally.programs.add(program.name)
            witness = Witness(program.task, program.candidate, options.seed)
            planted = drawn(program, options.mutants, chance)
            tally.found += pool.map(lambda m, p=program, w=witness: judged(p, m, bench, w), planted)
            if time.monotonic() - noted > NOTED_EVERY_S:
                noted = time.monotonic()
                print(f"  {len(tally.programs)} programs, {len(tally.found)} mutants", file=sys.stderr, flush=True)


# ------------------------------------------------------------------ the table


def table(tally: Tally) -> str:
    """Markdown: a row for each kind, the escapes by name, the honest kernels refused."""
    lines = ["| fault | planted | caught | escaped | equivalent | no CUDA |", "|---|---|---|---|---|---|"]
    planted = Counter(one.kind for one in tally.found)
    fates: tuple[Fate, ...] = ("caught", "escaped", "equivalent", "no CUDA")
    for kind in sorted(planted):
        cells = [str(tally.count(fate, kind)) for fate in fates]
        lines.append(f"| {kind} | {planted[kind]} | {' | '.join(cells)} |")
    cells = [str(tally.count(fate)) for fate in fates]
    lines.append(f"| **all** | {len(tally.found)} | {' | '.join(cells)} |")
    share = tally.share()
    said = "none can be witnessed" if share is None else f"caught of those that can be witnessed: {share:.2%}"
    lines += ["", f"{len(tally.programs)} programs; {said}; good programs refused: {len(tally.refused)}."]
    escapes = [one for one in tally.found if one.fate == "escaped"]
    lines += ["", *(f"- escaped: {one.program}, {one.mutant}: {one.why}" for one in escapes)]
    lines += [f"- refused: {name}" for name in tally.refused]
    return "\n".join(lines).rstrip()


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tasks", nargs="*", default=DEFAULT_TASKS, help="files below tests/c, without .c")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--turns", type=int, default=3, help="of the search on each task")
    parser.add_argument("--programs", type=int, default=3, help="most of a task")
    parser.add_argument("--mutants", type=int, default=12, help="most of a program")
    parser.add_argument("--honest", type=int, default=40, help="how many honest kernels")
    parser.add_argument("--device", default="simulator")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", help="a file for every mutant's fate")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    options = arguments(given)
    until = time.monotonic() + 60 * options.minutes
    tally = Tally()
    chance = random.Random(options.seed)
    honest = list(by_hand())
    known = {file.path.removesuffix(".c"): file for file in load_corpus()}
    with Bench(options.device) as bench:
        run(chance.sample(honest, min(options.honest, len(honest))), bench, options, tally, _part(until, 0.4))
        for name in options.tasks:
            if time.monotonic() > until:
                break
            try:
                programs = searched(known[name], bench, options.turns, options.programs)
            except CudaperfError as error:
                print(f"  {name} is left out: {error}", file=sys.stderr)
                continue
            run(programs, bench, options, tally, until)
    print(table(tally))
    if options.json:
        Path(options.json).write_text(json.dumps([asdict(one) for one in tally.found], indent=1))
    return 0 if not tally.refused and (tally.share() or 0.0) >= 0.99 else 1


def _part(until: float, share: float) -> float:
    now = time.monotonic()
    return now + share * (until - now)


if __name__ == "__main__":
    sys.exit(main())
