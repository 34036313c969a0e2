"""A candidate's whole run in one child: load it, give it the parameters, call it on every content of the schedule.

It gathers what the referee found and what the parent's clock read, and stops at the first thing that is wrong. What
that makes of the candidate is evaluate.py's.
"""

from __future__ import annotations

import contextlib
import random
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from ...errors import ToolchainError
from ...records import Clocks, OutputError, WrongElement
from ..counters.activity import Ran
from ..gpu.clocks import reader
from ..gpu.lock import gpu_lock
from ..sandbox import Session
from .court import Court
from .inputs import NOMINAL
from .layout import Shape
from .peak import Rise
from .player import MOST_WORDS, Called, Fallen, Limits, Player, places_by_name
from .referee import Description
from .schedule import MOST_SEED, Step

Trouble = Literal["build", "mismatch", "crash", "timeout", "fault", "cheat"]
CANDIDATE, BASELINE = "candidate", "baseline"
MOST_BUSY = 0.2  # of the calls: more than another's stray kernel explains
BUSY = "kernels still run on the device after it says that it is done: they could work on the next inputs before the go"
NONSENSE = "its process answers with what is no answer"
LATE_WRITE = "its outputs changed after it had said that it was done"


@dataclass
class Attempt:
    """What came of it. `seconds` by call, in order: the step, the candidate's times, and the baseline's or None."""

    trouble: Trouble | None = None
    reason: str = ""
    failing: Step | None = None
    wrong: WrongElement | None = None  # of a mismatch
    seconds: list[tuple[Step, Called, Called | None]] = field(default_factory=list)
    own_seconds: list[float] = field(default_factory=list)  # by the child's own clock: a claim
    errors: list[OutputError] = field(default_factory=list)
    changed_inputs: tuple[int, ...] = ()
    passed: int = 0
    busy: int = 0  # calls after which kernels still ran
    is_deterministic: bool | None = None
    has_loaded_state: bool = False
    foreign_names: str = ""  # why the parameters could not be loaded
    operations: dict[str, int] = field(default_factory=dict)  # of the framework, seen from inside, as the next
    kernels: tuple[Ran, ...] = ()
    clocks: tuple[Clocks, ...] = ()
    load_s: float = 0.0
    noise_s: float = 0.0  # how far the quickest empty calls lie apart by the parent's clock
    peak_bytes: int | None = None  # of its allocator, as the child says
    risen_bytes: int | None = None  # what the child has taken of the card, as the driver tells the parent
    late_noise_s: float = 0.0  # how much later than the earliest the outputs of half the empty calls are settled
    levels: tuple[str, ...] = ()

    def fail(self, trouble: Trouble, reason: str, step: Step | None = None) -> Attempt:
        self.trouble, self.reason, self.failing = trouble, reason, step
        return self


@dataclass(frozen=True)
class Plan:
    """What an attempt needs beside the court. `baseline` is the source that the candidate is timed against, or ""."""

    description: Description
    device: str
    limits: Limits
    steps: tuple[Step, ...]
    build: Callable[[dict[str, Any]], dict[str, Any]]
    nominal_calls: int
    loads_state: bool = True
    baseline: str = ""
    entry: str = "Model"
    observes: bool = True
    children: list[Session] = field(default_factory=list)  # started ahead; one is taken for each player
    knock_out: bool = False
    shapes: tuple[Shape, ...] = ()  # of the slots, where they are others than the task's own
    knocks_out: bool = False  # whether a right candidate is tried once more with its kernels doing nothing


def attempt(court: Court, source: str, plan: Plan) -> Attempt:
    """Runs `ModelNew` of the source.

    Raises:
        TaskError: the task's own module fails on some content. ToolchainError: the machine's trouble.
    """
    try:
        with _player(CANDIDATE, plan) as player:
            found = _tried(court, player, source, plan)
        if found.trouble is None and court.reread(CANDIDATE):
            found.fail("cheat", LATE_WRITE)
    finally:
        court.release(CANDIDATE)
    return found


def _tried(court: Court, player: Player, source: str, plan: Plan) -> Attempt:
    found = Attempt()
    seed = secrets.randbelow(MOST_SEED)
    player.open(court)
    found.levels = player.levels
    taken = Rise.watched(plan.description.uuid, player.contained.pid)
    found.noise_s, found.late_noise_s = player.noise_ns * 1e-9, player.late_noise_ns * 1e-9
    try:
        loaded = player.load(source, "ModelNew", plan.description.init_inputs, seed, knock_out=plan.knock_out)
    except Fallen as fallen:
        return found.fail("build", f"while it is loaded: {fallen.words}")
    if "error" in loaded:
        return found.fail("build", str(loaded["error"])[:MOST_WORDS])
    found.load_s = player.load_s
    try:
        state_seed = _state_seed(found, plan, loaded)
    except (AttributeError, KeyError, TypeError):
        return found.fail("build", NONSENSE)
    court.set_state(CANDIDATE, seed, state_seed)
    if not _takes_state(found, player, state_seed):
        return found
    with _Others(court, plan, seed, state_seed) as others, _alone(plan.description.uuid):
        _play(found, court, player, others, plan, taken)
    _report(found, player, plan)
    return found


def _player(who: str, plan: Plan) -> Player:
    session = plan.children.pop() if plan.children else None
    return Player(who, plan.description, plan.device, plan.limits, plan.build, session, plan.shapes)


def _state_seed(found: Attempt, plan: Plan, loaded: dict[str, Any]) -> int | None:
    """A seed for new parameters when the candidate can load them: when its names and shapes are the reference's."""
    theirs, ours = places_by_name(tuple(loaded["state"])), places_by_name(plan.description.state)
    lacking = [name for name in ours if theirs.get(name) != ours[name]]
    if lacking:
        found.foreign_names = f"its parameters lack {', '.join(lacking[:3])} of Model's"
    if not ours or lacking or not plan.loads_state:
        return None
    found.has_loaded_state = True
    return secrets.randbelow(MOST_SEED)


def _takes_state(found: Attempt, player: Player, state_seed: int | None) -> bool:
    try:
        answer = player.take_state() if state_seed is not None else {}
        if "error" not in answer:
            player.begin_calls()
    except Fallen as fallen:
        found.fail("timeout" if fallen.is_late else "crash", f"while it loads its parameters: {fallen.words}")
        return False
    if "error" in answer:
        found.fail("crash", f"while it loads its parameters: {answer['error']}")
        return False
    return True


class _Others:
    """The baseline's player where there is one: the task's own module, called in the same manner, judged by nobody."""

    def __init__(self, court: Court, plan: Plan, seed: int, state_seed: int | None) -> None:
        self.court, self.plan = court, plan
        self.player: Player | None = None
        if plan.baseline:
            self.player = _player(BASELINE, plan)
            try:
                self._begin(self.player, seed, state_seed)
            except BaseException as error:
                self.player.__exit__(None, None, None)
                if not isinstance(error, Fallen):
                    raise
                raise ToolchainError(f"the task's own module fails as a baseline: {error.words}") from None

    def _begin(self, player: Player, seed: int, state_seed: int | None) -> None:
        player.open(self.court)
        loaded = player.load(self.plan.baseline, self.plan.entry, self.plan.description.init_inputs, seed)
        if "error" in loaded:
            raise Fallen(str(loaded["error"]))
        if state_seed is not None:
            self.court.set_state(BASELINE, seed, state_seed)
            player.take_state()
        player.begin_calls()

    def time(self, step: Step) -> Called | None:
        if self.player is None:
            return None
        self.court.prepare(BASELINE, step)
        try:
            return self.player.call(self.court, step.slot)
        except Fallen as fallen:
            raise ToolchainError(f"the task's own module fails as a baseline: {fallen.words}") from None

    def __enter__(self) -> _Others:
        return self

    def __exit__(self, *_: object) -> None:
        if self.player is not None:
            self.player.__exit__(None, None, None)
            self.court.release(BASELINE)


def _alone(uuid: str) -> contextlib.AbstractContextManager[None]:
    """The device for us alone, where there is one; on a CPU no time is claimed."""
    return gpu_lock(uuid) if uuid else contextlib.nullcontext()


def _play(found: Attempt, court: Court, player: Player, others: _Others, plan: Plan, risen: Rise) -> None:
    chance = random.Random(secrets.randbits(64))
    returning = {step.content.number for step in plan.steps if step.is_again}
    card = reader(plan.description.uuid) if plan.description.uuid else None
    for step in plan.steps:
        theirs = others.time(step) if chance.random() < 0.5 else None
        if court.prepare(CANDIDATE, step):
            found.fail("cheat", LATE_WRITE, step)
            return
        try:
            with risen.call():
                called = player.call(court, step.slot)
        except Fallen as fallen:
            found.fail("timeout" if fallen.is_late else "crash", fallen.words, step)
            return
        taken = court.take(CANDIDATE, step.slot, is_read=player.is_on_device)
        judged = court.judge(CANDIDATE, step.slot, keeps=step.content.number in returning)
        found.errors += judged.errors
        if judged.is_same is not None:
            found.is_deterministic = judged.is_same
        if taken.changed_inputs:
            found.changed_inputs = taken.changed_inputs
            found.fail("fault", f"it writes to input {taken.changed_inputs[0]}, which Model leaves as it is", step)
            return
        if judged.reason:
            found.wrong = judged.wrong
            found.fail("mismatch", judged.reason, step)
            return
        found.passed += 1
        found.clocks += (card.read(),) if card is not None else ()
        found.busy += taken.is_busy
        found.seconds.append((step, called, others.time(step) if theirs is None else theirs))
    found.risen_bytes = risen.bytes
    if found.busy > MOST_BUSY * len(plan.steps):
        found.fail("cheat", BUSY)


def _report(found: Attempt, player: Player, plan: Plan) -> None:
    """What the child says at the end. Only labels are made of it, so that its silence decides nothing."""
    if found.trouble is not None:
        return
    try:
        told = player.report()
        found.own_seconds = [float(each) for each in told["seconds"]]
        found.peak_bytes = None if told["peak_bytes"] is None else int(told["peak_bytes"])
        if plan.observes:
            seen = player.observe(plan.steps[-1].slot)
            found.operations = {str(name)[:MOST_WORDS]: int(n) for name, n in seen["operations"].items()}
            found.kernels = tuple(
                Ran(str(name)[:MOST_WORDS], int(ns), int(stream)) for name, ns, stream in seen["kernels"]
            )
    except (Fallen, KeyError, TypeError, ValueError, AttributeError):
        return


def samples(found: Attempt, skipped: int = 1) -> list[tuple[Called, Called | None]]:
    """The calls that count as samples: on nominal inputs that are new, all but the first."""
    calls = found.seconds[skipped:]
    return [(ours, theirs) for step, ours, theirs in calls if step.content.family == NOMINAL and not step.is_again]
