"""Hardware counters without hardware: a fake CUPTI's passes, what counts become, what refusals say, who ran."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import pytest

from cudaperf_magic.bench.architectures import architecture
from cudaperf_magic.bench.counters import activity, availability, counted, cupti_types
from cudaperf_magic.bench.counters.activity import Ran, plain_name, provenance
from cudaperf_magic.bench.counters.availability import Available, Refused, available, refused
from cudaperf_magic.bench.counters.cupti import CuptiError, Host, Library, RangeProfiler, load_cupti
from cudaperf_magic.bench.counters.metrics import ALWAYS, ASYNC, ATOMICS, NAMES, OTHERWISE, SHARED, Counts, wanted
from cudaperf_magic.bench.nvrtc import build
from cudaperf_magic.bench.properties import READERS
from cudaperf_magic.errors import ToolchainError
from cudaperf_magic.records import LineCost, Property, Structure

NO_PERMISSION = 35
HOPPER = architecture("sm_90")


class FakeCupti:
    """Counts as CUPTI does: a metric is worth its number of letters; each start and stop is a pass."""

    def __init__(self, metrics: tuple[str, ...], passes: int = 2, failing: dict[str, int] | None = None) -> None:
        self.metrics = metrics
        self.passes = passes
        self.failing = failing or {}
        self.calls: list[str] = []
        self.worth: Callable[[str], float] = len
        self.ends_after = passes

    def __getattr__(self, name: str) -> Callable[..., int]:
        if not name.startswith("cupti"):
            raise AttributeError(name)
        return lambda *given: self._call(name, *given)

    def _call(self, name: str, *given: Any) -> int:
        self.calls.append(name)
        if name in self.failing:
            return self.failing[name]
        act = getattr(self, f"do_{name.removeprefix('cupti')}", None)
        if act is not None:
            act(*(getattr(each, "_obj", each) for each in given))
        return 0

    def do_GetResultString(self, code: int, text: Any) -> None:
        text.value = f"result {code}".encode()

    def do_GetVersion(self, version: Any) -> None:
        version.value = 130001

    def do_DeviceGetChipName(self, asked: Any) -> None:
        asked.pChipName = b"FAKE100"

    def do_ProfilerHostInitialize(self, asked: Any) -> None:
        asked.host = 1

    def do_ProfilerHostGetBaseMetrics(self, asked: Any) -> None:
        names = [m.partition(".")[0].encode() for m in self.metrics] if asked.metricType == 0 else []
        self.names = (ctypes.c_char_p * len(names))(*names)
        asked.names, asked.count = ctypes.cast(self.names, type(asked.names)), len(names)

    def do_ProfilerHostGetConfigImageSize(self, asked: Any) -> None:
        asked.size = 16

    def do_ProfilerHostGetNumOfPasses(self, asked: Any) -> None:
        asked.count = self.passes

    def do_RangeProfilerEnable(self, asked: Any) -> None:
        asked.profiler = 2

    def do_RangeProfilerGetCounterDataSize(self, asked: Any) -> None:
        asked.size = 64

    def do_RangeProfilerStop(self, asked: Any) -> None:
        asked.passIndex += 1
        asked.isLast = asked.passIndex == self.ends_after

    def do_ProfilerHostEvaluateToGpuValues(self, asked: Any) -> None:
        for i in range(asked.count):
            asked.values[i] = self.worth(asked.names[i].decode())


def counting(fake: FakeCupti, metrics: tuple[str, ...], run: Callable[[], None], reset: Callable[[], None]) -> Any:
    host = Host(Library(fake), "FAKE100")
    schedule = host.schedule(metrics)
    with RangeProfiler(host, 7) as profiler:
        return profiler.count(schedule, run, reset)


def test_each_pass_starts_from_what_was_put_back_and_the_putting_back_is_not_counted() -> None:
    fake = FakeCupti(("sm__cycles_active",), passes=3)
    done: list[str] = []
    values = counting(
        fake,
        ("sm__cycles_active.sum",),
        lambda: done.append("run" if fake.calls[-1] == "cuptiRangeProfilerPushRange" else "run outside the range"),
        lambda: done.append("reset" if "PushRange" not in fake.calls[-1] else "reset inside the range"),
    )
    assert done == ["reset", "run"] * 3
    assert values == {"sm__cycles_active.sum": len("sm__cycles_active.sum")}
    assert fake.calls[-1] == "cuptiRangeProfilerDisable"


def test_a_metric_that_the_chip_lacks_is_left_out_and_the_others_are_counted() -> None:
    fake = FakeCupti(("dram__bytes_read",))
    values = counting(fake, ("dram__bytes_read.sum", "dram__bytes_op_read.sum"), lambda: None, lambda: None)
    assert list(values) == ["dram__bytes_read.sum"]


def test_a_metric_whose_pass_was_not_made_is_absent_and_no_number() -> None:
    fake = FakeCupti(("sm__cycles_active",), passes=1)
    fake.worth = lambda name: float("nan")
    assert counting(fake, ("sm__cycles_active.sum",), lambda: None, lambda: None) == {}


@pytest.mark.parametrize("ends_after", [1, 3])
def test_sums_of_another_number_of_passes_than_were_asked_for_are_no_counts(ends_after: int) -> None:
    fake = FakeCupti(("sm__cycles_active",), passes=2)
    fake.ends_after = ends_after  # as a profiler does that was opened for another schedule
    done: list[str] = []
    assert counting(fake, ("sm__cycles_active.sum",), lambda: done.append("run"), lambda: None) == {}
    assert len(done) <= 2


def test_the_profiler_is_closed_when_the_run_fails() -> None:
    fake = FakeCupti(("sm__cycles_active",))

    def run() -> None:
        raise RuntimeError("the kernel faulted")

    with pytest.raises(RuntimeError, match="faulted"):
        counting(fake, ("sm__cycles_active.sum",), run, lambda: None)
    assert fake.calls[-1] == "cuptiRangeProfilerDisable"


def test_refused_counters_are_an_answer_that_says_what_an_administrator_can_do() -> None:
    fake = FakeCupti((), failing={"cuptiRangeProfilerEnable": NO_PERMISSION})
    with pytest.raises(CuptiError) as caught, RangeProfiler(Host(Library(fake), "FAKE100"), 7):
        pass
    answer = refused(caught.value)
    assert "ERR_NVGPUCTRPERM" in answer.reason and "NVreg_RestrictProfilingToAdminUsers=0" in answer.reason
    assert refused(ToolchainError("no CUPTI; pip install it")).reason.startswith("no CUPTI")
    assert "result 999" in refused(CuptiError("cuptiX", 999, "result 999")).reason


def test_a_device_is_tried_once_and_the_answer_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def try_it(index: int) -> Available:
        tried.append(index)
        return Available("FAKE100", 130001)

    monkeypatch.setattr(availability, "_KNOWN", {})
    monkeypatch.setattr(availability, "_tried", try_it)
    assert [available(0), available(0)] == [Available("FAKE100", 130001)] * 2 and tried == [0]
    availability.remember(1, Refused("closed"))
    assert available(1) == Refused("closed") and tried == [0]


def test_a_device_that_another_profiler_holds_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    busy = refused(CuptiError("cuptiRangeProfilerStart", availability.BUSY, "busy"))
    answers = [busy, Available("FAKE100", 130001)]
    monkeypatch.setattr(availability, "_KNOWN", {})
    monkeypatch.setattr(availability, "_tried", lambda index: answers.pop(0))
    assert (available(0), available(0)) == (busy, Available("FAKE100", 130001))


def test_a_machine_without_a_gpu_refuses_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(availability, "load_cupti", lambda: Library(FakeCupti(())))

    def absent() -> None:
        raise ToolchainError("no NVIDIA driver is installed; install it")

    monkeypatch.setattr(availability, "load_driver", absent)
    assert availability.probe(0) == ("", 0, "no NVIDIA driver is installed; install it")


# ---- which metrics ----


def ptx_of(body: str) -> str:
    compiled = build(f"__global__ void k(float *x, int n) {{ int i = threadIdx.x; {body} }}", names=("k",))
    assert compiled.build.ok, compiled.build.log
    return compiled.ptx


@pytest.mark.parametrize(
    ("body", "group", "used"),
    [
        ("x[i] = n;", ATOMICS, False),
        ("atomicAdd(x, 1.0f);", ATOMICS, True),
        ("x[i] = atomicExch(x + 1, 2.0f);", ATOMICS, True),
        ("x[i] = n;", SHARED, False),
        ("__shared__ float t[32]; t[i] = x[i]; __syncthreads(); x[i] = t[31 - i];", SHARED, True),
        ("__shared__ int c; atomicAdd(&c, n); __syncthreads(); x[i] = c;", ATOMICS, False),
    ],
)
def test_a_kernel_is_asked_only_for_what_it_does(body: str, group: dict[str, str], used: bool) -> None:
    asked = wanted(ptx_of(body))
    assert set(ALWAYS.values()) <= set(asked)
    assert (set(group.values()) <= set(asked)) is used
    assert len(set(asked)) == len(asked)


def test_no_two_counts_share_a_metric() -> None:
    assert len(NAMES) == sum(map(len, (ALWAYS, SHARED, ATOMICS, ASYNC, OTHERWISE)))


@pytest.fixture(scope="module")
def real_cupti() -> Library:
    try:
        return load_cupti()
    except ToolchainError:
        pytest.skip("CUPTI is not installed")


@pytest.mark.parametrize("chip", ["TU102", "GA100", "GA102", "AD102", "GH100", "GB100", "GB202"])
def test_every_chip_counts_the_base_in_two_passes_and_shared_memory_in_one_more(real_cupti: Library, chip: str) -> None:
    host = Host(real_cupti, chip)
    base = host.schedule((*ALWAYS.values(), *OTHERWISE.values()))
    shared = host.schedule((*base.metrics, *SHARED.values()))
    assert (base.passes, shared.passes) == (2, 3)
    assert {NAMES[metric] for metric in base.metrics} == set(ALWAYS)
    assert set(shared.metrics) - set(base.metrics) == set(SHARED.values())


def test_the_structures_end_where_cupti_says_they_end() -> None:
    # STRUCT_SIZE of the headers: the end of the last field, without padding.
    sizes = {name: getattr(cupti_types, name)().structSize for name in ("SetConfig", "Stop", "Enable", "Evaluate")}
    assert sizes == {"SetConfig": 90, "Stop": 41, "Enable": 32, "Evaluate": 72}
    assert activity.KernelRecord.name.offset == 104


# ---- counts -> properties ----

SEEN = Structure(
    (
        Property("coalescing", 0.5, 8.0, "sectors a request", "simulator", "line 4 asks for 8 sectors", "turn it", 4),
        Property("occupancy", 1.0, 64.0, "warps", "static", "all 64 warps may be resident"),
        Property("intensity", 0.5, 2.0, "times", "simulator", "each byte twice; line 4 does most", "stage it", 4),
        Property("divergence", 0.9, 28.8, "lanes", "simulator", "line 5 keeps 16 busy", "sort the work", 5),
    ),
    (LineCost(4, 10), LineCost(5, 10)),
)
COUNTED = {
    "load_requests": 1000.0, "store_requests": 1000.0, "load_sectors": 4000.0, "store_sectors": 28000.0,
    "warp_instructions": 9000.0, "thread_instructions": 144000.0, "resident_warp_cycles": 64000.0,
    "barrier_warp_cycles": 0.0, "sm_cycles": 2000.0, "mean_sm_cycles": 15.0, "busiest_sm_cycles": 30.0,
    "dram_read_bytes": 64000.0, "dram_write_bytes": 64000.0,
}  # fmt: skip


def properties(counts: dict[str, float], simulated: Structure | None = SEEN) -> Structure:
    return counted.structure(Counts(counts), HOPPER, compulsory_bytes=128_000, simulated=simulated, launches=3)


def score(counts: dict[str, float], name: str, simulated: Structure | None = SEEN) -> tuple[float, float] | None:
    found = properties(counts, simulated).get(name)
    return (round(found.score, 4), round(found.raw, 4)) if found else None


def test_scores_and_raw_values_are_counted_and_lines_are_the_simulators() -> None:
    found = properties(COUNTED)
    coalescing = found.get("coalescing")
    assert coalescing is not None and coalescing.source == "counters"
    # 32,000 sectors in 2,000 requests; the simulator saw that 4 would do.
    assert (coalescing.raw, coalescing.score, coalescing.line, coalescing.remedy) == (16.0, 0.25, 4, "turn it")
    assert "simulated: line 4" in coalescing.reason
    assert (found.lines, found.launches) == (SEEN.lines, 3)


def test_each_property_is_counted_in_the_simulators_units() -> None:
    assert score(COUNTED, "occupancy") == (0.5, 32.0)
    assert score(COUNTED, "intensity") == (0.5, 2.0)  # 2,000 requests x 4 sectors x 32 bytes, of 128,000
    assert score(COUNTED, "divergence") == (0.5, 16.0)
    assert score(COUNTED, "balance") == (0.5, 0.5)
    assert score(COUNTED | {"barrier_warp_cycles": 16000.0}, "synchronisation") == (0.75, 0.25)
    assert score(COUNTED | {"load_wavefronts": 300.0, "store_wavefronts": 100.0, "conflicts": 300.0}, "shared") == (
        0.25,
        4.0,
    )
    units = {p.name: p.unit for p in properties(COUNTED).properties}
    assert all(units[p.name] == p.unit for p in SEEN.properties)


def test_what_does_not_apply_is_absent() -> None:
    assert score(COUNTED, "synchronisation") is None  # no barrier, and the simulator saw none
    assert score(COUNTED | {"load_wavefronts": 0.0, "conflicts": 0.0}, "shared") is None
    assert score(COUNTED, "coalescing", None) is None  # nobody knows how many sectors were needed
    assert score(COUNTED | {"load_requests": 0.0, "store_requests": 0.0}, "coalescing", None) is None


def test_atomics_of_a_kernel_count_among_its_requests() -> None:
    more = COUNTED | {"reduction_requests": 2000.0, "reduction_sectors": 32000.0}
    assert score(more, "coalescing") == (0.25, 16.0) and score(more, "intensity") == (0.25, 4.0)


def test_copies_past_l1_count_as_accesses_but_have_no_sectors_to_judge() -> None:
    more = COUNTED | {"async_instructions": 2000.0, "async_requests": 0.0, "async_sectors": 0.0}
    assert score(more, "coalescing") == (0.25, 16.0) and score(more, "intensity") == (0.25, 4.0)


def test_what_no_counter_tells_stays_the_simulators_word() -> None:
    collisions = Property(
        "synchronisation", 0.4, 0.6, "share lost", "simulator", "60% lost, most to atomics on one address", "reduce", 9
    )
    both = properties(COUNTED, Structure((*SEEN.properties, collisions)))
    assert both.get("synchronisation") == collisions
    waiting = properties(COUNTED | {"barrier_warp_cycles": 48000.0}, Structure((*SEEN.properties, collisions)))
    assert waiting.get("synchronisation") != collisions


READ_BY_ALL = Property("shared", 0.1, 15.0, READERS, "simulator", "read by 15 of its warps", "bring the tile in", 8)
SHARED_COUNTS = {"load_wavefronts": 300.0, "store_wavefronts": 100.0}


def test_that_a_copy_in_shared_memory_would_help_stays_the_simulators_word_unless_banks_cost_more() -> None:
    simulated = Structure((*SEEN.properties, READ_BY_ALL))
    for counts in ({}, {"load_wavefronts": 0.0, "conflicts": 0.0}, SHARED_COUNTS | {"conflicts": 200.0}):
        assert properties(COUNTED | counts, simulated).get("shared") == READ_BY_ALL
    banks = properties(COUNTED | SHARED_COUNTS | {"conflicts": 380.0}, simulated).get("shared")
    assert banks is not None and banks.source == "counters" and banks.score == pytest.approx(0.05)


def test_a_counted_property_names_the_simulators_line_at_every_score() -> None:
    barrier = Property("synchronisation", 1.0, 0.0, "share lost", "simulator", "no issue slot is lost", line=7)
    simulated = Structure((*SEEN.properties, barrier))
    for waiting in (0.0, 32000.0):
        found = properties(COUNTED | {"barrier_warp_cycles": waiting}, simulated).get("synchronisation")
        assert found is not None and found.source == "counters" and found.line == 7
        assert bool(found.remedy) == (waiting > 0)


def test_a_count_that_the_chip_lacks_leaves_the_simulators_property() -> None:
    without = {name: value for name, value in COUNTED.items() if not name.startswith(("load", "thread"))}
    for name in ("coalescing", "intensity", "divergence"):
        assert properties(without).get(name) == SEEN.get(name)


def test_a_loss_that_only_the_device_shows_has_a_remedy_too() -> None:
    occupancy = properties(COUNTED).get("occupancy")
    assert occupancy is not None and occupancy.remedy and occupancy.line is None
    assert "static" not in occupancy.reason and "simulated" not in occupancy.reason


# ---- who ran ----

GEMM = "sm90_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8"
FILL = "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_"


def test_shares_go_by_device_time_and_owners_by_name() -> None:
    ran = [Ran("_Z5scaleifPKfPf", 10, 7), Ran(GEMM, 70, 7), Ran("_Z5scaleifPKfPf", 20, 8)]
    first, second = provenance(ran, {"scale"})
    assert (first.owner, first.library, first.launches, first.share) == ("library", "cublas", 1, 0.7)
    assert (second.owner, second.library, second.launches) == ("candidate", "", 2)
    assert second.share == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("symbol", "library"),
    [
        (FILL, "aten"),
        (GEMM, "cublas"),
        ("void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(P)", "cublas"),
        ("sm80_xmma_fprop_implicit_gemm_indexed_wo_smem_tf32f32", "cudnn"),
        ("triton_poi_fused_add_0", "triton"),
        ("void cub::DeviceReduceKernel<int>(int)", "cub"),
        ("never_heard_of", "unknown"),
    ],
)
def test_libraries_are_told_by_the_names_that_they_give(symbol: str, library: str) -> None:
    (run,) = provenance([Ran(symbol, 1, 0)], {"scale"})
    assert (run.owner, run.library) == ("library", library)


def test_a_kernel_named_like_a_librarys_is_not_believed_to_be_the_candidates_own() -> None:
    (run,) = provenance([Ran(GEMM, 5, 0)], {GEMM})
    assert run.owner == "library"
    (own,) = provenance([Ran("triton_poi_fused_mine", 5, 0)], {"triton_poi_fused_mine"})
    assert own.owner == "candidate"  # a library of templates is compiled into whoever uses it


def test_names_lose_their_types() -> None:
    assert plain_name("void tiles::scale<float, 4>(int, float*)") == "tiles::scale"
    assert plain_name("void (anonymous namespace)::tiled<32>(float*)") == "tiled"
    assert plain_name("scale") == "scale"


def test_nothing_ran_is_an_empty_provenance_and_no_time_is_no_share() -> None:
    assert provenance([], {"scale"}) == ()
    (run,) = provenance([Ran("scale", 0, 0)], {"scale"})
    assert run.share == 0.0
