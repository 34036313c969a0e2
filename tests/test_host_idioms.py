"""Host functions as people write them (tests/hosts/): read into the launches of their first line, or refused in one
sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudaperf_magic.bench.building import build_candidate
from cudaperf_magic.bench.launcher import Limits, PlanError, host_signature, read_plan
from cudaperf_magic.bench.plan import Copy, Fill, LaunchPlan, Pointer, Scalar, Struct
from cudaperf_magic.records import Argument, Candidate, Case, Task

FOLDER = Path(__file__).parent / "hosts"
KERNELS = (FOLDER / "kernels.cuh").read_text()
FILES = sorted(FOLDER.glob("*.cu"))
# Of each construct that only host code has, one whose device text must still compile.
BUILT = ("std_vector", "struct_params", "struct_designated", "kernel_table", "graph", "check_template")
TASK = Task(
    "saxpy",
    "c",
    "",
    "saxpy",
    (
        Argument("n", "int", "int32"),
        Argument("a", "float", "float32"),
        Argument("x", "float", "float32", ("n",), is_pointer=True),
        Argument("y", "float", "float32", ("n",), "inout", is_pointer=True),
    ),
    (Case((("n", 1000),)),),
)


def read(name: str) -> LaunchPlan:
    return plan_of((FOLDER / f"{name}.cu").read_text())


def plan_of(text: str, limits: Limits | None = None) -> LaunchPlan:
    return read_plan(KERNELS + text, "saxpy", {"n": 1000, "a": 2.0}, {"x": 4000, "y": 4000}, limits)


def body(text: str, before: str = "") -> str:
    return f"{before}\nvoid saxpy(int n, float a, const float *x, float *y) {{ {text} }}"


def refusal(text: str) -> str:
    with pytest.raises(PlanError) as caught:
        plan_of(text)
    assert caught.value.line is not None
    return caught.value.message


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_host_function_is_read_as_its_first_line_says(file: Path) -> None:
    text = file.read_text()
    first = text.splitlines()[0]
    if first.startswith("// refused: "):
        assert refusal(text) == first.removeprefix("// refused: ")
        return
    launches = [
        f"{one.kernel} {'x'.join(map(str, one.grid))} {'x'.join(map(str, one.block))}" for one in plan_of(text).launches
    ]
    assert "; ".join(launches) == first.removeprefix("// launches: ")


def test_nine_in_ten_of_them_are_read() -> None:
    refused = [file for file in FILES if file.read_text().startswith("// refused: ")]
    assert len(FILES) > 100 and len(refused) <= len(FILES) / 10


@pytest.mark.parametrize("name", BUILT)
def test_the_device_compiler_is_not_shown_what_only_the_host_understands(name: str) -> None:
    built = build_candidate(TASK, Candidate(KERNELS + (FOLDER / f"{name}.cu").read_text()), "sm_90").build
    assert built.ok, built.log


# What each becomes


def test_a_vector_that_is_filled_and_copied_reaches_the_device_value_by_value() -> None:
    fills = [step for step in read("vector_upload").steps if isinstance(step, Fill)]
    uploaded = bytearray(20)
    for fill in fills:
        start = fill.target.offset_bytes
        uploaded[start : start + fill.size_bytes] = bytes([fill.byte]) * fill.size_bytes
    assert [int.from_bytes(uploaded[4 * k : 4 * k + 4], "little") for k in range(5)] == [0, 1000, 2000, 3000, 4000]


def test_a_designated_initialiser_sets_the_field_that_it_names() -> None:
    swapped = body(
        "Params p = {.y = y, .n = n}; sk<<<1, 32>>>(p);",
        "struct Params { int n; const float *x; float *y; };\n__global__ void sk(Params p) {}",
    )
    (argument,) = plan_of(swapped).launches[0].arguments
    assert isinstance(argument, Struct)
    assert int.from_bytes(argument.data[:4], "little") == 1000
    assert argument.pointers == ((8, Pointer("")), (16, Pointer("y")))


def test_a_method_reads_and_writes_the_fields_of_its_own_struct() -> None:
    counting = "struct Counter { int at = 3; int next(int by = 1) { at += by; return at; } };"
    plan = plan_of(body("Counter c; c.next(); k<<<c.next(4), c.at>>>(n, a, x, y);", counting))
    assert (plan.launches[0].grid[0], plan.launches[0].block[0]) == (8, 8)


def test_a_reference_in_a_range_loop_changes_the_element() -> None:
    plan = plan_of(body("int s[3] = {1, 2, 3}; for (auto &v : s) v *= 10; k<<<s[2], 32>>>(n, a, x, y);"))
    assert plan.launches[0].grid == (30, 1, 1)
    assert "refers to a int" in refusal(body("int s[2] = {1, 2}; for (float &v : s) v = 1;"))


def test_a_generic_lambda_is_compiled_for_each_list_of_types() -> None:
    halves = "auto half = [](auto v) { return v / 2; }; k<<<half(n), 32>>>(half(7), half(7.0f), x, y);"
    launch = plan_of(body(halves)).launches[0]
    assert launch.grid == (500, 1, 1)
    assert launch.arguments[:2] == (Scalar("int", 3), Scalar("float", 3.5))


def test_a_captured_graph_runs_as_often_as_it_is_launched_and_not_when_it_is_captured() -> None:
    text = (FOLDER / "graph.cu").read_text()
    assert len(plan_of(text).launches) == 1
    assert len(plan_of(text.replace("cudaGraphLaunch(e, s);", "")).launches) == 0
    assert len(plan_of(text.replace("cudaGraphLaunch(e, s);", "cudaGraphLaunch(e, s); " * 3)).launches) == 3
    assert "without cudaStreamBeginCapture" in refusal(body("cudaGraph_t g; cudaStreamEndCapture(0, &g);"))


@pytest.mark.parametrize(("offset", "kernel"), [(0, "vk<true>"), (1, "vk<false>"), (4, "vk<true>")])
def test_an_address_tells_its_alignment(offset: int, kernel: str) -> None:
    test = f"""const float *p = x + {offset}; bool is_wide = reinterpret_cast<uintptr_t>(p) % 16 == 0;
        if (is_wide) vk<true><<<1, 32>>>(n, p, y); else vk<false><<<1, 32>>>(n, p, y);"""
    assert plan_of(body(test)).launches[0].kernel == kernel


def test_host_memory_has_no_value_until_it_is_written_and_no_address_for_a_kernel() -> None:
    assert "before it has a value" in refusal(body("int *h = (int *)malloc(16); k<<<h[1], 32>>>(n, a, x, y);"))
    host = "float *h = (float *)malloc(16); h[0] = 1; two<<<1, 32>>>(h, y, 1);"
    assert "host memory" in refusal(body(host))
    assert "host memory" in refusal(body("void *h = malloc((size_t)1 << 40);"))
    assert "freed by cudaFree" in refusal(body("free(y);"))


def test_what_only_a_clock_knows_may_be_asked_and_not_used() -> None:
    asked = "cudaEvent_t s, e; float ms; cudaEventElapsedTime(&ms, s, e);"
    assert plan_of(body(asked)).launches == ()
    assert "before it has a value" in refusal(body(asked + "if (ms > 1) k<<<1, 32>>>(n, a, x, y);"))


def test_recursion_ends_or_is_refused() -> None:
    halving = "int depth(int n) { return n < 2 ? 0 : 1 + depth(n / 2); }"
    assert plan_of(body("k<<<depth(n), 32>>>(n, a, x, y);", halving)).launches[0].grid == (9, 1, 1)
    assert refusal_without_line("k<<<f(n), 1>>>(n, a, x, y);", "int f(int n) { return f(n + 1); }")
    assert "not auto" in refusal(body("f(n);", "auto f(int n) { return n ? f(n - 1) : 0; }"))


def refusal_without_line(text: str, before: str) -> str:
    with pytest.raises(PlanError) as caught:
        plan_of(body(text, before), Limits(iterations=500))
    return caught.value.message


def test_a_stream_may_be_one_more_parameter_of_the_host_function() -> None:
    text = KERNELS + (FOLDER / "stream_param_entry.cu").read_text()
    assert [parameter.name for parameter in host_signature(text, "saxpy")] == ["n", "a", "x", "y"]


def test_a_swap_in_a_loop_hands_the_buffers_over_each_time() -> None:
    launches = read("ping_pong_swap").launches
    assert [launch.arguments[0] for launch in launches] == [Pointer("p"), Pointer("q")] * 2 + [Pointer("p")]


def test_a_vector_without_end_is_refused_before_it_fills_memory() -> None:
    assert "std::vector of" in refusal(body("std::vector<int> v; v.resize((size_t)1 << 40);"))
    assert "empty vector" in refusal(body("std::vector<int> v; v.pop_back();"))


def test_copies_of_rows_stay_copies() -> None:
    assert sum(isinstance(step, Copy) for step in read("memcpy_2d_rows").steps) == 125
