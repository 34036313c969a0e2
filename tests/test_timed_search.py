"""The search where candidates are timed: it follows the fastest, tries other numbers, and stops at the floor."""

from __future__ import annotations

from math import inf

import pytest

from cudaperf_magic.compiler.schedule import Schedule, Step, parse_schedule
from cudaperf_magic.policies.search import SearchPolicy, carried_out, context_of
from cudaperf_magic.policies.time_model import modelled_us
from cudaperf_magic.policies.timed import closeness, fastest, least_rank, spread, variants
from cudaperf_magic.proposals import Candidates, Done
from cudaperf_magic.records import (
    Build,
    Candidate,
    Case,
    Episode,
    Outcome,
    RewardBreakdown,
    RewardTerm,
    Task,
    Timing,
    Turn,
    Verdict,
)
from cudaperf_magic.tasks.c import read_task

MATMUL = """void matmul(int n, int m, int p, const float A[n][p], const float B[p][m], float C[n][m]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float sum = 0;
            for (int k = 0; k < p; k++) sum += A[i][k] * B[k][j];
            C[i][j] = sum;
        }
}"""
DOT = """float dot(int n, const float x[n], const float y[n]) {
    float s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s;
}"""
AXPY = "void axpy(int n, float a, const float x[n], float y[n]) { for (int i = 0; i < n; i++) y[i] += a * x[i]; }"
LU = """void lu(int n, double a[n][n]) {
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++) a[i][k] /= a[k][k];
        for (int i = k + 1; i < n; i++) for (int j = k + 1; j < n; j++) a[i][j] -= a[i][k] * a[k][j];
    }
}"""
LARGE = {"matmul": {"n": 4096, "m": 4096, "p": 4096}, "dot": {"n": 1 << 25}, "axpy": {"n": 1 << 25}, "lu": {"n": 2048}}


def timed(task: Task, us: float, floor_us: float | None = None) -> Outcome:
    case = Case(tuple(LARGE[task.entry].items()))
    timing = Timing((us,), floor_us=floor_us, floor_by="memory bandwidth", case=case)
    return Outcome(Build(True), Verdict("pass", ""), timing)


def turn(
    candidate: Candidate, outcome: Outcome, *others: tuple[Candidate, Outcome | None], reward: float = 1.0
) -> Turn:
    return Turn(candidate, outcome, RewardBreakdown("default", (RewardTerm("verdict", reward, 1.0, ""),)), "", others)


def after_the_plain_one(source: str, us: float = 1000.0, floor_us: float | None = None) -> tuple[SearchPolicy, Episode]:
    task, function = read_task(source)
    search = SearchPolicy(function)
    plain = search.propose(Episode(task))
    assert isinstance(plain, Candidates)
    return search, Episode(task).then(turn(plain.ranked[0], timed(task, us, floor_us)))


def proposed(source: str) -> list[str]:
    search, episode = after_the_plain_one(source)
    answer = search.propose(episode)
    assert isinstance(answer, Candidates)
    return [candidate.schedule for candidate in answer.ranked]


def test_a_timed_sum_is_shared_by_as_many_blocks_as_a_large_gpu_holds() -> None:
    assert proposed(DOT)[0].startswith("two_pass(dot_kernel, 1024)")


def test_a_timed_product_gets_large_register_tiles_at_once() -> None:
    assert "tile(matmul_kernel, k, 16)\ncoarsen(matmul_kernel, 8, 8)" in proposed(MATMUL)


def test_a_timed_map_is_given_more_bytes_under_way() -> None:
    assert proposed(AXPY)[0] == "vector(axpy_kernel, 4)"


def test_a_timed_elimination_is_given_panels() -> None:
    assert any(schedule.startswith("panel(k, 32)") for schedule in proposed(LU))


def test_within_a_tenth_of_the_floor_the_search_is_done() -> None:
    search, episode = after_the_plain_one(AXPY, us=105.0, floor_us=100.0)
    answer = search.propose(episode)
    assert isinstance(answer, Done) and "memory bandwidth" in answer.reason
    search, episode = after_the_plain_one(AXPY, us=120.0, floor_us=100.0)
    assert isinstance(search.propose(episode), Candidates)


def test_the_search_goes_on_from_the_fastest_even_when_it_was_not_taken() -> None:
    search, episode = after_the_plain_one(DOT)
    answer = search.propose(episode)
    assert isinstance(answer, Candidates)
    quick, slow, *_ = answer.ranked
    episode = episode.then(turn(slow, timed(episode.task, 500.0), (quick, timed(episode.task, 100.0)), reward=9.0))
    following = search.propose(episode)
    assert isinstance(following, Candidates)
    head = parse_schedule(quick.schedule).steps[0]
    assert all(parse_schedule(c.schedule).steps[0].move == head.move for c in following.ranked[:2])


def test_without_times_nothing_is_fastest_and_nothing_is_close() -> None:
    task, _ = read_task(AXPY)
    outcome = Outcome(Build(True), Verdict("pass", ""))
    assert fastest(Episode(task, (turn(Candidate("x"), outcome),))) is None
    assert closeness(outcome) == ""


def test_other_numbers_are_tried_in_every_step_and_never_the_same_ones() -> None:
    schedule = parse_schedule("tile(f_kernel, k, 16)\ncoarsen(f_kernel, 4, 4)\nrestrict(f_kernel)")
    made = [str(other) for other, _ in variants(schedule)]
    assert "tile(f_kernel, k, 8)\ncoarsen(f_kernel, 4, 4)\nrestrict(f_kernel)" in made
    assert "tile(f_kernel, k, 16)\ncoarsen(f_kernel, 8, 8)\nrestrict(f_kernel)" in made
    assert str(schedule) not in made and len(set(made)) == len(made)


def test_each_moves_best_comes_before_the_second_best_of_any() -> None:
    ideas = [("a1", 2.0, "block"), ("a2", 2.0, "block"), ("b1", 1.0, "vector"), ("c1", -4.0, "one_block")]
    steps = {name: (Step(move, "k"),) for name, _, move in ideas}
    ordered = list(spread(ideas, lambda idea: (idea[1], steps[idea[0]])))
    assert [idea[0] for idea in ordered] == ["a1", "b1", "a2", "c1"]


def test_a_move_that_the_model_does_not_see_has_a_rank_of_its_own() -> None:
    panel = Step("panel", "k", (32,))
    assert least_rank((panel,), -3.0, Schedule()) > 0
    assert least_rank((panel,), -3.0, Schedule((panel,))) == -3.0
    assert least_rank((Step("block", "k", (128,)),), -3.0, Schedule()) == -3.0
    assert least_rank((), -inf, Schedule()) == -inf


@pytest.mark.parametrize(
    ("source", "schedule"),
    [
        (DOT, "two_pass(dot_kernel, 1024)"),
        (AXPY, "vector(axpy_kernel, 4)"),
        (MATMUL, "tile(matmul_kernel, k, 16)"),
        (MATMUL, "tile(matmul_kernel, k, 16)\ncoarsen(matmul_kernel, 8, 8)"),
    ],
)
def test_the_model_of_time_prefers_what_is_faster_on_a_device(source: str, schedule: str) -> None:
    task, function = read_task(source)
    search = SearchPolicy(function)
    context = context_of(task)
    plain = search.plain(context)
    steps = parse_schedule(schedule).steps
    before = modelled_us(carried_out(plain, Schedule(steps[:-1]), context), LARGE[task.entry])
    after = modelled_us(carried_out(plain, Schedule(steps), context), LARGE[task.entry])
    assert after < 0.8 * before


def test_the_model_of_time_is_near_what_a_copy_takes() -> None:
    task, function = read_task(AXPY)
    search = SearchPolicy(function)
    context = context_of(task)
    quick = carried_out(search.plain(context), parse_schedule("vector(axpy_kernel, 4)"), context)
    moved_us = 3 * 4 * LARGE["axpy"]["n"] / 4.2e6
    assert modelled_us(quick, LARGE["axpy"]) == pytest.approx(moved_us, rel=0.2)
