"""Whether a mutant that passed for right can be told from its program by comparing with float64, on any of many inputs.

The rule. A survivor is run on inputs that verification did not take: every case of the task again on other seeds, exact
integers at every size, and sizes beyond the measured ones. It is witnessed when on any of them

- verification itself fails, or
- on exact integers, where the program agrees with the C in wider types to the last bit, a bit differs, or
- its greatest error against the C in wider types is more than BEYOND times the program's and the C's own.

Everything else is equivalent: no comparison with float64 tells the two apart. Test support; it plants no faults.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np

from cudaperf_magic.bench.buffers import buffers
from cudaperf_magic.bench.building import build_candidate, plan_of
from cudaperf_magic.bench.devices import SIMULATED_ARCH, SimulatorRunner
from cudaperf_magic.bench.oracle import Oracle, Reference
from cudaperf_magic.bench.reference.run import at_path
from cudaperf_magic.bench.runners import Request, RunResult
from cudaperf_magic.bench.verify import verify
from cudaperf_magic.records import Candidate, Case, Task, Verdict

EXACT = "integer-exact"
BEYOND = 4.0
LEAST_ERROR = 1e-6  # of an output's magnitude; below it a few last roundings of float32 differ
ROUNDS = 2  # how often every case comes again
MOST_STEPS = 2_000_000
POISON = 1


@lru_cache(maxsize=8)
def probed(task: Task, seed: int) -> tuple[Oracle, tuple[Case, ...]]:
    """The further inputs of a task, those that the C defines, with the oracle that knows their answers."""
    drawn = random.Random(seed)
    cases = [replace(case, seed=drawn.getrandbits(60)) for _ in range(ROUNDS) for case in task.cases]
    cases += [Case(sizes, EXACT, drawn.getrandbits(60)) for sizes in sorted({case.sizes for case in task.cases})]
    cases += [Case(sizes, "nominal", drawn.getrandbits(60)) for sizes in _larger(task)]
    oracle = Oracle(task)
    results = [(case, result) for (case, _), result in oracle.results(task, cases)]
    clean = [(c, r) for c, r in results if r.fault is None and not r.conversion_line and r.steps <= MOST_STEPS]
    oracle.remember(task, clean)
    return oracle, tuple(case for case, _ in clean)


@dataclass
class Witness:
    """Tells mutants of one verified program from it, on inputs whose seeds are drawn from `seed`."""

    task: Task
    program: Candidate
    seed: int = 0
    _exact: dict[Case, Mapping[str, bytes]] = field(default_factory=dict, repr=False)

    @property
    def oracle(self) -> Oracle:
        return probed(self.task, self.seed)[0]

    @property
    def probes(self) -> tuple[Case, ...]:
        return probed(self.task, self.seed)[1]

    @cached_property
    def own(self) -> Verdict:
        """What verification says of the program itself on the probes."""
        return self._verdict(self.program)

    def differs(self, mutant: Candidate) -> str:
        """How the mutant is witnessed, or "" when nothing tells it from the program."""
        verdict = self._verdict(mutant)
        if not verdict.ok:
            return f"on other inputs: {verdict.reason}"
        ours = {error.name: error.largest or 0.0 for error in self.own.errors}
        for error in verdict.errors:
            honest = max(ours.get(error.name, 0.0), error.reference_largest)
            if (error.largest or 0.0) > max(BEYOND * honest, LEAST_ERROR):
                return f"{error.name} is off by {error.largest:.2g}, the program by {honest:.2g}"
        return self._on_exact_inputs(mutant)

    def _verdict(self, candidate: Candidate) -> Verdict:
        compiled = build_candidate(self.task, candidate, SIMULATED_ARCH)
        return verify(self.task, candidate, SimulatorRunner(compiled), self.oracle, self.probes, hidden=False)

    def _on_exact_inputs(self, mutant: Candidate) -> str:
        references = [self.oracle.run(case) for case in self.probes if case.family == EXACT]
        theirs = self._outputs(mutant, references)
        if not self._exact:
            self._exact = self._outputs(self.program, references)
        for reference in references:
            ours = self._exact[reference.case]
            for leaf in reference.leaves:
                is_exact = ours[leaf.key] == np.ascontiguousarray(leaf.wide.astype(leaf.plain.dtype)).tobytes()
                if is_exact and theirs[reference.case][leaf.key] != ours[leaf.key]:
                    return f"{leaf.key} differs on {reference.case}"
        return ""

    def _outputs(self, candidate: Candidate, references: Sequence[Reference]) -> dict[Case, Mapping[str, bytes]]:
        """For each case the bytes of every output by its key."""
        made = [buffers(self.task, reference.inputs, POISON, guarded=False) for reference in references]
        requests = [
            Request(
                plan_of(self.task, candidate, reference.case),
                {name: buffer.handed for name, buffer in each.items()},
                initialised={name: buffer.argument.role != "out" for name, buffer in each.items()},
            )
            for reference, each in zip(references, made, strict=True)
        ]
        compiled = build_candidate(self.task, candidate, SIMULATED_ARCH)
        results: Sequence[RunResult] = SimulatorRunner(compiled).run(requests)
        return {
            reference.case: {
                leaf.key: at_path(each[leaf.name].elements(result.arrays[leaf.name]), leaf.path).tobytes()
                for leaf in reference.leaves
            }
            for reference, each, result in zip(references, made, results, strict=True)
        }


def _larger(task: Task) -> Iterator[tuple[tuple[str, int], ...]]:
    """Sizes beyond the measured ones: all doubled and one more, and each alone four times as large."""
    measured = task.cases[0].sizes
    yield tuple((name, 2 * value + 1) for name, value in measured)
    for chosen, _ in measured:
        yield tuple((name, 4 * value + 3 if name == chosen else value) for name, value in measured)
