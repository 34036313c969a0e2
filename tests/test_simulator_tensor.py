"""Matrix instructions against NumPy: fragments laid out by the tables of the PTX ISA, then whole products."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import matrix_fragments as layout
import numpy as np
import pytest
from numpy.typing import NDArray
from simulated import KERNELS, Shape, cost, kinds, launch_of, line_of, only

from cudaperf_magic.bench.nvrtc import Compiled, build
from cudaperf_magic.bench.plan import LaunchPlan
from cudaperf_magic.bench.simulator.launch import simulate
from cudaperf_magic.bench.simulator.lower import lower
from cudaperf_magic.bench.simulator.ptx_reader import parse
from cudaperf_magic.bench.simulator.result import SimulatorResult
from cudaperf_magic.errors import Unsupported

FILE = "tensor.cu"
WMMA = {
    "m16n16k16, rows": ("wmma_product<16, 16, 16, half, float, true>", (16, 16, 16), np.float16, np.float32),
    "m32n8k16, columns": ("wmma_product<32, 8, 16, half, half, false>", (32, 8, 16), np.float16, np.float16),
    "m8n32k16, rows": ("wmma_product<8, 32, 16, half, float, true>", (8, 32, 16), np.float16, np.float32),
    "s8, rows": ("wmma_product<16, 16, 16, signed char, int, true>", (16, 16, 16), np.int8, np.int32),
    "u8, columns": ("wmma_product<32, 8, 16, unsigned char, int, false>", (32, 8, 16), np.uint8, np.int32),
}
BFLOAT = "wmma_product<8, 32, 16, __nv_bfloat16, float, true>"
NAMES = ("by_ldmatrix<64>", "by_ldmatrix<72>", BFLOAT, *(row[0] for row in WMMA.values()))


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    built = build((KERNELS / FILE).read_text(), names=NAMES)
    assert built.build.ok, built.build.log
    return built


def run(built: Compiled, kernel: str, block: Shape, arrays: dict[str, NDArray[Any]], *more: int) -> SimulatorResult:
    plan = LaunchPlan((launch_of(kernel, 1, block, (*arrays, *more)),))
    return simulate(built, plan, arrays)


@dataclass(frozen=True)
class Raw:
    """A kernel that takes and gives registers: element types of a, b and the sums, the shape, and elements a lane."""

    kinds: tuple[str, str, str]
    mnk: tuple[int, int, int]
    places: tuple[layout.Place, layout.Place]


def raw(kinds: str, mnk: tuple[int, int, int], a: layout.Place, b: layout.Place) -> Raw:
    left, right, total = kinds.split()
    return Raw((left, right, total), mnk, (a, b))


RAW = {
    "f16_k8": raw("f16 f16 f32", (16, 8, 8), layout.a_16(False), layout.b_16()),
    "bf16_k8": raw("bf16 bf16 f32", (16, 8, 8), layout.a_16(False), layout.b_16()),
    "tf32_k4": raw("tf32 tf32 f32", (16, 8, 4), layout.a_tf32(), layout.b_tf32()),
    "s8_k16": raw("s8 s8 s32", (16, 8, 16), layout.a_8(False), layout.b_8()),
    "s4_k32": raw("s4 s4 s32", (16, 8, 32), layout.a_4(False), layout.b_4()),
    "f16_k16": raw("f16 f16 f32", (16, 8, 16), layout.a_16(True), layout.b_16()),
    "bf16_k16": raw("bf16 bf16 f32", (16, 8, 16), layout.a_16(True), layout.b_16()),
    "tf32_k8": raw("tf32 tf32 f32", (16, 8, 8), layout.a_tf32(), layout.b_tf32()),
    "s8_k32": raw("s8 s8 s32", (16, 8, 32), layout.a_8(True), layout.b_8()),
    "u8s8_k32": raw("u8 s8 s32", (16, 8, 32), layout.a_8(True), layout.b_8()),
    "u4_k64": raw("u4 u4 s32", (16, 8, 64), layout.a_4(True), layout.b_4()),
    "e4m3_k32": raw("e4m3 e4m3 f32", (16, 8, 32), layout.a_8(True), layout.b_8()),
    "e5m2e4m3_k32": raw("e5m2 e4m3 f32", (16, 8, 32), layout.a_8(True), layout.b_8()),
    "b1_k256_and": raw("b1 b1 s32", (16, 8, 256), layout.a_1(), layout.b_1()),
    "s8_m8": raw("s8 s8 s32", (8, 8, 16), layout.row_of(4), layout.column_of(4)),
    "u4_m8": raw("u4 u4 s32", (8, 8, 32), layout.row_of(8), layout.column_of(8)),
    "b1_m8_xor": raw("b1 b1 s32", (8, 8, 128), layout.row_of(32), layout.column_of(32)),
    "f16_sums": raw("f16 f16 f16", (16, 8, 16), layout.a_16(True), layout.b_16()),
}


def matrix_like(kind: str, shape: tuple[int, int], seed: int) -> NDArray[Any]:
    """Random elements that the type holds exactly."""
    rng = np.random.default_rng(seed)
    whole = {"s8": (-128, 128), "u8": (0, 256), "s4": (-8, 8), "u4": (0, 16), "b1": (0, 2), "s32": (-(2**20), 2**20)}
    if kind in whole:
        return rng.integers(*whole[kind], shape)
    if kind in ("e4m3", "e5m2"):
        values = layout.eight_bit_values(int(kind[1]))
        return rng.choice(values[np.abs(values) <= 16], shape)
    drop = {"bf16": 16, "tf32": 13}.get(kind, 0)
    values = rng.standard_normal(shape).astype(np.float16 if kind == "f16" else np.float32)
    if drop:
        values = (values.view(np.uint32) >> drop << drop).view(np.float32)
    return values


def product_of(raw: Raw, a: NDArray[Any], b: NDArray[Any], c: NDArray[Any], kernel: str) -> NDArray[Any]:
    if raw.kinds[0] == "b1":
        both = a[:, :, None] & b[None] if kernel.endswith("and") else a[:, :, None] ^ b[None]
        return both.sum(1) + c
    wide = np.int64 if raw.kinds[2] == "s32" else np.float64
    return a.astype(wide) @ b.astype(wide) + c.astype(wide)


def multiply(built: Compiled, kernel: str, raw: Raw, a: Any, b: Any, c: Any) -> NDArray[Any]:
    m, n, k = raw.mnk
    counts = m * k // 32, k * n // 32, m * n // 32
    held = {
        name: layout.registers(matrix, kind, place, count)
        for name, matrix, kind, place, count in zip(
            "abc", (a, b, c), raw.kinds, (*raw.places, layout.sums()), counts, strict=True
        )
    }
    held["d"] = np.zeros_like(held["c"])
    assert not run(built, kernel, 32, held).faults
    return layout.matrix_of(held["d"], raw.kinds[2], (m, n))


@pytest.mark.parametrize("kernel", RAW)
def test_a_product_of_fragments_is_that_of_their_matrices(compiled: Compiled, kernel: str) -> None:
    raw = RAW[kernel]
    m, n, k = raw.mnk
    a, b, c = (
        matrix_like(kind, shape, i)
        for i, (kind, shape) in enumerate(zip(raw.kinds, ((m, k), (k, n), (m, n)), strict=True))
    )
    found, expected = multiply(compiled, kernel, raw, a, b, c), product_of(raw, a, b, c, kernel)
    if raw.kinds[2] == "s32":
        assert np.array_equal(found, expected)
    else:  # summed exactly enough that one rounding to the nearest is left
        assert np.array_equal(found, expected.astype(found.dtype))


def test_sums_of_integers_wrap_or_stay_at_the_limit_as_asked(compiled: Compiled) -> None:
    raw = RAW["s8_k32"]
    a, b, c = np.full((16, 32), 127), np.full((32, 8), 127), np.full((16, 8), 2**31 - 10)
    wrapped = multiply(compiled, "s8_k32", raw, a, b, c)
    assert (wrapped == 127 * 127 * 32 + 2**31 - 10 - 2**32).all()
    assert (multiply(compiled, "s8_k32_saturated", raw, a, b, c) == 2**31 - 1).all()
    assert (multiply(compiled, "s8_k32_saturated", raw, -a, b, -c) == -(2**31)).all()


def test_tf32_looks_at_the_upper_bits_of_a_float_only(compiled: Compiled) -> None:
    raw = RAW["tf32_k8"]
    a = matrix_like("f32", (16, 8), 0)
    upper = (a.view(np.uint32) >> 13 << 13).view(np.float32)
    b, c = np.eye(8, dtype=np.float32), np.zeros((16, 8), np.float32)
    assert not np.array_equal(a, upper)
    assert np.array_equal(multiply(compiled, "tf32_k8", raw, a, b, c), upper)


@pytest.mark.parametrize(("kernel", "m", "k"), [("f64_m8", 8, 4), ("f64_k16", 16, 16)])
def test_doubles_are_a_chain_of_fused_multiply_adds(compiled: Compiled, kernel: str, m: int, k: int) -> None:
    a, b, c = (np.random.default_rng(i).standard_normal(shape) for i, shape in enumerate(((m, k), (k, 8), (m, 8))))
    arrays = {"a": np.zeros((32, m * k // 32)), "b": np.zeros((32, k // 4)), "c": np.zeros((32, m // 4))}
    arrays["d"] = np.zeros_like(arrays["c"])
    for lane in range(32):
        g, t = divmod(lane, 4)
        for i in range(m * k // 32):  # PTX ISA: rows alternate, columns step by four every two elements
            row, column = (g, t) if m == 8 else (g + 8 * (i % 2), t + i // 2 * 4)
            arrays["a"][lane, i] = a[row, column]
        for i in range(k // 4):
            arrays["b"][lane, i] = b[t + 4 * i, g]
        for i in range(m // 4):
            arrays["c"][lane, i] = c[g + i // 2 * 8, 2 * t + i % 2]
    assert not run(compiled, kernel, 32, arrays).faults
    for lane in range(32):
        g, t = divmod(lane, 4)
        for i in range(m // 4):
            row, column = g + i // 2 * 8, 2 * t + i % 2
            expected = a[row].astype(np.longdouble) @ b[:, column].astype(np.longdouble) + c[row, column]
            assert abs(arrays["d"][lane, i] - expected) < 1e-14


@pytest.mark.parametrize(("pitch", "wavefronts"), [(64, 32), (72, 4)])
def test_a_product_by_ldmatrix_is_right_and_shows_its_bank_conflicts(
    compiled: Compiled, pitch: int, wavefronts: int
) -> None:
    a, b = matrix_like("f16", (16, 64), 0), matrix_like("f16", (64, 8), 1)
    c = np.zeros((16, 8), np.float32)
    result = run(compiled, f"by_ldmatrix<{pitch}>", 32, {"a": a, "b": b, "c": c}, 64)
    assert not result.faults
    assert np.allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-6, atol=1e-5)
    rows = cost(result, line_of(FILE, "// rows of a"))
    assert rows.shared_wavefronts == 4 * wavefronts  # once for each 16 columns; rows 128 bytes apart share all banks
    assert rows.ideal_wavefronts == 4 * 4


def test_a_matrix_row_past_a_shared_array_is_named_with_its_lane(compiled: Compiled) -> None:
    fault = only(run(compiled, "past_the_tile", 32, {"y": np.zeros(32, np.uint32)}))
    assert (fault.kind, fault.line, fault.thread) == ("out_of_bounds", line_of(FILE, "// last row"), (15, 0, 0))


def test_a_matrix_read_before_the_warp_has_met_is_a_race(compiled: Compiled) -> None:
    result = run(compiled, "without_a_barrier", 32, {"y": np.zeros(32, np.uint32)})
    assert kinds(result) == {"shared_race"}
    assert {fault.line for fault in result.faults} == {line_of(FILE, "// too early")}


def test_stmatrix_and_movmatrix_turn_a_matrix_around(compiled: Compiled) -> None:
    x = np.arange(64, dtype=np.uint16).reshape(8, 8)
    held = np.ascontiguousarray(x).view(np.uint32).reshape(32)  # lane by lane, two elements of a row each
    arrays = {"x": held.copy(), "stored": np.zeros(64, np.uint32), "turned": np.zeros(32, np.uint32)}
    assert not run(compiled, "stored_and_turned", 32, arrays).faults
    turned = np.ascontiguousarray(x.T).view(np.uint32).reshape(32)
    assert np.array_equal(arrays["turned"], turned)
    second = np.ascontiguousarray((held + 1).view(np.uint16).reshape(8, 8).T).view(np.uint32).reshape(32)
    assert np.array_equal(arrays["stored"], np.concatenate([turned, second]))


@pytest.mark.parametrize("name", WMMA)
def test_wmma_multiplies_adds_and_stores_by_columns(compiled: Compiled, name: str) -> None:
    kernel, (m, n, k), given, total = WMMA[name]
    rng = np.random.default_rng(3)
    low = 0 if given == np.uint8 else -8
    a, b, c = (
        rng.integers(low, 8, shape).astype(t) for shape, t in (((m, k), given), ((k, n), given), ((m, n), total))
    )
    by_row = "true" in kernel
    d = np.zeros((n, m), total)
    arrays = {"a": a if by_row else np.ascontiguousarray(a.T), "b": b if by_row else np.ascontiguousarray(b.T)}
    assert not run(compiled, kernel, 32, {**arrays, "c": c, "d": d}).faults
    assert np.array_equal(d.T, a.astype(np.float64) @ b.astype(np.float64) + 2.0 * c)


def test_wmma_takes_bfloat16_tf32_and_doubles(compiled: Compiled) -> None:
    a, b, c, d = (np.arange(size) % 7 for size in (8 * 16, 16 * 32, 8 * 32, 8 * 32))
    packed = {name: layout.KINDS["bf16"].encode(x).astype(np.uint16) for name, x in (("a", a), ("b", b))}
    arrays = {**packed, "c": c.astype(np.float32), "d": d.astype(np.float32)}
    assert not run(compiled, BFLOAT, 32, arrays).faults
    assert np.array_equal(arrays["d"].reshape(32, 8).T, a.reshape(8, 16) @ b.reshape(16, 32) + 2 * c.reshape(8, 32))
    x, y, z = np.arange(128.0) % 11, np.arange(128.0) % 5, np.zeros(256)
    arrays = {"a": x.astype(np.float32), "b": y.astype(np.float32), "d": z.astype(np.float32)}
    assert not run(compiled, "wmma_tf32", 32, arrays).faults
    assert np.array_equal(arrays["d"].reshape(16, 16), x.reshape(16, 8) @ y.reshape(16, 8).T)
    arrays = {"a": x[:32] / 3, "b": y[:32] / 7, "d": z[:64]}
    assert not run(compiled, "wmma_f64", 32, arrays).faults
    assert np.allclose(arrays["d"].reshape(8, 8), arrays["a"].reshape(8, 4) @ arrays["b"].reshape(4, 8), rtol=1e-14)


def test_the_loads_of_a_tile_count_its_sectors(compiled: Compiled) -> None:
    kernel = WMMA["m16n16k16, rows"][0]
    arrays = {name: np.zeros(256, t) for name, t in (("a", "f2"), ("b", "f2"), ("c", "f4"), ("d", "f4"))}
    result = run(compiled, kernel, 32, arrays)
    store = cost(result, line_of(FILE, "wmma::store_matrix_sync(d, sum, m, wmma::mem_col_major);"))
    assert (store.sectors, store.ideal_sectors) == (32, 32)


def test_a_matrix_instruction_of_half_a_warp_is_an_error(compiled: Compiled) -> None:
    arrays = {"x": np.zeros(32, np.uint32), "y": np.zeros(32, np.uint32)}
    fault = only(run(compiled, "half_a_warp", 16, arrays))
    assert (fault.kind, fault.line) == ("divergence", line_of(FILE, "// 16 lanes"))


@pytest.mark.parametrize(
    "instruction",
    [
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2}, [%r3];",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1, %r2, %r4, %r5, %r6, %r7}, [%r3];",
        "mma.sync.aligned.m16n8k4096.row.col.s32.s8.s8.s32 {%r1, %r2, %r3, %r4}, {%r5}, {%r6}, {%r1, %r2, %r3, %r4};",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1}, {%r2}, {%r3}, {%r4};",
        "wmma.load.a.sync.aligned.row.m512n512k512.shared.f16 {%r1}, [%r3];",
        "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r1}, [%r3];",
        "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r3], {%r1, %r2, %r4};",
    ],
)
def test_a_fragment_that_does_not_fit_its_matrix_is_refused(instruction: str) -> None:
    text = f".version 8.8\n.target sm_90\n.visible .entry k()\n{{\n.reg .b32 %r<8>;\n{instruction}\nret;\n}}\n"
    with pytest.raises(Unsupported):
        lower(parse(text), "k")
