"""The bench on real kernels: each stage, in order, and what ends it. On the simulator."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from cudaperf_magic.bench import sandbox
from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.bench.settle import settled
from cudaperf_magic.episode import play, resume
from cudaperf_magic.errors import ToolchainError, UsageError
from cudaperf_magic.fakes import FakePolicy
from cudaperf_magic.records import Candidate, Episode, Outcome, Property, Task
from cudaperf_magic.records_json import dumps, loads
from cudaperf_magic.reflection import reflect
from cudaperf_magic.rewards import score
from cudaperf_magic.store import Store
from cudaperf_magic.tasks.c import read_task

KERNELS = Path(__file__).parent / "kernels" / "bench"
SOURCES = {
    "saxpy": "void saxpy(int n, float a, const float x[n], float y[n]) {\n"
    "    for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];\n}\n",
    "transpose": "void transpose(int n, int m, const float a[n][m], float b[m][n]) {\n"
    "    for (int i = 0; i < n; i++)\n        for (int j = 0; j < m; j++) b[j][i] = a[i][j];\n}\n",
    "sum": "int sum(int n, const int x[n]) {\n    int s = 0;\n    for (int i = 0; i < n; i++) s += x[i];\n"
    "    return s;\n}\n",
}


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory):
    """One cache for the module: cold at first, so that nothing depends on what this machine has cached."""
    with pytest.MonkeyPatch.context() as patch:
        sandbox.stop()  # its children have the environment that it began with
        patch.setenv("CUDAPERF_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
        sandbox.stop()


@pytest.fixture(scope="module")
def tasks() -> dict[str, Task]:
    sizes = {"saxpy": {"n": "5000"}, "sum": {"n": "5000"}, "transpose": {"n": "256", "m": "192"}}
    return {name: settled(*read_task(source, sizes=sizes[name])) for name, source in SOURCES.items()}


@pytest.fixture(scope="module")
def bench():
    with Bench("simulator") as made:
        yield made


@pytest.fixture
def evaluate(bench: Bench, tasks: dict[str, Task]):
    def run(kernel: str) -> Outcome:
        return bench.evaluate(tasks[kernel.split("_")[0]], Candidate((KERNELS / f"{kernel}.cu").read_text()))

    return run


def prop(outcome: Outcome, name: str) -> Property:
    assert outcome.structure is not None, outcome.verdict or outcome.build.log
    found = outcome.structure.get(name)
    assert found is not None, name
    return found


def test_a_correct_kernel_reaches_the_end_with_everything_measured(evaluate) -> None:
    outcome = evaluate("saxpy_good")
    assert outcome.stage == "measure" and outcome.verdict.status == "pass"
    assert outcome.verdict.cases_passed == outcome.verdict.cases_total > 5
    assert outcome.build.kernels[0].registers > 0 and outcome.seconds > 0
    assert {p.name for p in outcome.structure.properties} == {
        "coalescing", "occupancy", "intensity", "divergence", "balance"
    }
    assert prop(outcome, "coalescing").score == 1.0 and prop(outcome, "intensity").score == 1.0
    assert prop(outcome, "occupancy").score == 1.0
    assert outcome.structure.launches == 1 and outcome.structure.case.size["n"] == 5000
    assert any(line.line == 4 and line.sectors for line in outcome.structure.lines)
    assert outcome.device == "simulator" and outcome.timing is None and outcome.speedup is None


def test_a_kernel_that_does_not_compile_ends_at_the_build_with_its_line(evaluate) -> None:
    outcome = evaluate("saxpy_undefined_name")
    assert outcome.stage == "build" and outcome.verdict is None
    assert 'kernel.cu(4): error: identifier "z" is undefined' in outcome.build.log


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        ("saxpy_no_host_function", "no host function named saxpy"),
        ("saxpy_block_too_large", "kernel.cu(8): error: "),
        ("saxpy_host_reads_device", "kernel.cu(8): error: "),
    ],
)
def test_a_host_function_that_cannot_be_followed_ends_at_the_build(evaluate, kernel: str, words: str) -> None:
    outcome = evaluate(kernel)
    assert outcome.stage == "build" and words in outcome.build.log


def test_a_wrong_number_ends_at_the_verdict_with_the_first_wrong_element(evaluate) -> None:
    outcome = evaluate("saxpy_wrong_sign")
    assert outcome.verdict.status == "mismatch" and outcome.structure is None
    assert "expected" in outcome.verdict.reason and "y" in outcome.verdict.reason


def test_an_access_past_the_end_is_a_fault_with_its_line(evaluate) -> None:
    outcome = evaluate("saxpy_one_too_far")
    assert outcome.verdict.status == "fault"
    assert outcome.verdict.faults[0].kind == "out_of_bounds" and outcome.verdict.faults[0].line == 4


def test_a_missing_barrier_is_a_race_with_both_lines(evaluate) -> None:
    fault = evaluate("transpose_tiled_no_barrier").verdict.faults[0]
    assert fault.kind == "shared_race" and {fault.line, fault.other_line} == {10, 15}


def test_an_endless_kernel_ends_as_a_value(evaluate) -> None:
    outcome = evaluate("saxpy_endless")
    assert outcome.verdict.status == "timeout" and outcome.stage == "verify"


def test_every_template_that_some_size_launches_is_built(evaluate) -> None:
    outcome = evaluate("saxpy_by_template")
    assert outcome.ok, outcome.verdict
    assert len(outcome.build.kernels) == 2


def test_workspace_is_counted_as_memory(evaluate) -> None:
    plain, copying = evaluate("saxpy_good"), evaluate("saxpy_with_workspace")
    assert plain.memory.candidate_bytes == plain.memory.reference_bytes == 2 * 4 * 5000
    assert copying.ok and copying.memory.candidate_bytes == 3 * 4 * 5000
    assert score(copying).total < score(plain).total


def test_a_transpose_through_a_tile_beats_the_naive_one_where_it_should(evaluate) -> None:
    naive, tiled = evaluate("transpose_naive"), evaluate("transpose_tiled")
    # Reads ask for 4 sectors where 4 would do, writes for 32 where 4 would.
    assert prop(naive, "coalescing").score == pytest.approx(8 / 36)
    assert prop(naive, "coalescing").line == 6
    assert prop(naive, "coalescing").reason == "line 6 asks for 18 sectors a request where 4 would do"
    assert prop(tiled, "coalescing").score == 1.0 and prop(tiled, "shared").score == 1.0
    assert score(tiled).total > score(naive).total + 0.1
    assert "What limits it most is coalescing" in reflect(naive, score(naive))


def test_an_unpadded_tile_meets_bank_conflicts(evaluate) -> None:
    found = prop(evaluate("transpose_tiled_unpadded"), "shared")
    assert found.line == 16 and "needs 32 shared-memory wavefronts where 1 would do" in found.reason


def test_atomics_on_one_word_are_lost_to_synchronisation(evaluate) -> None:
    atomics, shuffles = (prop(evaluate(f"sum_by_{how}"), "synchronisation") for how in ("atomics", "shuffles"))
    assert atomics.line == 4 and "atomics" in atomics.reason
    assert shuffles.score > atomics.score + 0.1


def test_the_same_candidate_gets_the_same_structure_and_reward(evaluate) -> None:
    one, two = evaluate("transpose_naive"), evaluate("transpose_naive")
    assert one.structure == two.structure and score(one) == score(two)


def test_real_outcomes_survive_as_json(evaluate) -> None:
    for kernel in ("saxpy_good", "saxpy_undefined_name", "saxpy_one_too_far", "transpose_tiled"):
        outcome = evaluate(kernel)
        assert loads(Outcome, dumps(outcome)) == outcome


def test_nothing_that_a_policy_reads_tells_a_hidden_case(evaluate, tasks: dict[str, Task]) -> None:
    for kernel in ("saxpy_wrong_sign", "saxpy_one_too_far", "saxpy_endless", "transpose_tiled_no_barrier"):
        outcome = evaluate(kernel)
        words = reflect(outcome, score(outcome), Episode(tasks[kernel.split("_")[0]]))
        assert not [secret for secret in ("seed", "tolerance", "x100", "hidden") if secret in words]


def test_an_episode_on_the_real_bench_is_kept_turn_by_turn(bench: Bench, tasks, tmp_path: Path) -> None:
    script = [(KERNELS / f"saxpy_{name}.cu").read_text() for name in ("undefined_name", "wrong_sign", "good")]
    store = Store(tmp_path / "episodes.db")
    *_, episode = play([tasks["saxpy"]], FakePolicy(script), bench, turns=3, journal=store)
    assert [turn.outcome.stage for turn in episode.turns] == ["build", "verify", "measure"]
    assert store.load(episode.identity) == episode
    totals = [turn.reward.total for turn in episode.turns]
    assert totals == sorted(totals) and episode.best is episode.turns[2]


def test_a_closed_bench_leaves_no_process_behind(tasks: dict[str, Task]) -> None:
    with Bench("simulator") as own:
        own.evaluate(tasks["saxpy"], Candidate((KERNELS / "saxpy_good.cu").read_text()))
    running = [p for p in psutil.Process(os.getpid()).children(recursive=True) if p.status() != psutil.STATUS_ZOMBIE]
    assert running == []


def test_a_race_that_changes_nothing_is_caught(bench: Bench, tasks: dict[str, Task]) -> None:
    racy, good = (bench.evaluate(tasks["saxpy"], Candidate((KERNELS / f"saxpy_{name}.cu").read_text()))
                  for name in ("racy_but_right", "good"))
    assert racy.verdict.status == "fault" and racy.verdict.faults[0].kind == "global_race"
    assert good.ok and good.structure is not None and good.device == "simulator"


PLAY_ENDLESSLY = """
import sys
from pathlib import Path
from cudaperf_magic.bench import devices, sandbox, verify
from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.bench.gpu.running import DeviceInfo
from cudaperf_magic.bench.nvrtc import Compiled
from cudaperf_magic.bench.runners import Request, RunResult
from cudaperf_magic.bench.settle import settled
from cudaperf_magic.bench.simulator.launch import simulate
from cudaperf_magic.episode import play, resume
from cudaperf_magic.fakes import FakePolicy
from cudaperf_magic.store import Store
from cudaperf_magic.tasks.c import read_task
kernels, store, source = sys.argv[1:]
verify.LEAST_STEP_LIMIT = 1 << 60  # seconds, not a moment, until the endless kernel ends by itself
good, endless = (Path(kernels, f"saxpy_{name}.cu").read_text() for name in ("wrong_sign", "endless"))
task, _ = read_task(source)
with Bench("simulator") as bench:
    for episode in play([task], FakePolicy([good, endless]), bench, journal=Store(store)):
        print(episode.identity, flush=True)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_play_that_is_stopped_leaves_no_process_and_a_resumable_episode(
    how: signal.Signals, bench: Bench, tasks: dict[str, Task], tmp_path: Path
) -> None:
    store = tmp_path / "episodes.db"
    command = [sys.executable, "-c", PLAY_ENDLESSLY, str(KERNELS), str(store), SOURCES["saxpy"]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        identity = child.stdout.readline().strip()
        time.sleep(0.3)  # into the endless kernel
        below = psutil.Process(child.pid).children(recursive=True)
        child.send_signal(how)
        said = child.communicate()[1]
    assert identity, said
    gone, alive = psutil.wait_procs(below, timeout=10)
    assert gone and not alive
    episode = Store(store).load(identity)
    assert len(episode.turns) == 1 and episode.stopped == ("interrupted" if how == signal.SIGINT else "")
    script = [(KERNELS / "saxpy_good.cu").read_text()] * 2
    *_, ended = resume(identity, FakePolicy(script), bench, journal=Store(store), turns=2)
    assert ended.decision == "translate"


def test_a_cache_that_cannot_be_written_is_no_fault_of_the_candidate(
    monkeypatch: pytest.MonkeyPatch, tasks: dict[str, Task], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    sandbox.stop()
    with Bench("simulator") as own, monkeypatch.context() as patch:
        patch.setenv("CUDAPERF_CACHE", str(tmp_path / "file" / "cache"))
        source = (KERNELS / "saxpy_good.cu").read_text() + "// as never built before\n"
        try:
            outcome = own.evaluate(tasks["saxpy"], Candidate(source))
        except ToolchainError as error:
            assert "doctor" in str(error)  # said, and never scored
        else:
            assert outcome.ok, outcome.build.log  # or done without a cache


def test_an_unknown_device_is_refused_with_the_choices() -> None:
    with pytest.raises(UsageError, match="auto, simulator or cuda:0"):
        Bench("gpu0")
    with pytest.raises(ToolchainError, match="cuda:63"):
        Bench("cuda:63")
