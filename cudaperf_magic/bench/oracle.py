"""What a C function computes: as written, widened, and how far honest rounding strays; and whether it is well defined.

`settled` turns a task that was read into one whose C does nothing undefined on the inputs made for it. `Oracle` answers
for single cases, out of memory once it has run them. The C runs in a child process; nothing here judges a candidate.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from random import SystemRandom
from threading import Lock

from cudaperf_magic.bench.reference.build import ReferenceBuild, build_reference
from cudaperf_magic.bench.reference.run import Builds, CaseResult, Leaf, Limits, run_reference
from cudaperf_magic.bench.reference.words import fault_error
from cudaperf_magic.bench.sandbox import Crashed, Finished, TimedOut, run_in_child
from cudaperf_magic.compiler.loops import Cast, Const, Function, Symbols, expressions, walk, walk_expression
from cudaperf_magic.errors import TaskError
from cudaperf_magic.records import Case, Task
from cudaperf_magic.tasks.c import function_of
from cudaperf_magic.tasks.cases import Inputs, fresh_cases, materialise
from cudaperf_magic.tasks.expressions import Unknown
from cudaperf_magic.tasks.work import elements, estimated_steps

BUDGET_STEPS = 50_000_000  # loop iterations after which a loop counts as endless; half a second
BUDGET_MARGIN = 20  # a task that is known to take long gets so many times its estimate
HEAVY_STEPS = 500_000
SAMPLES, SAMPLES_HEAVY, SAMPLES_DISCRETE = 8, 3, 24  # runs with noise; more where rounding decides an integer
HIDDEN_CASES = 5
MOST_ELEMENTS = 1 << 28  # of all arrays together; more does not fit beside its wide copies
TIMEOUT_S = 120.0
MEMORY_BYTES = 16 << 30  # of address space

RECENT_TASKS = 8

Made = tuple[Case, Inputs]


@dataclass(frozen=True)
class Reference:
    """A case on which the C is well defined: its inputs, and every plain output."""

    case: Case
    inputs: Inputs
    leaves: tuple[Leaf, ...]
    steps: int = 0


_RECENT: OrderedDict[Task, dict[Case, Reference]] = OrderedDict()
_LOCK = Lock()


class Oracle:
    """The reference of one task. Case results are kept in memory, builds on disk."""

    def __init__(self, task: Task, function: Function | None = None) -> None:
        self.task = task
        self.function = function or function_of(task)
        self.build: ReferenceBuild = build_reference(task, self.function)
        self._known = _results_of(task)
        self._undefined: set[Case] = set()
        self._hidden: tuple[Case, ...] | None = None

    def run(self, case: Case) -> Reference:
        """The reference of one case.

        Raises:
            TaskError: on these inputs the C itself does something undefined.
        """
        self.run_all([case])
        return self._known[case]

    def run_all(self, cases: Iterable[Case]) -> tuple[Reference, ...]:
        """Many cases in one child process; raises as `run` does, for the first that is not well defined."""
        wanted = list(cases)
        missing = [case for case in wanted if case not in self._known]
        for (case, inputs), result in self.results(self.task, missing) if missing else ():
            if result.fault is not None:
                raise fault_error(result.fault, self.build, self.function, case)
            self._known[case] = Reference(case, inputs, result.leaves, result.steps)
        return tuple(self._known[case] for case in wanted)

    def defines(self, case: Case) -> bool:
        """Whether the C does nothing undefined on a case that is not the task's own."""
        return bool(self.defined([case]))

    def defined(self, cases: Iterable[Case]) -> tuple[Case, ...]:
        """Those of the cases on which the C does nothing undefined; all that are new run in one child process."""
        wanted = list(cases)
        missing = [case for case in wanted if case not in self._known and case not in self._undefined]
        try:
            results = self.results(self.task, missing) if missing else []
        except TaskError:  # it crashes or does not end on one of them
            if len(missing) > 1:
                for case in missing:
                    self.defined([case])
            results = []
        for (case, inputs), result in results:
            if result.fault is None and not result.conversion_line:
                self._known[case] = Reference(case, inputs, result.leaves, result.steps)
        self._undefined |= {case for case in missing if case not in self._known}
        return tuple(case for case in wanted if case in self._known)

    @property
    def hidden(self) -> tuple[Case, ...]:
        """Some of the task's small cases again, on seeds that nobody knows; drawn once for each oracle."""
        if self._hidden is None:
            fresh = [case for case in fresh_cases(self.task)[1:] or fresh_cases(self.task) if not _is_empty(case)]
            trial = SystemRandom().sample(fresh, min(HIDDEN_CASES, len(fresh)))
            self._hidden = self.defined(trial)
        return self._hidden

    def remember(self, task: Task, results: Iterable[tuple[Case, CaseResult]]) -> None:
        """Keep what was computed with this program for a task that it has become."""
        kept = _results_of(task)
        for case, result in results:
            kept[case] = Reference(case, materialise(task, case), result.leaves, result.steps)

    def results(self, task: Task, cases: list[Case]) -> list[tuple[Made, CaseResult]]:
        """Raw results of a task with this one's program, whatever its values; a case without inputs is left out."""
        made: list[Made] = []
        for case in cases:
            if elements(self.function, case.size) > MOST_ELEMENTS:
                continue
            try:
                made.append((case, materialise(task, case)))
            except Unknown:
                continue
        light = [one for one in made if self._steps(one[0]) <= HEAVY_STEPS]
        heavy = [one for one in made if self._steps(one[0]) > HEAVY_STEPS]
        with ThreadPoolExecutor(2) as pool:
            parts = pool.map(lambda some, is_heavy: self._run(task, some, self._samples(is_heavy)), *zip(
                (heavy, True), (light, False), strict=True
            ))  # fmt: skip
            by_case = {one[0]: (one, result) for part in parts for one, result in part}
        return [by_case[case] for case, _ in made]

    def _run(self, task: Task, made: list[Made], samples: int) -> list[tuple[Made, CaseResult]]:
        if not made:
            return []
        builds = Builds(self.build.as_written, self.build.checked, self.build.widened)
        longest = max(self._steps(case) for case, _ in made)
        limits = Limits(int(max(BUDGET_STEPS, BUDGET_MARGIN * longest)), samples)
        done = run_in_child(
            run_reference,
            builds,
            task.arguments,
            tuple(inputs for _, inputs in made),
            limits,
            timeout_s=TIMEOUT_S,
            memory_bytes=MEMORY_BYTES,
        )
        match done:
            case Finished(value):
                return list(zip(made, value, strict=True))
            case Crashed() | TimedOut() if len(made) > 1:
                return [pair for one in made for pair in self._run(task, [one], samples)]
            case Crashed():
                raise TaskError(f"the C itself crashes: {done.why} ({made[0][0]})")
            case _:
                raise TaskError(f"the C itself takes more than {TIMEOUT_S:.0f} seconds ({made[0][0]})")

    def _steps(self, case: Case) -> float:
        return estimated_steps(self.function, case.size)

    def _samples(self, is_heavy: bool) -> int:
        if not has_floats(self.function):
            return 0
        if is_heavy:
            return SAMPLES_HEAVY
        outputs = [a for a in self.task.arguments if a.is_pointer and a.role != "in"]
        return SAMPLES_DISCRETE if any("int" in a.dtype or "bool" in a.dtype for a in outputs) else SAMPLES


def _results_of(task: Task) -> dict[Case, Reference]:
    """Results are shared by all oracles of one task; those of the tasks met last are kept."""
    with _LOCK:
        _RECENT.setdefault(task, {})
        _RECENT.move_to_end(task)
        while len(_RECENT) > RECENT_TASKS:
            _RECENT.popitem(last=False)
        return _RECENT[task]


def has_floats(function: Function) -> bool:
    """Whether any value in it is floating: if not, nothing rounds and every output is compared bit by bit."""
    for part in (*function.helpers, function):
        kinds = set(Symbols.of(part).types.values()) | {part.return_type}
        kinds |= {kind for struct in part.structs for _, kind in struct.fields}
        for statement in walk(part.body):
            for expression in expressions(statement):
                for inner in walk_expression(expression):
                    if isinstance(inner, (Const, Cast)):
                        kinds.add(inner.type)
        if kinds & {"float", "double"}:
            return True
    return False


def _is_empty(case: Case) -> bool:
    return any(value == 0 for _, value in case.sizes)
