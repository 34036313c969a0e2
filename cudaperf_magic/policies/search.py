"""The embedded policy: a compiler with a memory. It needs no model, no key and no GPU.

Turn 1 is the plainest correct kernel. Each later turn starts from the best program so far, looks at which property is
low and on which kernel's line, and proposes the moves that are meant to raise it, those for the lowest first. All that
it knows is in the episode (every candidate carries its schedule), so an episode can be resumed anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from math import inf, log2

from cudaperf_magic.compiler.analysis.dependence import analyse
from cudaperf_magic.compiler.analysis.waits import waits
from cudaperf_magic.compiler.cuda_writer import write_cuda
from cudaperf_magic.compiler.loops import Function, Stmt
from cudaperf_magic.compiler.mapping import plan
from cudaperf_magic.compiler.moves.catalogue import apply, options
from cudaperf_magic.compiler.moves.loops import loop_options, parted
from cudaperf_magic.compiler.moves.move import Context, Move, Refused
from cudaperf_magic.compiler.program import HostIf, HostLoop, HostScalar, Nest, Node, Program
from cudaperf_magic.compiler.schedule import Schedule, Step, parse_schedule
from cudaperf_magic.policies.estimate import estimate
from cudaperf_magic.policies.time_model import modelled_us
from cudaperf_magic.policies.timed import closeness, fastest, filled, least_rank, spread, variants
from cudaperf_magic.policies.wishes import Wishes, read_wishes
from cudaperf_magic.proposals import Candidates, Done, Keep, Proposal
from cudaperf_magic.records import PROPERTIES, Candidate, Episode, Outcome, Property, Task
from cudaperf_magic.tasks.work import estimated_steps

GOOD_ENOUGH = 0.97  # a property above this has nothing left to win
MOST_SERIAL = 0.25  # with more of the work in single threads than this, a GPU only slows the C down
# Moves that show their worth only together: a transposed read needs the other axis, the tile and its padding.
FOLLOWED_BY = {"interchange": ("stage",), "stage": ("pad",), "tile": ("coarsen", "pad")}
# Where time counts, also what keeps more loads under way in the kernel that a step has made.
TIMED_BY = FOLLOWED_BY | {"two_pass": ("unroll",), "team": ("unroll",), "split_k": ("unroll",), "panel": ("tile",)}
WORTHWHILE = 1.02  # times as fast, as the model has it, for a step on one kernel of several
NO_WISHES = Wishes()
NOTHING_LEFT = "no move is left that changes the best program"
UNANSWERED = "the hint was read, and nothing that is untried fits it"


@dataclass(frozen=True)
class _Idea:
    """A step with why it is tried; `need` orders ideas, the greatest first."""

    steps: tuple[Step, ...]
    why: str
    need: float


@dataclass(frozen=True)
class _Ranked:
    """An idea carried out, with what ranks it; `new` are the steps that the schedule did not have."""

    rank: float
    need: float
    cost: float
    program: Program
    schedule: Schedule
    new: tuple[Step, ...]
    why: str


@dataclass
class SearchPolicy:
    """Proposes schedules of the moves in compiler/moves/.

    function: the C function with all array shapes known (`tasks.c.read_task` gives it).
    proposals: most candidates a turn. seed: kept for the episode's record; the search draws nothing at random.
    """

    function: Function
    proposals: int = 4
    seed: int = 0
    name: str = "search"
    _plain: dict[tuple[object, ...], Program] = field(default_factory=dict, repr=False)

    def propose(self, episode: Episode) -> Proposal:
        """The next candidates of an episode; Keep when nothing is parallel, Done when nothing is left to try."""
        context = context_of(episode.task)
        program = self.plain(context)
        if program.is_serial or serial_share(program, context) > MOST_SERIAL:
            return Keep(keep_reason(program))
        if not episode.turns:
            return Candidates((self.candidate(program, Schedule(), context, "the plainest correct kernel"),))
        wishes = read_wishes(episode.hint)
        open_to = wishes.kept(episode)
        best, quickest = open_to.best or episode.best, fastest(open_to) or fastest(episode)
        if best is None:
            return Done("the plainest kernel was not correct, and every move starts from it")
        start = (best.candidate, best.outcome)
        if quickest is not None:  # on a device it is time that counts
            if close := closeness(quickest[1]):
                return Done(close)
            start, context = quickest, filled(context, quickest[1])
        tried = {c.source for turn in episode.turns for c in (turn.candidate, *(other for other, _ in turn.others))}
        found = self._untried(self.ideas(*start, context, wishes), tried)
        if found:
            return Candidates(tuple(found))
        return Done(f"{NOTHING_LEFT}; {UNANSWERED}" if episode.hint else NOTHING_LEFT)

    def _untried(self, ideas: Iterator[Candidate], tried: set[str]) -> list[Candidate]:
        found: list[Candidate] = []
        for candidate in ideas:
            if candidate.source not in tried:
                tried.add(candidate.source)
                found.append(candidate)
            if len(found) == self.proposals:
                break
        return found

    def plain(self, context: Context, on_loops: tuple[Step, ...] = ()) -> Program:
        """The plainest program, or the plainest after some steps on the C's loops."""
        key = (tuple(sorted(context.orders.items())), on_loops)
        if key not in self._plain:
            self._plain[key] = plan(self.function, context.orders, on_loops)
        return self._plain[key]

    def ideas(
        self, best: Candidate, outcome: Outcome, context: Context, wishes: Wishes = NO_WISHES
    ) -> Iterator[Candidate]:
        """Candidates one idea away from the best: first those that a person asked for, then those that should move or
        take least, then the most needed."""
        schedule = parse_schedule(best.schedule)
        on_loops, on_kernels = parted(schedule)
        plain = self.plain(context, on_loops)
        base = carried_out(plain, Schedule(on_kernels), context)
        before = _cost(base, context)
        made: list[_Ranked] = []
        on_c = tuple(_loop_ideas(plain, outcome, context, wishes))
        led_on = (more for idea in on_c for more in self._led_on(idea, on_loops, context))
        for idea in _numbered((*_ideas(base, best, outcome, context), *on_c, *led_on), wishes):
            try:
                changed, steps = self._carried(idea, base, schedule, context)
            except (Refused, ValueError):
                continue  # the move does not fit this program
            cost = _cost(changed, context)
            rank = _rank(before / cost)
            if context.fills:
                rank = least_rank(idea.steps, rank, schedule)
            made.append(_Ranked(rank, idea.need, cost, changed, steps, idea.steps, idea.why))
        for steps, why in variants(schedule) if context.fills or wishes.wanted else ():
            new = tuple(step for step in steps.steps if step not in schedule.steps)
            if not context.fills and wishes.weigh(new) <= 0:
                continue
            try:
                loops, kernels = parted(steps)
                changed = carried_out(self.plain(context, loops), Schedule(kernels), context)
            except (Refused, ValueError):
                continue
            cost = _cost(changed, context)
            made.append(_Ranked(_rank(before / cost), 0.0, cost, changed, steps, new, why))
        for each in _in_order(made, context, wishes):
            try:
                yield self.candidate(each.program, each.schedule, context, each.why)
            except ValueError:
                continue

    def _led_on(self, idea: _Idea, on_loops: tuple[Step, ...], context: Context) -> Iterator[_Idea]:
        """A step on the C's loops with the step on a kernel that it opens the way for, the most promising one.

        Alone it may look worse than what it replaces: a product of matrices must be its own nest before it is tiled.
        """
        try:
            program = self.plain(context, (*on_loops, *idea.steps))
        except (Refused, ValueError):
            return
        before = _cost(program, context)
        best: dict[str, tuple[float, tuple[Step, ...], str]] = {}  # of each kernel
        for move, step in options(program, context):
            for more, teaches in (((), ""), *_followed(program, step, context)):
                steps = (step, *more)
                try:
                    gain = before / _cost(carried_out(program, Schedule(steps), context), context)
                except (Refused, ValueError):
                    continue
                if gain > best.get(step.target, (0.0,))[0]:
                    best[step.target] = (gain, steps, f"{step}: {move.teaches} {teaches}".rstrip())
        found = sorted(best.values(), key=lambda each: -each[0])
        if not found or (found[0][0] <= WORTHWHILE if context.fills else _rank(found[0][0]) <= 0):
            return
        yield _Idea((*idea.steps, *found[0][1]), f"{idea.why} {found[0][2]}", idea.need)
        together = [each for each in found if each[0] > WORTHWHILE]
        if context.fills and len(together) > 1:  # a step that makes several kernels opens the way in each of them
            steps = tuple(step for _, own, _ in together for step in own)
            yield _Idea((*idea.steps, *steps), " ".join([idea.why, *(why for _, _, why in together)]), idea.need)

    def _carried(self, idea: _Idea, base: Program, schedule: Schedule, context: Context) -> tuple[Program, Schedule]:
        on_loops, _ = parted(schedule)
        new_loops, new_kernels = parted(Schedule(idea.steps))
        if new_loops:  # the kernels are others then, and start plain again
            loops = (*on_loops, *new_loops)
            program, made = self.plain(context, loops), Schedule((*loops, *new_kernels))
        else:
            program, made = base, schedule.then(*new_kernels)
        for step in new_kernels:
            program = apply(program, step, context)
        return program, made

    def candidate(self, program: Program, schedule: Schedule, context: Context, why: str) -> Candidate:
        title = f"{self.function.name}: translated from C; pointers are device pointers."
        source = write_cuda(program, context.orders, title)
        return Candidate(source, origin=self.name, intention=why, schedule=str(schedule))


def context_of(task: Task) -> Context:
    """What moves may know of a task: how index arrays are ordered, and the sizes that are measured."""
    orders = {a.name: a.values.order for a in task.arguments if a.values is not None and a.values.order != "any"}
    return Context(orders, task.cases[0].size if task.cases else {})


def carried_out(program: Program, schedule: Schedule, context: Context) -> Program:
    """The program after a schedule.

    Raises:
        Refused: a step does not apply.
    """
    for step in schedule.steps:
        program = apply(program, step, context)
    return program


def serial_share(program: Program, context: Context) -> float:
    """Which part of the estimated statements, at the measured sizes, single threads would have to execute."""

    def steps(is_wanted: Callable[[Nest], bool]) -> float:
        body = _statements(program.nodes, is_wanted)
        return estimated_steps(replace(program.function, body=body), context.sizes)

    total = steps(lambda nest: not nest.is_fallback)
    return steps(lambda nest: nest.team == 1 and not nest.loops and not nest.is_fallback) / total if total else 0.0


def _statements(nodes: tuple[Node, ...], is_wanted: Callable[[Nest], bool]) -> tuple[Stmt, ...]:
    """The wanted nests as loops again, in the host loops around them."""
    made: list[Stmt] = []
    for node in nodes:
        match node:
            case Nest() if is_wanted(node):
                body = node.body
                for loop in reversed(node.loops):
                    body = (replace(loop, body=body),)
                made += body
            case HostLoop():
                made.append(replace(node.loop, body=_statements(node.body, is_wanted)))
            case HostIf():
                made += _statements(node.then + node.other, is_wanted)
            case HostScalar():
                made.append(node.statement)
            case _:
                pass
    return tuple(made)


def keep_reason(program: Program) -> str:
    """Why the C stays sequential, in a sentence."""
    reasons = (program.serial_reasons or waits(program.function))[:2]
    if not reasons:
        return "it has no loop whose iterations could run side by side"
    who = "no loop has" if program.is_serial else "the loop that does most of the work does not have"
    return f"{who} iterations that could run side by side: " + "; ".join(reasons)


def _numbered(ideas: Iterable[_Idea], wishes: Wishes) -> Iterator[_Idea]:
    """The ideas, each followed by those that it becomes with a number that a person asked for."""
    for idea in ideas:
        yield idea
        yield from (replace(idea, steps=steps) for steps in wishes.numbered(idea.steps))


def _in_order(made: list[_Ranked], context: Context, wishes: Wishes) -> Iterator[_Ranked]:
    """What a person asked for comes first and what they asked against last, whatever the model says of it."""
    ranked = sorted(made, key=lambda m: (-m.rank, -m.need, m.cost if context.fills else 0.0))
    weights = [wishes.weigh(m.new) for m in ranked]
    for weight in sorted(set(weights), reverse=True):
        alike = [m for m, own in zip(ranked, weights, strict=True) if own == weight]
        yield from spread(alike, lambda m: (m.rank, m.new)) if context.fills else alike


def _cost(program: Program, context: Context) -> float:
    """What ranks a program: modelled time for sizes that fill a device, what it moves otherwise. Never zero."""
    return max(modelled_us(program, context.sizes) if context.fills else estimate(program, context.sizes), 1.0)


def _rank(gain: float) -> float:
    """Gains that the estimate can tell apart: small ones count as none, so that needs decide among them."""
    return round(log2(gain) * 2) / 2 if gain > 0 else -inf


def _ideas(base: Program, best: Candidate, outcome: Outcome, context: Context) -> Iterator[_Idea]:
    structure = outcome.structure
    low = {p.name: p for p in structure.properties} if structure is not None else {}
    owner = _kernel_of_lines(best.source)
    for move, step in options(base, context):
        for name in move.helps:
            found = low.get(name)
            if found is not None and found.score >= GOOD_ENOUGH:
                continue
            need, why = _need(move, step, name, found, owner), _why(move, step, name, found)
            break
        else:
            need, why = 0.0, f"{step}: {move.teaches}"
        yield _Idea((step,), why, need)
        for more, teaches in _followed(base, step, context):
            yield _Idea((step, *more), f"{why} {teaches}", need - 0.001 * len(more))


def _followed(base: Program, step: Step, context: Context) -> Iterator[tuple[tuple[Step, ...], str]]:
    """Further steps on the same kernel that a step opens the way for, with what they teach."""
    followed_by = TIMED_BY if context.fills else FOLLOWED_BY
    if step.move not in followed_by:
        return
    try:
        changed = apply(base, step, context)
    except (Refused, ValueError):
        return
    for move, following in options(changed, context):
        if move.name in followed_by[step.move] and following.target.startswith(step.target):
            yield (following,), f"{following}: {move.teaches}"
            for more, teaches in _followed(changed, following, context):
                yield (following, *more), f"{following}: {move.teaches} {teaches}"


def _loop_ideas(plain: Program, outcome: Outcome, context: Context, wishes: Wishes) -> Iterator[_Idea]:
    """Moves on the C's loops, for the properties that are low; they concern no kernel in particular."""
    structure = outcome.structure
    low = {p.name: p for p in structure.properties} if structure is not None else {}
    for move, step in loop_options(plain.function, analyse(plain.function, context.orders), context.fills):
        lacking = [(1.0 - low[name].score, name) for name in move.helps if name in low]
        need, name = max(lacking, default=(0.0, move.helps[0]))
        if need > 1.0 - GOOD_ENOUGH:
            yield _Idea((step,), f"{name} is {low[name].score:.2f}; {step}: {move.teaches}", 0.5 * need)
        elif context.fills or wishes.weigh((step,)) > 0:
            yield _Idea((step,), f"{step}: {move.teaches}", 0.0)


def _need(move: Move, step: Step, name: str, found: Property | None, owner: dict[int, str]) -> float:
    """How much a property asks for a step: what it lacks, more when its worst line is in the step's kernel."""
    lacks = 1.0 - found.score if found is not None else 0.1
    at_home = found is not None and found.line is not None and owner.get(found.line) == step.target
    first = 1.0 / (1 + move.helps.index(name))
    return lacks * (1.0 if at_home or found is None else 0.5) * first + 0.001 * (
        len(PROPERTIES) - PROPERTIES.index(name)
    )


def _why(move: Move, step: Step, name: str, found: Property | None) -> str:
    if found is None:
        return f"{step}: {move.teaches}"
    where = f" at line {found.line}" if found.line else ""
    return f"{name} is {found.score:.2f}{where}; {step}: {move.teaches}"


def _kernel_of_lines(source: str) -> dict[int, str]:
    """Which kernel each line of a file that we wrote belongs to."""
    owner: dict[int, str] = {}
    kernel = ""
    for number, line in enumerate(source.splitlines(), start=1):
        if line.startswith("__global__ void "):
            kernel = line.removeprefix("__global__ void ").partition("(")[0]
        owner[number] = kernel
        if line == "}":
            kernel = ""
    return owner
