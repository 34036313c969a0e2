"""The device's bench from the parent's side, on a fake child: the order of things, the pairs, what goes wrong."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import fake_device
import pytest

from cudaperf_magic.bench import bench as bench_module
from cudaperf_magic.bench import device_bench, devices, duel, gpu_sessions, meter, trial
from cudaperf_magic.bench.bench import Bench
from cudaperf_magic.bench.filled import filled, forget
from cudaperf_magic.bench.gpu.running import DeviceInfo
from cudaperf_magic.bench.measuring.floor import Ceilings
from cudaperf_magic.bench.settle import settled
from cudaperf_magic.errors import Unsupported
from cudaperf_magic.notebook.words import conditions
from cudaperf_magic.records import Candidate, Outcome, Task
from cudaperf_magic.tasks.c import function_of, read_task
from cudaperf_magic.tasks.plain import NAME, plain_candidate

SOURCE = """void saxpy(int n, float a, const float x[n], float y[n]) {
    for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}"""
LATE = """__global__ void k(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i < 100000) y[i] = a * x[i] + y[i];
}
void saxpy(int n, float a, const float *x, float *y) { if (n > 0) k<<<(n + 255) / 256, 256>>>(n, a, x, y); }"""
TARGET_BYTES = 1 << 20
NOISE = 0.01
RATES = dict.fromkeys(("float32", "float64", "int32 add", "int32 multiply", "exp2"), 1e12)
LINE = ((1 << 20, 1.0), (1 << 30, 1024.0))  # a megabyte a microsecond
CEILINGS = Ceilings("Fake GPU", fake_device.UUID, "1", 1 << 20, LINE, LINE, LINE, RATES, 1.0)
KERNELS = Path(__file__).parent / "kernels" / "bench"


@pytest.fixture(scope="module")
def task() -> Task:
    return settled(*read_task(SOURCE))


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    present = DeviceInfo(0, "Fake GPU", "sm_90", "13.0", 1 << 30, 132)
    monkeypatch.setattr(devices, "available_devices", lambda: (present,))
    monkeypatch.setattr(gpu_sessions, "serve", fake_device.serve)
    monkeypatch.setattr(bench_module, "build_candidate", fake_device.build)
    monkeypatch.setattr(trial, "build_candidate", fake_device.build)
    monkeypatch.setattr(duel, "build_candidate", fake_device.build)
    monkeypatch.setattr(trial, "noise_of", lambda index, arch, duration: NOISE)
    monkeypatch.setattr(trial, "FIRST_CALL_S", 5.0)
    monkeypatch.setattr(meter, "filled", partial(filled, target_bytes=TARGET_BYTES))
    monkeypatch.setattr(meter, "ceilings_of", lambda index, arch: CEILINGS)
    gpu_sessions.sessions_of.cache_clear()
    forget()
    with Bench("cuda:0") as made:
        yield made
    gpu_sessions.sessions_of.cache_clear()
    forget()


def plain(task: Task) -> str:
    found = plain_candidate(task, function_of(task))
    assert found is not None
    return found.source


def evaluated(bench: Bench, task: Task, trouble: str = "") -> Outcome:
    return bench.evaluate(task, Candidate(plain(task) + (f"// fake: {trouble}\n" if trouble else "")))


def test_a_right_candidate_is_timed_beside_the_plain_translation_where_the_device_is_full(
    bench: Bench, task: Task
) -> None:
    outcome = evaluated(bench, task)
    timing = outcome.timing
    assert outcome.ok and timing is not None
    assert timing.baseline == NAME and len(timing.samples_us) == len(timing.baseline_samples_us) >= 10
    assert timing.speedup == pytest.approx(1.0) and not timing.is_faster  # it is the very same program
    assert timing.noise == NOISE and timing.floor_us is not None and timing.floor_by == "memory bandwidth"
    assert timing.gpu == "Fake GPU" and timing.warm_us
    assert timing.case is not None and timing.case.size["n"] * 8 == TARGET_BYTES > task.cases[0].size["n"] * 8
    assert outcome.memory is not None and outcome.memory.candidate_bytes == timing.case.size["n"] * 8
    assert [name for name, _ in outcome.stages] == [
        "build", "oracle", "verify", "reference", "fill", "time", "count", "watch",
    ]  # fmt: skip
    assert "resource limits" in outcome.isolation
    assert outcome.structure is not None and "simulator" in {p.source for p in outcome.structure.properties}


def test_what_is_wrong_only_at_the_filling_size_is_caught_there(bench: Bench, task: Task) -> None:
    outcome = bench.evaluate(task, Candidate(LATE))
    assert outcome.verdict is not None and outcome.verdict.status == "mismatch"
    assert "y[100000] is" in outcome.verdict.reason and outcome.timing is None


def test_a_race_that_changes_nothing_is_caught_though_a_device_shows_none(bench: Bench, task: Task) -> None:
    outcome = bench.evaluate(task, Candidate((KERNELS / "saxpy_racy_but_right.cu").read_text()))
    assert outcome.verdict is not None and outcome.verdict.status == "fault"
    assert outcome.verdict.faults[0].kind == "global_race" and outcome.timing is None


def test_a_timed_call_with_another_answer_is_no_time(bench: Bench, task: Task) -> None:
    outcome = evaluated(bench, task, "strays")
    assert outcome.verdict is not None and outcome.verdict.status == "mismatch"
    assert outcome.verdict.reason == "y came out otherwise in a timed call than in the same call alone"


def test_a_kernel_that_fails_while_it_is_timed_is_a_fault_and_the_next_is_timed(bench: Bench, task: Task) -> None:
    broke = evaluated(bench, task, "breaks")
    assert broke.verdict is not None and broke.verdict.status == "fault"
    assert broke.verdict.faults[0].kind == "out_of_bounds"
    assert evaluated(bench, task).timing is not None


def test_a_child_that_dies_while_it_is_timed_is_a_crash_and_the_next_is_timed(bench: Bench, task: Task) -> None:
    died = evaluated(bench, task, "dies")
    assert died.verdict is not None and died.verdict.status == "crash" and "killed" in died.verdict.reason
    assert evaluated(bench, task).timing is not None


def test_a_candidate_too_slow_to_be_timed_is_right_and_says_so(bench: Bench, task: Task) -> None:
    outcome = evaluated(bench, task, "sleeps")
    assert outcome.ok and outcome.timing is None
    assert [label.kind for label in outcome.labels] == ["not_timed"]


def test_a_baseline_far_slower_is_timed_once_and_no_pairs_are_claimed(
    bench: Bench, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "SLOW_BASELINE_US", 1.0)
    monkeypatch.setattr(trial, "CLEARLY", 0.0)
    timings = [evaluated(bench, task, f"number {k}").timing for k in range(2)]
    for timing in timings:
        assert timing is not None and len(timing.baseline_samples_us) == trial.KEPT_SAMPLES
        assert timing.interval is None and not timing.is_faster and timing.speedup == pytest.approx(1.0)


def test_a_baseline_that_dies_is_made_again(bench: Bench, task: Task) -> None:
    assert evaluated(bench, task).timing is not None
    ((_, baseline),) = bench._on_device._meters.values()  # type: ignore[union-attr]
    baseline._trial._seat._session.close()  # type: ignore[union-attr]
    alone = evaluated(bench, task).timing
    assert alone is not None and alone.baseline == ""  # it was lost on the way; the candidate's own times stand
    again = evaluated(bench, task).timing
    assert again is not None and again.baseline == NAME


def test_the_chosen_candidate_is_seen_on_fresh_seeds_other_shapes_and_with_transfers(bench: Bench, task: Task) -> None:
    candidate = Candidate(plain(task))
    accepted = bench.accept(task, candidate, bench.evaluate(task, candidate))
    assert accepted.ok and accepted.verdict is not None and accepted.timing is not None
    assert accepted.verdict.generality is not None and accepted.verdict.generality[0] == accepted.verdict.generality[1]
    assert accepted.timing.others[0].name.split()[0] in ("gcc", "clang")
    assert accepted.timing.end_to_end_us and accepted.stages[-1][0] == "accept"


def test_a_candidate_that_fails_at_the_last_look_keeps_no_time(bench: Bench, task: Task) -> None:
    good = bench.evaluate(task, Candidate(plain(task)))
    accepted = bench.accept(task, Candidate(plain(task).replace("+ y[i]", "- y[i]")), good)
    assert not accepted.ok and accepted.timing is None


def test_a_kernel_that_the_simulator_cannot_watch_is_right_and_the_report_names_the_instruction(
    bench: Bench, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = evaluated(bench, task)
    assert any("on small cases only" in sentence for sentence in conditions(task, watched))

    def unsupported(*_: object, **__: object) -> None:
        raise Unsupported("wgmma.mma_async", 3)

    monkeypatch.setattr(device_bench, "verify", unsupported)
    outcome = evaluated(bench, task)
    assert outcome.ok and [label.kind for label in outcome.labels] == ["not_watched"]
    said = conditions(task, outcome)
    assert any("line 3: the simulator does not run wgmma.mma_async" in sentence for sentence in said)
    assert not any("on small cases only" in sentence for sentence in said)


def test_several_candidates_are_evaluated_at_once(bench: Bench, task: Task) -> None:
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(lambda k: evaluated(bench, task, f"number {k}"), range(6)))
    assert all(outcome.timing is not None and outcome.timing.baseline == NAME for outcome in outcomes)


TWICE = """__global__ void k(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int t = 1; t < 16; t++)
        if (__shfl_xor_sync(0xffffffff, i, t) < -1) return;
    if (i < n) y[i] = a * x[i] + y[i];
}
void saxpy(int n, float a, const float *x, float *y) { if (n > 0) k<<<(n + 255) / 256, 256>>>(n, a, x, y); }"""


def test_two_candidates_are_timed_in_pairs_without_the_plain_translation(bench: Bench, task: Task) -> None:
    quick, slow = Candidate(plain(task)), Candidate(TWICE)
    found = bench.pair(task, slow, quick)
    assert not isinstance(found, str) and found.interval is not None and found.noise == NOISE
    assert len(found.samples_us) == len(found.baseline_samples_us) >= 5
    assert found.interval[1] < 1.0, "the one that does more is slower than its baseline"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (LATE, "it failed now: y[100000] is"),
        ("int x(", "it does not build for this card"),
        (SOURCE + "// fake: dies\n", "it failed now: "),
    ],
)
def test_a_candidate_that_fails_while_it_is_paired_has_a_sentence_in_the_place_of_a_time(
    bench: Bench, task: Task, source: str, words: str
) -> None:
    program = source.replace(SOURCE, plain(task))
    found = bench.pair(task, Candidate(program), Candidate(plain(task)))
    assert isinstance(found, str) and words in found


def test_a_baseline_that_fails_while_it_is_paired_is_named_as_the_one(bench: Bench, task: Task) -> None:
    found = bench.pair(task, Candidate(plain(task)), Candidate(LATE))
    assert isinstance(found, str) and found.startswith("the one that it is held against failed now: y[100000] is")


def test_nothing_is_paired_on_the_simulator(task: Task) -> None:
    with Bench("simulator") as simulated:
        assert simulated.pair(task, Candidate(plain(task)), Candidate(plain(task))) == "there is no CUDA device"
