"""Lane B's evaluations: task + `ModelNew` -> Outcome. It opens referees and children, and says what is tried.

What an attempt is, attempt.py says; what it makes of a candidate, outcome.py.
"""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from dataclasses import replace
from threading import Lock
from types import TracebackType
from typing import Self

from ...records import Candidate, Label, Outcome, Task
from ...tasks.pytorch import OWN_KERNELS_ONLY
from ..sandbox import Session
from .attempt import Attempt, Plan, attempt
from .building import build_extension
from .court import Court
from .general import generality
from .labels import decoy_label, own_kernels
from .outcome import outcome_of
from .player import Limits, begin_child
from .referee import Description
from .schedule import MOST_SEED, NOMINAL_CALLS, draw

MOST_COURTS = 2  # tasks whose referees are kept: each holds a context and the task's tensors


def evaluate_module(
    task: Task,
    candidate: Candidate,
    *,
    device: str = "cpu",
    limits: Limits | None = None,
    nominal_calls: int = NOMINAL_CALLS,
    with_baseline: bool | None = None,
    with_neighbours: bool = False,
) -> Outcome:
    """One evaluation that keeps nothing; see `LaneB.evaluate`."""
    with LaneB(device, limits, spares=0) as lane:
        return lane.evaluate(
            task,
            candidate,
            nominal_calls=nominal_calls,
            with_baseline=with_baseline,
            with_neighbours=with_neighbours,
        )


class LaneB:
    """Evaluates modules on one device. Keeps the referees of the last tasks, and children that are ready for the next.

    No child serves two candidates. Threads take turns. Use as a context manager, or `close` it.

    Args:
        device: "cpu" or "cuda:0". spares: children that are started ahead after each evaluation.
    """

    def __init__(self, device: str = "cpu", limits: Limits | None = None, *, spares: int = 2) -> None:
        self.device, self.limits, self.spares = device, limits or Limits(), spares
        self._lock = Lock()
        self._children: list[Session] = []
        self._courts: OrderedDict[Task, tuple[Court, Description]] = OrderedDict()

    def evaluate(
        self,
        task: Task,
        candidate: Candidate,
        *,
        nominal_calls: int = NOMINAL_CALLS,
        with_baseline: bool | None = None,
        with_neighbours: bool = False,
    ) -> Outcome:
        """How far a candidate comes that defines `ModelNew`, with any host code.

        Args:
            task: of language "pytorch"; its source defines `Model`, `get_inputs` and `get_init_inputs`.
            candidate: Python text that defines `ModelNew`, constructed and called as `Model` is.
            nominal_calls: how many calls on new nominal inputs; on a device, the samples of the timing.
            with_baseline: whether `Model` is timed beside it, call by call in random order; by default on devices.
            with_neighbours: whether a right candidate is called on other shapes too, for `Verdict.generality`.

        Returns:
            An outcome with a timing on a device only. A call's time is that of `forward`, of the copy of its result
            into the caller's memory, and of waiting for the whole device, less that of a call that does next to
            nothing; the baseline's is the same of `Model`.

        Raises:
            TaskError: `Model` fails, is random, or has outputs that cannot be refereed.
            ToolchainError: the machine lacks something; nothing is known of the candidate then.
        """
        with self._lock:
            return self._evaluate(task, candidate, nominal_calls, with_baseline, with_neighbours)

    def _evaluate(
        self,
        task: Task,
        candidate: Candidate,
        nominal_calls: int,
        with_baseline: bool | None,
        with_neighbours: bool,
    ) -> Outcome:
        started = time.perf_counter()
        is_timed = self.device != "cpu"
        has_baseline = is_timed if with_baseline is None else with_baseline
        self._start_children(1 + has_baseline)  # they make ready beside the referee
        try:
            court, description = self._court(task)
            plan = Plan(
                description,
                self.device,
                self.limits,
                draw(description.screened.families, nominal_calls),
                build_extension,
                nominal_calls,
                baseline=task.source if has_baseline else "",
                children=self._children,
                entry=task.entry,
                knocks_out=OWN_KERNELS_ONLY in task.contract,
            )
            described_s = time.perf_counter() - started
            found, labels = _attempts(court, candidate.source, plan)
            shapes = None
            if with_neighbours and found.trouble is None:
                shapes = generality(court, candidate.source, replace(plan, loads_state=found.has_loaded_state))
        except BaseException:
            self._drop(task)  # it may be in the middle of something
            raise
        outcome = outcome_of(task, candidate, description, found, labels, self.device, is_timed)
        if outcome.verdict is not None:
            outcome = replace(outcome, verdict=replace(outcome.verdict, generality=shapes))
        self._start_children(self.spares)
        stages = (("reference", described_s), *outcome.stages)
        return replace(outcome, seconds=time.perf_counter() - started, stages=stages)

    def _court(self, task: Task) -> tuple[Court, Description]:
        if task not in self._courts:
            court = Court(task, self.device, self.limits.memory_bytes)
            try:
                self._courts[task] = court, court.describe(secrets.randbelow(MOST_SEED))
            except BaseException:
                court.close()
                raise
            if len(self._courts) > MOST_COURTS:
                self._drop(next(iter(self._courts)))
        self._courts.move_to_end(task)
        return self._courts[task]

    def _drop(self, task: Task) -> None:
        kept = self._courts.pop(task, None)
        if kept is not None:
            kept[0].close()

    def _start_children(self, count: int) -> None:
        self._children[:] = [child for child in self._children if child.is_alive]
        while len(self._children) < count:
            self._children.append(begin_child(self.device, self.limits))

    def close(self) -> None:
        """Ends every child and referee. It may be used again; that starts new ones."""
        while self._children:
            self._children.pop().close()
        for task in list(self._courts):
            self._drop(task)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _attempts(court: Court, source: str, plan: Plan) -> tuple[Attempt, tuple[Label, ...]]:
    """With the referee's parameters; if that fails, once more with those that the same seed gives to both.

    A candidate that packs its weights in its constructor is right on the latter only.
    """
    found = attempt(court, source, plan)
    if found.trouble not in ("mismatch", "crash") or not found.has_loaded_state:
        return found, _knocked_out(court, source, plan, found)
    again = attempt(
        court,
        source,
        replace(plan, loads_state=False, steps=draw(plan.description.screened.families, plan.nominal_calls)),
    )
    if again.trouble is not None:
        return found, ()
    words = "it prepares its weights in its constructor: parameters that are loaded later are not used"
    return again, (Label("weights_prepared", words),)


def _knocked_out(court: Court, source: str, plan: Plan, found: Attempt) -> tuple[Label, ...]:
    """Whether a candidate that promised own kernels is right without them: tried with all of them doing nothing."""
    if found.trouble is not None or not plan.knocks_out or not own_kernels(source):
        return ()
    silent = attempt(court, source, replace(plan, baseline="", observes=False, knock_out=True))
    label = decoy_label(own_kernels(source)) if silent.trouble is None else None
    return (label,) if label is not None else ()
