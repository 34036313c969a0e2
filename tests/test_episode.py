"""The loop: who is asked, what is kept, and why it ends."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cudaperf_magic.episode import INTERRUPTED, NOTHING_NEW, TURNS_USED_UP, play, resume
from cudaperf_magic.errors import StoreError, ToolchainError, Unsupported, UsageError
from cudaperf_magic.fakes import BROKEN, SAXPY, WRONG, FakeBench, FakeJournal, FakePolicy, correct
from cudaperf_magic.proposals import Candidates, Done, Keep, Proposal
from cudaperf_magic.records import Candidate, Episode
from cudaperf_magic.store import Store

BENCH = {"broken": BROKEN, "wrong": WRONG, "poor": correct(coalescing=0.1), "good": correct(coalescing=0.9)}


class Watching(FakePolicy):
    """Keeps what it was shown."""

    def __init__(self, script: list[str]) -> None:
        super().__init__(script)
        self.seen: list[Episode] = []

    def propose(self, episode: Episode) -> Proposal:
        self.seen.append(episode)
        return super().propose(episode)


def last(episodes: Iterator[Episode]) -> Episode:
    *_, episode = episodes
    return episode


def test_an_episode_takes_its_turns_in_order_and_ends_with_the_last() -> None:
    seen = list(play([SAXPY], FakePolicy(["broken", "poor", "good"]), FakeBench(BENCH), turns=3))
    assert [len(episode.turns) for episode in seen] == [1, 2, 3]
    assert [episode.stopped for episode in seen] == ["", "", TURNS_USED_UP]
    assert [turn.candidate.source for turn in seen[-1].turns] == ["broken", "poor", "good"]
    assert seen[-1].best is seen[-1].turns[2] and seen[-1].decision == "translate"


def test_every_turn_is_rewarded_and_reflected_on() -> None:
    episode = last(play([SAXPY], FakePolicy(["broken", "poor"]), FakeBench(BENCH)))
    assert episode.turns[0].reward.total < episode.turns[1].reward.total
    assert "blockIndex" in episode.turns[0].reflection and "coalescing" in episode.turns[1].reflection


def test_the_best_proposal_is_the_turn_and_the_others_stand_beside_it() -> None:
    episode = last(play([SAXPY], FakePolicy([("poor", "broken", "good", "wrong")]), FakeBench(BENCH)))
    turn = episode.turns[0]
    assert turn.candidate.source == "good"
    assert [(c.source, o) for c, o in turn.others] == [(s, BENCH[s]) for s in ("poor", "broken", "wrong")]


def test_the_first_of_equal_proposals_is_taken() -> None:
    bench = FakeBench({"a": correct(), "b": correct()})
    assert last(play([SAXPY], FakePolicy([("a", "b")]), bench)).turns[0].candidate.source == "a"


def test_no_more_proposals_are_evaluated_than_were_asked_for() -> None:
    bench = FakeBench(BENCH)
    last(play([SAXPY], FakePolicy([("broken", "wrong", "poor", "good")]), bench, proposals=2))
    assert bench.evaluated == ["broken", "wrong"]


def test_a_program_is_evaluated_once_however_often_it_is_proposed() -> None:
    bench = FakeBench(BENCH)
    episode = last(play([SAXPY], FakePolicy([("poor", "poor", "broken"), ("broken", "good"), "poor"]), bench, turns=3))
    assert bench.evaluated == ["poor", "broken", "good"]
    assert [turn.candidate.source for turn in episode.turns] == ["poor", "good", "poor"]
    assert episode.turns[2].outcome == BENCH["poor"]
    assert "the very program of turn 1" in episode.turns[2].reflection


def test_an_episode_ends_when_nothing_new_is_proposed_twice() -> None:
    class Stubborn:
        name = "stubborn"

        def propose(self, episode: Episode) -> Proposal:
            return Candidates((Candidate("poor"),))

    episode = last(play([SAXPY], Stubborn(), FakeBench(BENCH), turns=6))
    assert episode.stopped == NOTHING_NEW and len(episode.turns) == 3


def test_keep_is_an_answer_with_its_reason() -> None:
    episode = last(play([SAXPY], FakePolicy([Keep("each y[i] needs y[i-1]")]), FakeBench({})))
    assert (episode.decision, episode.kept, episode.turns) == ("keep", "each y[i] needs y[i-1]", ())
    assert episode.stopped


def test_done_ends_the_episode_with_its_reason() -> None:
    episode = last(play([SAXPY], FakePolicy(["poor", Done("no move is left")]), FakeBench(BENCH)))
    assert (episode.stopped, episode.decision, len(episode.turns)) == ("no move is left", "translate", 1)


def test_an_episode_with_no_correct_turn_decides_nothing() -> None:
    assert last(play([SAXPY], FakePolicy(["broken", "wrong"]), FakeBench(BENCH))).decision == "none"


def test_several_tasks_are_played_turn_by_turn_together() -> None:
    tasks = [replace(SAXPY, name=name) for name in ("a", "b")]
    seen = list(play(tasks, FakePolicy(["poor", "good"]), FakeBench(BENCH), turns=2))
    assert [(e.task.name, len(e.turns)) for e in seen] == [("a", 1), ("b", 1), ("a", 2), ("b", 2)]


def test_an_ended_episode_waits_for_nobody() -> None:
    class KeepsOne:
        name = "keeps one"

        def propose(self, episode: Episode) -> Proposal:
            return Keep("no") if episode.task.name == "a" else FakePolicy(["poor", "good"]).propose(episode)

    tasks = [replace(SAXPY, name=name) for name in ("a", "b")]
    seen = list(play(tasks, KeepsOne(), FakeBench(BENCH), turns=2))
    assert [e.task.name for e in seen] == ["a", "b", "b"]


@pytest.mark.parametrize("numbers", [{"turns": 0}, {"proposals": 0}])
def test_a_loop_without_a_turn_is_refused_at_once(numbers: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="at least one"):
        play([SAXPY], FakePolicy([]), FakeBench({}), **numbers)


def test_an_unknown_preset_is_refused_before_anything_runs() -> None:
    bench, journal = FakeBench(BENCH), FakeJournal()
    with pytest.raises(UsageError, match="did you mean"):
        play([SAXPY], FakePolicy(["poor"]), bench, preset="defautl", journal=journal)
    assert bench.evaluated == [] and journal.episodes == {}


def test_each_turn_is_in_the_journal_before_it_is_shown() -> None:
    journal = FakeJournal()
    for episode in play([SAXPY], FakePolicy(["broken", "poor", "good"]), FakeBench(BENCH), turns=3, journal=journal):
        assert journal.load(episode.identity) == episode


def test_a_kept_episode_is_in_the_journal_with_its_reason() -> None:
    journal = FakeJournal()
    episode = last(play([SAXPY], FakePolicy([Keep("carried")]), FakeBench({}), journal=journal))
    assert journal.load(episode.identity).kept == "carried"


@pytest.fixture(params=["memory", "disk"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> FakeJournal | Store:
    return FakeJournal() if request.param == "memory" else Store(tmp_path / "episodes.db")


def interrupted(journal: FakeJournal | Store) -> str:
    """An episode whose second turn was interrupted; returns its identity."""
    episodes = play([SAXPY], FakePolicy(["broken", "stuck"]),
                    FakeBench(BENCH | {"stuck": KeyboardInterrupt()}), journal=journal)
    identity = next(episodes).identity
    with pytest.raises(KeyboardInterrupt):
        next(episodes)
    return identity


def test_an_interrupt_goes_on_to_the_caller_and_leaves_a_resumable_episode(journal: FakeJournal | Store) -> None:
    identity = interrupted(journal)
    assert journal.load(identity).stopped == INTERRUPTED
    seen = list(resume(identity, FakePolicy(["broken", "poor", "good"]), FakeBench(BENCH), journal=journal, turns=3))
    assert [len(episode.turns) for episode in seen] == [2, 3]
    assert journal.load(identity) == seen[-1]
    assert seen[-1].stopped == TURNS_USED_UP


def test_a_caller_that_stops_listening_leaves_a_resumable_episode(journal: FakeJournal | Store) -> None:
    episodes = play([SAXPY], FakePolicy(["broken", "poor"]), FakeBench(BENCH), journal=journal)
    identity = next(episodes).identity
    episodes.close()
    assert journal.load(identity).stopped == INTERRUPTED
    assert len(journal.load(identity).turns) == 1


def test_a_machine_that_fails_is_no_turn_and_leaves_the_episode_unfinished(journal: FakeJournal | Store) -> None:
    bench = FakeBench(BENCH | {"unlucky": ToolchainError("nvrtc is not installed")})
    episodes = play([SAXPY], FakePolicy(["poor", "unlucky"]), bench, journal=journal)
    identity = next(episodes).identity
    with pytest.raises(ToolchainError):
        next(episodes)
    assert len(journal.load(identity).turns) == 1 and journal.load(identity).is_live
    good = FakePolicy(["poor", "good"])
    assert last(resume(identity, good, FakeBench(BENCH), journal=journal)).best is not None


def test_a_proposal_that_the_device_cannot_judge_gets_no_reward_at_all(journal: FakeJournal | Store) -> None:
    bench = FakeBench(BENCH | {"exotic": Unsupported("wgmma", 3)})
    episodes = play([SAXPY], FakePolicy([("exotic", "poor"), "exotic"]), bench, journal=journal)
    turn = next(episodes).turns[0]
    assert turn.candidate.source == "poor"
    assert [(c.source, outcome) for c, outcome in turn.others] == [("exotic", None)]
    with pytest.raises(Unsupported, match="wgmma"):
        next(episodes)


def test_a_resumed_episode_remembers_what_was_tried(journal: FakeJournal | Store) -> None:
    identity = last(play([SAXPY], FakePolicy(["poor"]), FakeBench(BENCH), turns=1, journal=journal)).identity
    bench = FakeBench(BENCH)
    last(resume(identity, FakePolicy(["-", "poor", "good"]), bench, journal=journal, turns=3))
    assert bench.evaluated == ["good"]


def test_a_hint_opens_the_reflection_that_the_next_turn_reads_and_stays_in_the_journal(
    journal: FakeJournal | Store,
) -> None:
    identity = last(play([SAXPY], FakePolicy(["poor"]), FakeBench(BENCH), journal=journal, turns=1)).identity
    before = journal.load(identity).turns[0].reflection
    policy = Watching(["-", "good"])
    bench = FakeBench(BENCH)
    ended = last(resume(identity, policy, bench, journal=journal, turns=2, hint="  try a\ntile "))
    read = policy.seen[0].turns[0].reflection
    assert read.splitlines()[0] == "The person says: try a tile" and before.splitlines()[0] in read
    assert ended.hint == "try a tile" and ended.hints[0].after == 1
    assert journal.load(identity) == ended
    assert ended.turns[1].reflection.startswith("The person says: try a tile\n"), "it holds until another is given"


def test_a_hint_is_kept_where_no_turn_was_played_yet(journal: FakeJournal | Store) -> None:
    identity = journal.begin(Episode(SAXPY)).identity
    policy = Watching(["poor"])
    last(resume(identity, policy, FakeBench(BENCH), journal=journal, turns=1, hint="one block a row"))
    assert policy.seen[0].hint == "one block a row" and journal.load(identity).hints[0].after == 0


def test_a_hint_that_no_reflection_has_room_for_is_refused_before_anything_changes(
    journal: FakeJournal | Store,
) -> None:
    identity = last(play([SAXPY], FakePolicy(["poor"]), FakeBench(BENCH), journal=journal, turns=1)).identity
    with pytest.raises(UsageError, match="at most 400 characters"):
        resume(identity, FakePolicy([]), FakeBench({}), journal=journal, turns=2, hint="tile " * 100)
    assert journal.load(identity).stopped == TURNS_USED_UP


def test_there_must_be_something_to_resume(journal: FakeJournal | Store) -> None:
    kept = last(play([SAXPY], FakePolicy([Keep("carried")]), FakeBench({}), journal=journal)).identity
    full = last(play([SAXPY], FakePolicy(["poor"]), FakeBench(BENCH), turns=1, journal=journal)).identity
    with pytest.raises(UsageError, match="KEEP: carried"):
        resume(kept, FakePolicy([]), FakeBench({}), journal=journal)
    with pytest.raises(UsageError, match="--turns"):
        resume(full, FakePolicy([]), FakeBench({}), journal=journal, turns=1)
    with pytest.raises(StoreError, match="no episode"):
        resume("nobody", FakePolicy([]), FakeBench({}), journal=journal)
    assert journal.load(full).stopped == TURNS_USED_UP  # asking changed nothing


def test_the_same_play_gives_the_same_episode() -> None:
    one, two = (list(play([SAXPY], FakePolicy([("poor", "wrong"), "good"]), FakeBench(BENCH))) for _ in range(2))
    assert one == two


@pytest.mark.parametrize("journal", [FakeJournal(), None], ids=["fake", "store"])
def test_the_chosen_turn_is_looked_at_once_more_and_the_next_best_stands_in_for_it(
    journal: FakeJournal | None, tmp_path: Path
) -> None:
    kept = journal or Store(tmp_path / "episodes.db")
    bench = FakeBench(BENCH, accepted={"good": WRONG})  # lucky on the seeds that all its turns shared
    episode = last(play([SAXPY], FakePolicy(["poor", "good"]), bench, journal=kept))
    assert episode.best is episode.turns[0] and not episode.turns[1].outcome.ok
    assert episode.turns[1].reward.total < episode.turns[0].reward.total
    assert kept.load(episode.identity) == episode


def test_only_the_chosen_turn_is_looked_at_once_more() -> None:
    tidied = replace(BENCH["good"], seconds=7.0)
    bench = FakeBench(BENCH, accepted={"good": tidied, "poor": WRONG})
    episode = last(play([SAXPY], FakePolicy(["poor", "good"]), bench))
    assert [turn.outcome for turn in episode.turns] == [BENCH["poor"], tidied]


def test_a_policy_sees_all_earlier_turns_and_their_reflections() -> None:
    shown: list[Episode] = []

    class Watching:
        name = "watching"
        sources = itertools.cycle(["broken", "poor", "good"])

        def propose(self, episode: Episode) -> Proposal:
            shown.append(episode)
            return Candidates((Candidate(next(self.sources)),))

    last(play([SAXPY], Watching(), FakeBench(BENCH), turns=3))
    assert [len(episode.turns) for episode in shown] == [0, 1, 2]
    assert all(turn.reflection for turn in shown[-1].turns)
    assert shown[-1].policy == "watching"
