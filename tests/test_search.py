"""The embedded policy: what it proposes, in which order, and that an episode alone tells it where it is."""

from __future__ import annotations

from cudaperf_magic.compiler.cuda_writer import write_cuda
from cudaperf_magic.compiler.moves.loops import parted
from cudaperf_magic.compiler.schedule import Schedule, Step, parse_schedule
from cudaperf_magic.fakes import BROKEN, correct
from cudaperf_magic.policies.estimate import estimate
from cudaperf_magic.policies.search import SearchPolicy, carried_out, context_of
from cudaperf_magic.proposals import Candidates, Done, Keep
from cudaperf_magic.records import Candidate, Episode, Outcome, RewardBreakdown, RewardTerm, Task, Turn
from cudaperf_magic.tasks.c import read_task

MATMUL = """void matmul(int n, int m, int p, const float A[n][p], const float B[p][m], float C[n][m]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float sum = 0;
            for (int k = 0; k < p; k++) sum += A[i][k] * B[k][j];
            C[i][j] = sum;
        }
}"""
TRANSPOSE = """void transpose(int n, int m, const float a[n][m], float b[m][n]) {
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[j][i] = a[i][j];
}"""
BY_ROWS = """void by_rows(int n, int m, int p, const float A[n][p], const float B[p][m], float C[n][m]) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) C[i][j] = 0;
        for (int k = 0; k < p; k++)
            for (int j = 0; j < m; j++) C[i][j] += A[i][k] * B[k][j];
    }
}"""
DOT = """float dot(int n, const float x[n], const float y[n]) {
    float s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s;
}"""
LOGISTIC = "void f(int n, float x[n]) { for (int i = 1; i < n; i++) x[i] = 3.7f * x[i - 1] * (1 - x[i - 1]); }"


def policy(source: str) -> tuple[Task, SearchPolicy]:
    task, function = read_task(source)
    return task, SearchPolicy(function)


def after(episode: Episode, candidate: Candidate, outcome: Outcome, reward: float) -> Episode:
    breakdown = RewardBreakdown("default", (RewardTerm("verdict", reward, 1.0, ""),))
    return episode.then(Turn(candidate, outcome, breakdown, ""))


def first(task: Task, search: SearchPolicy) -> Candidate:
    answer = search.propose(Episode(task))
    assert isinstance(answer, Candidates)
    return answer.ranked[0]


def second(source: str, **scores: float) -> tuple[Candidate, ...]:
    task, search = policy(source)
    episode = after(Episode(task), first(task, search), correct(None, **scores), 1.5)
    answer = search.propose(episode)
    assert isinstance(answer, Candidates)
    return answer.ranked


def test_the_first_turn_is_the_plainest_kernel_alone() -> None:
    task, search = policy(MATMUL)
    answer = search.propose(Episode(task))
    assert isinstance(answer, Candidates) and len(answer.ranked) == 1
    assert answer.ranked[0].schedule == "" and "__shared__" not in answer.ranked[0].source


def test_a_low_intensity_is_answered_with_tiles() -> None:
    assert any("tile(matmul_kernel, k, " in candidate.schedule for candidate in second(MATMUL, intensity=0.03))


def test_a_column_walk_is_answered_with_a_staged_transpose() -> None:
    assert any("stage(transpose_kernel" in candidate.schedule for candidate in second(TRANSPOSE, coalescing=0.4))


def test_one_busy_block_is_answered_with_many() -> None:
    assert second(DOT, balance=0.01)[0].schedule == "two_pass(dot_kernel, 128)"


def test_every_candidate_says_why_and_its_schedule_writes_it_again() -> None:
    task, search = policy(MATMUL)
    context = context_of(task)
    for candidate in second(MATMUL, intensity=0.03):
        assert candidate.intention
        program = carried_out(search.plain(context), parse_schedule(candidate.schedule), context)
        assert candidate.source.endswith(write_cuda(program, context.orders))


def test_a_step_on_the_c_is_tried_with_the_move_that_it_opens_the_way_for() -> None:
    task, search = policy(BY_ROWS)
    candidates = second(BY_ROWS, intensity=0.01, coalescing=0.1)
    moves = [tuple(step.move for step in parse_schedule(c.schedule).steps) for c in candidates]
    assert ("distribute", "tile") in [m[:2] for m in moves], moves
    for candidate in candidates:
        on_loops, on_kernels = parted(parse_schedule(candidate.schedule))
        context = context_of(task)
        again = carried_out(search.plain(context, on_loops), Schedule(on_kernels), context)
        assert write_cuda(again, context.orders) in candidate.source


def test_no_program_is_proposed_twice() -> None:
    task, search = policy(DOT)
    episode = Episode(task)
    seen: set[str] = set()
    answer = search.propose(episode)
    while isinstance(answer, Candidates):
        sources = {candidate.source for candidate in answer.ranked}
        assert not sources & seen and len(sources) == len(answer.ranked)
        seen |= sources
        best, *others = answer.ranked
        turn = Turn(best, correct(None, balance=0.5), RewardBreakdown("default", ()), "")
        episode = episode.then(Turn(best, turn.outcome, turn.reward, "", tuple((other, None) for other in others)))
        answer = search.propose(episode)
    assert isinstance(answer, Done) and len(seen) > 4


def test_the_search_goes_on_from_the_best_turn_not_from_the_last() -> None:
    task, search = policy(MATMUL)
    plain = first(task, search)
    context = context_of(task)
    tiled_steps = Schedule((Step("tile", "matmul_kernel", ("k", 16)),))
    tiled = search.candidate(carried_out(search.plain(context), tiled_steps, context), tiled_steps, context, "tiles")
    episode = after(Episode(task), tiled, correct(None, intensity=0.2), 2.0)
    episode = after(episode, plain, correct(None, intensity=0.03), 1.0)
    answer = search.propose(episode)
    assert isinstance(answer, Candidates)
    assert all(candidate.schedule.startswith("tile(matmul_kernel, k, 16)") for candidate in answer.ranked)


def test_a_chain_of_dependent_steps_is_kept_with_its_line() -> None:
    task, search = policy(LOGISTIC)
    answer = search.propose(Episode(task))
    assert isinstance(answer, Keep) and "line 1" in answer.reason


def test_with_no_correct_turn_there_is_nothing_to_start_from() -> None:
    task, search = policy(DOT)
    answer = search.propose(after(Episode(task), first(task, search), BROKEN, -1.0))
    assert isinstance(answer, Done)


def test_the_estimate_prefers_tiles_over_the_plain_product_and_many_blocks_over_one() -> None:
    for source, steps in (
        (MATMUL, (Step("tile", "matmul_kernel", ("k", 16)),)),
        (DOT, (Step("two_pass", "dot_kernel", (128,)),)),
    ):
        task, search = policy(source)
        context = context_of(task)
        plain = search.plain(context)
        assert estimate(carried_out(plain, Schedule(steps), context), context.sizes) < estimate(plain, context.sizes)
