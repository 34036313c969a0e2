"""The loop, the only one: a policy proposes, the bench evaluates, the reward judges, the reflection tells; then again.

`play` is a generator: the caller shows, stores elsewhere or trains on what it yields. Every turn is in the journal
before it is yielded, so a killed process loses nothing and `resume` goes on from the last whole turn.
It builds, measures and stores nothing itself: policy, bench and journal are handed in, and are declared here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from cudaperf_magic.errors import Unsupported, UsageError
from cudaperf_magic.proposals import Done, Keep, Proposal
from cudaperf_magic.records import Candidate, Episode, Hint, Outcome, RewardBreakdown, Task, Turn
from cudaperf_magic.reflection import read_hint, reflect, with_hint
from cudaperf_magic.rewards.preset_files import load_preset
from cudaperf_magic.rewards.presets import Preset
from cudaperf_magic.rewards.score import Group, score

TURNS_USED_UP = "all turns are used up"
INTERRUPTED = "interrupted"
NOTHING_NEW = "no progress: the policy proposes only programs that were tried before"
STALE_TURNS = 2  # turns in a row without one new program, after which the episode ends


class Policy(Protocol):
    """Whoever writes candidates: the search, a language model, a person."""

    @property
    def name(self) -> str: ...

    def propose(self, episode: Episode) -> Proposal:
        """The next candidates for this episode, or Keep, or Done. All that it may know is in the episode."""
        ...


class Bench(Protocol):
    def evaluate(self, task: Task, candidate: Candidate) -> Outcome:
        """How far the candidate comes. Bad candidates are outcomes.

        Raises:
            ToolchainError: the machine is bad. Unsupported: this candidate cannot be judged here.
        """
        ...

    def accept(self, task: Task, candidate: Candidate, outcome: Outcome) -> Outcome:
        """The last look at the candidate that an episode chose, on seeds that none of its turns has met.

        Args:
            outcome: of the candidate, which passed. What is returned may be more than that, or a failure.
        """
        ...


class Journal(Protocol):
    """Where turns are kept. `store.Store` is one on disk."""

    def begin(self, episode: Episode) -> Episode:
        """Keep a new episode; returns it with its identity."""
        ...

    def append(self, identity: str, turn: Turn) -> None:
        """Keep one more turn; it is safe when this returns."""
        ...

    def revise(self, identity: str, number: int, turn: Turn) -> None:
        """Put a turn in the place of the one with this number, counted from 0."""
        ...

    def advise(self, identity: str, hint: Hint) -> None:
        """Keep words of a person, for the turns to come."""
        ...

    def end(self, identity: str, stopped: str, kept: str = "") -> None: ...

    def load(self, identity: str) -> Episode: ...

    def reopen(self, identity: str) -> Episode:
        """The episode so far, live again."""
        ...


def play(
    tasks: Iterable[Task],
    policy: Policy,
    bench: Bench,
    *,
    preset: str = "default",
    turns: int = 6,
    proposals: int = 4,
    journal: Journal | None = None,
    seed: int = 0,
) -> Iterator[Episode]:
    """Give every live episode one more turn, round after round, and yield each episode as its turn ends.

    The last that is yielded of an episode has `stopped` set. An episode ends when its turns are used up, when the
    policy answers Keep or Done or has proposed nothing new for two turns, or when the caller interrupts or closes the
    generator.

    Tasks may repeat: they are rollouts. Where the preset asks how the others of a turn did, their turns are played
    before any of them is rewarded; otherwise none waits for another.

    Args:
        turns: most turns of an episode.
        proposals: most candidates evaluated in a turn; the best by reward is the turn's, the others are `Turn.others`.

    Raises:
        UsageError: no such preset, or no turn to play. Raised at once, not at the first `next`.
        ToolchainError: the machine failed; the episodes stay in the journal as unfinished.
        Unsupported: not one proposal of a turn can be judged on this device; the episodes stay as well.
    """
    if turns < 1 or proposals < 1:
        raise UsageError("an episode needs at least one turn and one proposal a turn")
    episodes = [Episode(task, policy=policy.name, preset=preset, seed=seed) for task in tasks]
    return _Loop(policy, bench, journal, load_preset(preset), turns, proposals).begin(episodes)


def resume(
    identity: str,
    policy: Policy,
    bench: Bench,
    *,
    journal: Journal,
    turns: int = 6,
    proposals: int = 4,
    hint: str = "",
) -> Iterator[Episode]:
    """Go on with an episode of the journal until it has `turns` turns in all; `play` says the rest.

    Args:
        hint: words for whoever proposes; they open the reflection that the next turn reads, and stay in the journal.

    Raises:
        UsageError: there is nothing to go on with, or the hint is too long. StoreError: there is no such episode.
    """
    words = read_hint(hint)
    episode = journal.load(identity)
    if episode.kept:
        raise UsageError(f"episode {identity} was answered with KEEP: {episode.kept}")
    if len(episode.turns) >= turns:
        raise UsageError(f"episode {identity} already has {len(episode.turns)} turns; ask for more with --turns")
    loop = _Loop(policy, bench, journal, load_preset(episode.preset), turns, proposals)
    live = journal.reopen(identity)
    return loop.rounds([_advised(live, words, journal) if words else live])


def _advised(episode: Episode, words: str, journal: Journal) -> Episode:
    """The episode with a person's words, which its last turn's reflection begins with from now on; kept as well."""
    number = len(episode.turns)
    hint = Hint(words, after=number)
    journal.advise(episode.identity, hint)
    turns = episode.turns
    if turns:
        told = replace(turns[-1], reflection=with_hint(turns[-1].reflection, words))
        journal.revise(episode.identity, number - 1, told)
        turns = (*turns[:-1], told)
    return replace(episode, turns=turns, hints=(*episode.hints, hint))


@dataclass(frozen=True)
class _Loop:
    """What stays the same over the rounds."""

    policy: Policy
    bench: Bench
    journal: Journal | None
    preset: Preset
    turns: int
    proposals: int

    def begin(self, episodes: list[Episode]) -> Iterator[Episode]:
        if self.journal:
            episodes = [self.journal.begin(episode) for episode in episodes]
        yield from self.rounds(episodes)

    def rounds(self, episodes: list[Episode]) -> Iterator[Episode]:
        try:
            while any(episode.is_live for episode in episodes):
                for members in self._together(episodes):
                    stepped = {i: self._step(episodes[i]) for i in members}
                    for i, after in stepped.items():
                        others = [other for j, other in stepped.items() if j != i]
                        episodes[i] = self._record(episodes[i], self._in_group(episodes[i], after, others))
                    for i in members:
                        if episodes[i].stopped:
                            episodes[i] = self._accepted(episodes[i], [*episodes[:i], *episodes[i + 1 :]])
                        yield episodes[i]
        except (KeyboardInterrupt, GeneratorExit):
            for episode in episodes:
                if episode.is_live:
                    self._record(episode, episode.stop(INTERRUPTED))
            raise

    def _together(self, episodes: list[Episode]) -> list[list[int]]:
        """Whose next turns are rewarded together, by their places: rollouts of one task where the preset asks."""
        members: dict[str, list[int]] = {}
        for i, episode in enumerate(episodes):
            if episode.is_live:
                members.setdefault(episode.task.key if self.preset.asks_group else str(i), []).append(i)
        return list(members.values())

    def _in_group(self, before: Episode, after: Episode, others: list[Episode]) -> Episode:
        """The same with its new turn rewarded, and reflected on, as one of those of the other rollouts."""
        number = len(before.turns)
        if not others or len(after.turns) == number:
            return after
        turn = after.turns[number]
        reward = self._reward(after.task, number, turn.outcome, others)
        told = replace(turn, reward=reward, reflection=reflect(turn.outcome, reward, before, turn.candidate))
        return replace(after, turns=(*before.turns, told))

    def _reward(self, task: Task, number: int, outcome: Outcome, others: list[Episode]) -> RewardBreakdown:
        """Of the turn with this number, counted from 0, where `others` may be rollouts of the same task."""
        if not self.preset.asks_group:
            return score(outcome, self.preset)
        rollouts = [other for other in others if other.task.key == task.key and number < len(other.turns)]
        are_right = [outcome.ok, *(rollout.turns[number].outcome.ok for rollout in rollouts)]
        return score(outcome, self.preset, group=Group(sum(are_right), len(are_right)))

    def _step(self, episode: Episode) -> Episode:
        proposal = self.policy.propose(episode)
        if isinstance(proposal, Keep):
            return replace(episode, kept=proposal.reason, stopped="the policy keeps the program sequential")
        if isinstance(proposal, Done):
            return episode.stop(proposal.reason)
        episode = episode.then(self._turn(episode, proposal.ranked))
        if len(episode.turns) >= self.turns:
            return episode.stop(TURNS_USED_UP)
        return episode.stop(NOTHING_NEW) if _stale_turns(episode) >= STALE_TURNS else episode

    def _accepted(self, episode: Episode, others: list[Episode]) -> Episode:
        """The ended episode with a last look at its best turn; where that fails, at the next best."""
        while (best := episode.best) is not None:
            try:
                outcome = self.bench.accept(episode.task, best.candidate, best.outcome)
            except Unsupported:
                return episode
            number = next(i for i, turn in enumerate(episode.turns) if turn is best)
            turn = replace(best, outcome=outcome, reward=self._reward(episode.task, number, outcome, others))
            episode = replace(episode, turns=(*episode.turns[:number], turn, *episode.turns[number + 1 :]))
            if self.journal:
                self.journal.revise(episode.identity, number, turn)
            if outcome.ok:
                break
        return episode

    def _turn(self, episode: Episode, ranked: tuple[Candidate, ...]) -> Turn:
        known = _known_outcomes(episode)
        distinct = list({candidate.key: candidate for candidate in reversed(ranked)}.values())[::-1]
        fresh = [candidate for candidate in distinct if candidate.key not in known]
        # A program that was tried before has its outcome already; it is taken again only when nothing is new.
        chosen = (fresh or distinct)[: self.proposals]
        outcomes = self._evaluate(episode.task, chosen, known)
        pairs = list(zip(chosen, outcomes, strict=True))
        judged = [(c, outcome, score(outcome, self.preset)) for c, outcome in pairs if outcome]
        candidate, outcome, reward = max(judged, key=lambda one: one[2].total)
        others = tuple(pair for pair in pairs if pair[0] is not candidate)
        return Turn(candidate, outcome, reward, reflect(outcome, reward, episode, candidate), others)

    def _evaluate(self, task: Task, chosen: list[Candidate], known: dict[str, Outcome]) -> list[Outcome | None]:
        """An outcome for each; None for one that this device cannot judge, which is neither good nor bad.

        Raises:
            Unsupported: it can judge none of them.
        """
        outcomes: list[Outcome | None] = []
        refusal: Unsupported | None = None
        for candidate in chosen:
            try:
                outcomes.append(known.get(candidate.key) or self.bench.evaluate(task, candidate))
            except Unsupported as error:
                outcomes.append(None)
                refusal = error
        if refusal is not None and not any(outcomes):
            raise refusal
        return outcomes

    def _record(self, before: Episode, after: Episode) -> Episode:
        if self.journal:
            for turn in after.turns[len(before.turns) :]:
                self.journal.append(after.identity, turn)
            if after.stopped:
                self.journal.end(after.identity, after.stopped, after.kept)
        return after


def _known_outcomes(episode: Episode) -> dict[str, Outcome]:
    """Every program of the episode that was evaluated, by its key."""
    known: dict[str, Outcome] = {}
    for turn in episode.turns:
        known[turn.candidate.key] = turn.outcome
        known |= {candidate.key: outcome for candidate, outcome in turn.others if outcome}
    return known


def _stale_turns(episode: Episode) -> int:
    """How many turns at the end brought only programs that an earlier turn had."""
    stale = 0
    for position in range(len(episode.turns) - 1, 0, -1):
        earlier = _known_outcomes(replace(episode, turns=episode.turns[:position]))
        if episode.turns[position].candidate.key not in earlier:
            break
        stale += 1
    return stale
