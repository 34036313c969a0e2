"""A hint in words: which moves it asks for, and what the search does with it on real functions."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_search import BY_ROWS, DOT, MATMUL, TRANSPOSE, after, first, policy

from cudaperf_magic.compiler.moves.catalogue import MOVES
from cudaperf_magic.compiler.moves.loops import LOOP_MOVES
from cudaperf_magic.compiler.schedule import Step, parse_schedule
from cudaperf_magic.fakes import SAXPY, correct
from cudaperf_magic.policies.wishes import NAMES, WORDS, read_wishes
from cudaperf_magic.proposals import Candidates, Done
from cudaperf_magic.records import Candidate, Case, Episode, Hint, Outcome, Timing

TOTAL = "int total(int n, const int x[n]) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }"
SOFTMAX = """void softmax(int n, int m, const float x[n][m], float y[n][m]) {
    for (int i = 0; i < n; i++) {
        float top = x[i][0], sum = 0;
        for (int j = 1; j < m; j++) if (x[i][j] > top) top = x[i][j];
        for (int j = 0; j < m; j++) sum += x[i][j] - top;
        for (int j = 0; j < m; j++) y[i][j] = (x[i][j] - top) / sum;
    }
}"""


def moves(candidate: Candidate) -> list[str]:
    return [step.move for step in parse_schedule(candidate.schedule).steps]


def proposed(source: str, hint: str, outcome: Outcome) -> tuple[Candidate, ...]:
    """What the search proposes after a plain first turn with this outcome, and a person's hint."""
    task, search = policy(source)
    episode = after(Episode(task), first(task, search), outcome, 1.5)
    answer = search.propose(replace(episode, hints=(Hint(hint, 1),) if hint else ()))
    assert isinstance(answer, Candidates)
    return answer.ranked


LOW = correct(None, coalescing=0.5, intensity=0.5, occupancy=0.5, balance=0.5, synchronisation=0.5)
GOOD = correct(None, coalescing=1.0, intensity=1.0, occupancy=1.0, balance=1.0)


@pytest.mark.parametrize(
    ("hint", "wanted"),
    [
        ("tile in shared memory", "tile"),
        ("try shared memory", "stage"),
        ("please vectorise the loads", "vector"),
        ("float4!", "vector"),
        ("fewer registers", "block"),
        ("unroll by 8", "unroll"),
        ("coarsen: several outputs a thread", "coarsen"),
        ("one block a row", "team"),
        ("a warp per row", "team"),
        ("use warp shuffles", "shuffle"),
        ("avoid the bank conflicts", "pad"),
        ("the accesses are not coalesced", "interchange"),
        ("split-K", "split_k"),
        ("block(matmul_kernel, 256)", "block"),
        ("two pass", "two_pass"),
        ("fuse both loops", "fuse"),
        ("shuffles instead of atomics", "shuffle"),
        ("instead of atomics use shuffles", "shuffle"),
    ],
)
def test_the_fields_words_name_moves(hint: str, wanted: str) -> None:
    assert read_wishes(hint).weigh([Step(wanted, "k")]) > 0


@pytest.mark.parametrize(
    ("hint", "unwanted"),
    [
        ("no tiles", "tile"),
        ("don't unroll, coarsen", "unroll"),
        ("do not use shared memory", "stage"),
        ("shuffles instead of atomics", "atomic_pass"),
        ("instead of atomics use shuffles", "atomic_pass"),
        ("it spills: fewer registers", "coarsen"),
        ("coarsen without tiling", "tile"),
    ],
)
def test_what_a_hint_asks_against_is_left_for_last(hint: str, unwanted: str) -> None:
    assert read_wishes(hint).weigh([Step(unwanted, "k")]) == -1


@pytest.mark.parametrize("hint", ["", "make it faster", "hold on, and carry on with the same block of ideas", "why?"])
def test_words_that_name_no_move_ask_for_none(hint: str) -> None:
    wishes = read_wishes(hint)
    assert not wishes.wanted and not wishes.unwanted


def test_every_move_of_the_catalogue_can_be_asked_for_by_its_name_and_no_other_is_known() -> None:
    known = {*MOVES, *LOOP_MOVES}
    assert set(NAMES) == known and {move for _, named in WORDS for move in named} <= known
    for move in known:
        assert read_wishes(f"{move}(f_kernel, 4)").weigh([Step(move, "f_kernel")]) > 0, move


@pytest.mark.parametrize(
    ("source", "hint", "move"),
    [
        (MATMUL, "tile in shared memory", "tile"),
        (MATMUL, "coarsen", "coarsen"),
        (MATMUL, "unroll the inner loop", "unroll"),
        (SAXPY.source, "vectorise", "vector"),
        (TRANSPOSE, "stage it in shared memory", "stage"),
        (TOTAL, "one pass with atomics", "atomic_pass"),
        (DOT, "two passes of 64 blocks", "two_pass"),
        (SOFTMAX, "one block a row", "team"),
        (SOFTMAX, "other block sizes", "block"),
        (BY_ROWS, "distribute the loops", "distribute"),
    ],
)
@pytest.mark.parametrize("outcome", [LOW, GOOD], ids=["all is low", "nothing is low"])
def test_the_search_tries_first_what_a_person_asks_for(source: str, hint: str, move: str, outcome: Outcome) -> None:
    best, *_ = proposed(source, hint, outcome)
    assert move in moves(best), best.schedule


def test_a_number_in_a_hint_chooses_among_the_ways_to_do_a_move() -> None:
    for hint, move, number in (("unroll 8", "unroll", 8), ("unroll by 2", "unroll", 2), ("tiles of 8", "tile", 8)):
        best, *_ = proposed(MATMUL, hint, LOW)
        assert any(step.move == move and number in step.values for step in parse_schedule(best.schedule).steps), hint
    assert moves(proposed(MATMUL, "unroll 7000000", LOW)[0])[-1] == "unroll"  # as if no number were said


def test_the_search_tries_last_what_a_person_asks_against() -> None:
    assert any("tile" in moves(candidate) for candidate in proposed(MATMUL, "", LOW))
    assert not any("tile" in moves(candidate) for candidate in proposed(MATMUL, "no tiling", LOW))


def test_a_hint_counts_where_candidates_are_timed_as_well() -> None:
    case = Case((("n", 2048), ("m", 2048), ("p", 2048)))
    timed = replace(LOW, timing=Timing((100.0,), floor_us=10.0, case=case), structure=LOW.structure)
    assert all("coarsen" in moves(candidate) for candidate in proposed(MATMUL, "coarsen", timed)[:2])


@given(st.text(alphabet=st.characters(codec="ascii", exclude_categories=["N"]), max_size=40))
def test_no_words_break_the_reading_of_a_hint(hint: str) -> None:
    wishes = read_wishes(hint)
    assert not wishes.wanted & wishes.unwanted


@pytest.mark.parametrize("source", [MATMUL, DOT, TRANSPOSE])
def test_words_that_name_no_move_change_no_proposal(source: str) -> None:
    assert proposed(source, "think harder about it", LOW) == proposed(source, "", LOW)


def tiled_turn(hint: str) -> tuple[Candidate, ...]:
    """What is proposed after a plain turn, a tiled one that is better, and a hint."""
    task, search = policy(MATMUL)
    episode = after(Episode(task), first(task, search), LOW, 1.0)
    tiled = next(c for c in proposed(MATMUL, "tile", LOW) if moves(c) == ["tile"])
    episode = replace(after(episode, tiled, LOW, 2.0), hints=(Hint(hint, 2),))
    answer = search.propose(episode)
    assert isinstance(answer, Candidates)
    return answer.ranked


def test_a_hint_against_a_move_goes_back_to_the_best_program_without_it() -> None:
    assert all("tile" in moves(candidate) for candidate in tiled_turn(""))
    assert not any("tile" in moves(candidate) for candidate in tiled_turn("without tiles"))


def test_a_hint_for_a_move_that_was_made_tries_other_numbers_of_it() -> None:
    best, *_ = tiled_turn("tiles of 8")
    assert parse_schedule(best.schedule).steps[0].values[-1] == 8


def test_a_hint_that_nothing_untried_fits_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    task, search = policy(MATMUL)
    episode = after(Episode(task), first(task, search), LOW, 1.0)
    monkeypatch.setattr(type(search), "ideas", lambda *_: iter(()))
    for hints, is_told in (((), False), ((Hint("unroll by 8", 1),), True)):
        answer = search.propose(replace(episode, hints=hints))
        assert isinstance(answer, Done) and ("the hint was read" in answer.reason) == is_told
