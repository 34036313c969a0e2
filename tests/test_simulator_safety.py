"""No kernel reaches what is not its own: stray indices of every memory, PTX that no compiler writes, the run after."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from simulated import KERNELS, floats, kinds, launch_of, run

from cudaperf_magic.bench.devices import simulate_requests
from cudaperf_magic.bench.nvrtc import Compiled, build
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.runners import Request
from cudaperf_magic.bench.sandbox import Crashed, Finished, run_in_child
from cudaperf_magic.bench.simulator.launch import simulate
from cudaperf_magic.bench.simulator.lower import lower
from cudaperf_magic.bench.simulator.ptx_reader import parse
from cudaperf_magic.errors import Unsupported

STRAY = ("local_read", "local_write", "constant_read", "device_write", "shared_write", "global_write", "generic_write")
# Elements of 4 bytes: next to the array, far, so far that the byte address wraps, and into the windows of other spaces;
# none is a multiple of 2^30, which in 32 bits of address would be the array's begin again.
FAR = (-1, -2, 1 << 20, -(1 << 20), (1 << 62) - 1, (1 << 58) + 99, (1 << 59) - 99, (1 << 30) - 1, -(1 << 61) - 1)


def arrays() -> dict[str, NDArray[Any]]:
    return {"x": np.arange(32, dtype=np.int32) % 7, "y": np.zeros(32, np.int32)}


@pytest.mark.parametrize("kernel", STRAY)
def test_a_stray_index_is_a_fault_however_far_it_goes(kernel: str) -> None:
    for at in FAR:
        result = run("strays.cu", kernel, 1, 32, ("x", "y", at), arrays())
        assert kinds(result) & {"out_of_bounds", "misaligned"}, (kernel, at)


@pytest.mark.parametrize("kernel", STRAY)
@pytest.mark.parametrize("watched", ["none", "all"])
def test_a_stray_index_survives_in_a_child(kernel: str, watched: str) -> None:
    compiled = build((KERNELS / "strays.cu").read_text(), names=(kernel,))
    plans = [LaunchPlan((launch_of(kernel, 1, 32, ("x", "y", at)),)) for at in FAR]
    for plan in plans:
        ended = run_in_child(
            simulate, compiled, plan, arrays(), instrument=watched, timeout_s=60.0, memory_bytes=4 << 30
        )
        assert isinstance(ended, Finished), ended


def test_an_index_within_each_array_is_none() -> None:
    for kernel in ("local_read", "local_write", "constant_read", "device_write", "shared_write", "global_write"):
        at = 0 if kernel == "global_write" else 3
        found = kinds(run("strays.cu", kernel, 1, 32, ("x", "y", at), arrays()))
        assert found <= ({"global_race"} if kernel == "device_write" else set()), (kernel, found)


def test_a_stray_local_write_changes_no_other_threads_memory() -> None:
    for at in FAR:
        given = arrays()
        run("strays.cu", "local_write", 1, 32, ("x", "y", at), given)
        assert given["y"].tolist() == [given["x"][given["x"][0]] + lane for lane in range(32)], at


def test_a_kernel_too_large_for_memory_is_said_to_be_so() -> None:
    compiled = build((KERNELS / "strays.cu").read_text(), names=("large_frame",))
    plan = LaunchPlan((launch_of("large_frame", 1, 1024, ("x", 7)),))
    ended = run_in_child(simulate, compiled, plan, arrays(), timeout_s=60.0, memory_bytes=300 << 20)
    assert isinstance(ended, Crashed) and "not enough memory" in ended.why, ended


def test_widths_of_printf_are_bounded_and_small_ones_are_obeyed() -> None:
    text = run("strays.cu", "wide_text", 1, 1, ("x",), arrays()).text
    assert len(text) < 4000
    assert text.startswith("1.000") and text.endswith("| 2.12|000002|")


# ---- one run after the other ----


def saxpy() -> bytes:
    x, y = floats(1000), floats(1000, seed=1)
    result = run("saxpy.cu", "saxpy", 8, 128, (1000, 2.5, "x", "y"), {"x": x, "y": y})
    assert not result.faults
    return y.tobytes() + repr((result.lines, result.launches)).encode()


HOSTILE: tuple[tuple[str, str, int, tuple[str | int | float, ...]], ...] = (
    ("hostile.cu", "wild", 32, ("x", 1 << 40)),
    ("hostile.cu", "null_pointer", 32, (0,)),
    ("hostile.cu", "trap", 32, ("x",)),
    ("hostile.cu", "checks", 32, ("x",)),
    ("hostile.cu", "endless", 32, ("y",)),
    ("hostile.cu", "gigabyte", 32, ("x",)),
    ("strays.cu", "shared_write", 32, ("x", "y", -1)),
    ("strays.cu", "device_write", 32, ("x", "y", 5)),
    ("transpose.cu", "without_barrier", 1024, ("x", "y", 4)),
    ("divergence.cu", "half_a_shuffle", 32, ("y",)),
    ("divergence.cu", "nobody_comes", 32, ("y",)),
)


def test_what_one_kernel_did_changes_nothing_of_the_next_run() -> None:
    honest = saxpy()
    for file, kernel, block, given in HOSTILE:
        result = run(file, kernel, 1, block, given, arrays(), step_limit=20_000, printf_limit_bytes=1000)
        assert result.faults, (file, kernel)
        assert saxpy() == honest, (file, kernel)


# ---- PTX that no compiler writes ----

MODULE = """.version 8.0
.target sm_90
.address_size 64
{before}
.visible .entry k(.param .u64 k_param_0, .param .align 8 .b8 k_param_1[12])
{{
    .reg .pred %p<3>;
    .reg .b32 %r<9>;
    .reg .f32 %f<9>;
    .reg .b64 %rd<9>;
    .local .align 16 .b8 depot[32];
    {body}
    ret;
}}
"""
REFUSED = {
    "a parameter past its end": "ld.param.u64 %rd1, [k_param_0+99999];",
    "a parameter before its begin": "ld.param.u64 %rd1, [k_param_0+-8];",
    "half past a parameter's end": "ld.param.u64 %rd1, [k_param_1+8];",
    "a store to a parameter": "st.param.u64 [k_param_0], %rd1;",
    "more registers than memory": ".reg .b32 %q<99999999>;",
    "a number without end": "mov.u32 %r1, 99999999999999999999999999;",
    "a local array without end": ".local .align 4 .b8 big[99999999999];",
    "an alignment that is none": ".local .align 3 .b8 odd[4];",
    "a type of a million bits": ".local .b999999 wide;",
    "brackets without end": "mov.u32 %r1, " + "{" * 3000 + ";",
    "a jump to nowhere": "bra nowhere;",
    "a table of nowhere": "brx.idx %r1, nowhere;",
    "a guard that is no predicate": "@%r1 mov.u32 %r1, 0;",
    "too few operands": "add.u32 %r1, %r2;",
    "no operands": "fma.rn.f32;",
    "an unknown register": "add.u32 %r1, %r2, %nothing;",
    "an unknown opcode": "frobnicate.u32 %r1, %r2;",
    "no type": "add %r1, %r2, %r3;",
    "four registers for two": "ld.global.v2.f32 {%f1, %f2, %f3, %f4}, [%rd1];",
    "a load of 64 bytes": "ld.global.v8.b64 {%rd1, %rd2, %rd3, %rd4, %rd5, %rd6, %rd7, %rd8}, [%rd1];",
    "an asynchronous copy of a gigabyte": "cp.async.ca.shared.global [%r1], [%rd1], 1073741824;",
    "printf without arguments": "{ .param .b32 v; call.uni (v), vprintf, (); }",
    "an end in the middle": "ld.global.u32 %r1, [%rd1",
    "a comment without end": "/*" * 2000,
    "a quote without end": 'mov.u32 %r1, "',
    "letters of other alphabets": "mov.u32 %rλ, 0;",
}


def lowered(body: str, before: str = "") -> str:
    return lower(parse(MODULE.format(body=body, before=before)), "k").c_source


@pytest.mark.parametrize("what", REFUSED)
def test_ptx_that_no_compiler_writes_is_refused_in_one_sentence(what: str) -> None:
    with pytest.raises(Unsupported) as refusal:
        lowered(REFUSED[what])
    assert "\n" not in str(refusal.value) and len(str(refusal.value)) < 400


def test_more_values_than_an_array_holds_are_refused() -> None:
    assert lowered("", ".global .align 4 .u32 two[2] = {1, 2};")
    with pytest.raises(Unsupported, match="two of 8 bytes"):
        lowered("", ".global .align 4 .u32 two[2] = {1, 2, 3};")


def test_numbers_are_read_in_each_base() -> None:
    assert lowered("mov.u32 %r1, 017; st.local.u32 [depot], %r1;") == lowered(
        "mov.u32 %r1, 0xFU; st.local.u32 [depot], %r1;"
    )


def in_a_child(body: str) -> NDArray[Any]:
    """What x[0] holds after a kernel of this PTX has run in a child, without a fault."""
    honest = build("__global__ void k(int* x, double y) {}", names=("k",))
    compiled = Compiled(honest.build, MODULE.format(body=body, before=""), b"", (("k", "k"),))
    request = Request(LaunchPlan((launch_of("k", 1, 1, ("x", 0.0)),)), {"x": np.zeros(1, np.int32)})
    ended = run_in_child(simulate_requests, compiled, (request,), timeout_s=60.0, memory_bytes=4 << 30)
    assert isinstance(ended, Finished), ended
    ((after, faults, _),) = ended.value
    assert not faults, faults
    return after["x"]


def test_a_global_variable_that_a_kernel_declares_for_itself_has_a_place() -> None:
    kept = ".global .align 4 .u32 kept; mov.u32 %r1, 7; st.global.u32 [kept], %r1; ld.global.u32 %r2, [kept];"
    assert in_a_child(f"{kept} ld.param.u64 %rd1, [k_param_0]; st.global.u32 [%rd1], %r2;")[0] == 7


@pytest.mark.parametrize("name", ["$a.b%c", "_Z3fooIiEvPT_", "system", "int", "%f32", "lane", "mask", "w", "R"])
def test_names_of_the_ptx_are_no_names_in_c(name: str) -> None:
    text = f".reg .b32 {name}; mov.u32 {name}, 7; ld.param.u64 %rd1, [k_param_0]; st.global.u32 [%rd1], {name};"
    assert in_a_child(text)[0] == 7
