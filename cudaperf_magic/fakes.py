"""Stand-ins for the loop's seams, for tests and for building a view: a bench, a policy and a journal in memory.

They build, measure and write nothing. The outcomes that they hand out are ordinary records: all that follows is real.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cudaperf_magic.errors import StoreError
from cudaperf_magic.proposals import Candidates, Done, Keep, Proposal
from cudaperf_magic.records import (
    Argument,
    Build,
    Candidate,
    Case,
    Episode,
    Fault,
    Hint,
    Outcome,
    Property,
    Structure,
    Task,
    Timing,
    Turn,
    Verdict,
)

CASE = Case((("n", 33),))
SAXPY = Task(
    name="saxpy",
    language="c",
    source="void saxpy(int n, float a, const float x[n], float y[n]) {\n"
    "    for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];\n}\n",
    entry="saxpy",
    arguments=(
        Argument("n", "int", "int32"),
        Argument("a", "float", "float32"),
        Argument("x", "float", "float32", ("n",), is_pointer=True),
        Argument("y", "float", "float32", ("n",), role="inout", is_pointer=True),
    ),
    cases=(CASE, Case((("n", 1),))),
)
BROKEN = Outcome(Build(ok=False, log='kernel.cu(2): error: identifier "blockIndex" is undefined'))
WRONG = Outcome(
    Build(ok=True, arch="sm_90"),
    Verdict("mismatch", f"y[32] is 0, expected 1.5 ({CASE})", failing_case=CASE, cases_passed=1, cases_total=2),
)
RACY = Outcome(
    Build(ok=True, arch="sm_90"),
    Verdict(
        "fault",
        "two threads touch the same word of shared memory without a barrier between",
        failing_case=CASE,
        faults=(Fault("shared_race", "thread 1 reads s[0] while thread 0 writes it", line=7, other_line=6),),
        cases_total=2,
    ),
)


def correct(speedup: float | None = None, **scores: float) -> Outcome:
    """An outcome that passed, with a timing when a speedup is given and the structural scores named."""
    found = tuple(
        Property(name, value, value, "ratio", "simulator", f"{name} is {value:.2f}", f"mend {name}", line=3)
        for name, value in scores.items()
    )
    return Outcome(
        Build(ok=True, arch="sm_90"),
        Verdict("pass", "all cases agree", cases_passed=2, cases_total=2, is_deterministic=True),
        timing=Timing((10.0,), "eager", (10.0 * speedup,)) if speedup is not None else None,
        structure=Structure(found, launches=1, case=CASE) if scores else None,
    )


class FakeBench:
    """Answers each source with the outcome given for it; an exception given as an outcome is raised.

    `accepted` has other outcomes for the last look at a source.
    """

    def __init__(
        self, outcomes: Mapping[str, Outcome | BaseException], accepted: Mapping[str, Outcome] | None = None
    ) -> None:
        self.outcomes = outcomes
        self.accepted = accepted or {}
        self.evaluated: list[str] = []

    def evaluate(self, task: Task, candidate: Candidate) -> Outcome:
        self.evaluated.append(candidate.source)
        outcome = self.outcomes[candidate.source]
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def accept(self, task: Task, candidate: Candidate, outcome: Outcome) -> Outcome:
        return self.accepted.get(candidate.source, outcome)


class FakePolicy:
    """Proposes by a script, one entry a turn: a source, several sources, or a whole Proposal. Then Done."""

    name = "fake"

    def __init__(self, script: Sequence[str | tuple[str, ...] | Proposal]) -> None:
        self.script = script

    def propose(self, episode: Episode) -> Proposal:
        if len(episode.turns) >= len(self.script):
            return Done("the script has ended")
        entry = self.script[len(episode.turns)]
        if isinstance(entry, (Candidates, Keep, Done)):
            return entry
        sources = (entry,) if isinstance(entry, str) else entry
        return Candidates(tuple(Candidate(source, origin="fake", intention=f"try {source}") for source in sources))


class FakeJournal:
    """A journal in memory."""

    def __init__(self) -> None:
        self.episodes: dict[str, Episode] = {}

    def begin(self, episode: Episode) -> Episode:
        identity = f"{episode.task.name}-{len(self.episodes) + 1}"
        self.episodes[identity] = replace(episode, identity=identity)
        return self.episodes[identity]

    def append(self, identity: str, turn: Turn) -> None:
        self.episodes[identity] = self._get(identity).then(turn)

    def revise(self, identity: str, number: int, turn: Turn) -> None:
        turns = list(self._get(identity).turns)
        turns[number] = turn
        self.episodes[identity] = replace(self._get(identity), turns=tuple(turns))

    def advise(self, identity: str, hint: Hint) -> None:
        episode = self._get(identity)
        self.episodes[identity] = replace(episode, hints=(*episode.hints, hint))

    def end(self, identity: str, stopped: str, kept: str = "") -> None:
        self.episodes[identity] = replace(self._get(identity), stopped=stopped, kept=kept)

    def load(self, identity: str) -> Episode:
        return self._get(identity)

    def reopen(self, identity: str) -> Episode:
        self.episodes[identity] = replace(self._get(identity), stopped="")
        return self.episodes[identity]

    def _get(self, identity: str) -> Episode:
        if identity not in self.episodes:
            raise StoreError(f"there is no episode {identity}")
        return self.episodes[identity]
