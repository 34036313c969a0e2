"""Every move: what it makes equals the C on odd sizes without races; what it must not touch it refuses, saying why."""

from __future__ import annotations

import pytest
from moved import context_for, cuda_of, program_of, task_of, verdict_of

from cudaperf_magic.bench.launcher import device_source
from cudaperf_magic.bench.nvrtc import build
from cudaperf_magic.compiler.analysis.dependence import analyse
from cudaperf_magic.compiler.moves.catalogue import apply, options
from cudaperf_magic.compiler.moves.loops import loop_options
from cudaperf_magic.compiler.moves.move import Refused
from cudaperf_magic.compiler.program import HostLoop
from cudaperf_magic.compiler.schedule import Step

SIZES = (0, 1, 31, 33, 300)
FROM_ONE = (1, 2, 31, 33, 300)

SUM = "int total(int n, const int x[n]) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }"
NORM = """float norm(int n, int m, const float x[n][m]) {
    float s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += x[i][j] * x[i][j]; return s; }"""
SCALE = """void scale(int n, int m, double a, const double A[n][m], double B[n][m]) {
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) B[i][j] = a * A[i][j] + (j > 2 ? A[i][j-1] : 0.0); }"""
UPPER = """void upper(int n, const unsigned char s[n], unsigned char d[n], int changed[n]) {
    for (int i = 0; i < n; i++) {
        unsigned char c = s[i];
        if (c >= 'a' && c <= 'z') { c = c - 32; changed[i] = 1; }
        d[i] = c;
    } }"""
BEST = """void best_of(int n, int g, const int key[n], const float x[n], float best[g]) {
    for (int i = 0; i < n; i++) if (x[i] > best[key[i]]) best[key[i]] = x[i]; }"""
LAST = """int last_best(int n, const float x[n]) {
    float b = x[0]; int at = 0;
    for (int i = 0; i < n; i++) if (x[i] >= b) { b = x[i]; at = i; }
    return at; }"""
BY_INDEX = """int best_at(int n, const float x[n]) {
    int at = 0; for (int i = 1; i < n; i++) if (x[i] > x[at]) at = i; return at; }"""
MATMUL = """void mm(int n, int m, int p, const float *a, const float *b, float *c) {
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
        float s = 0; for (int k = 0; k < p; k++) s += a[i * p + k] * b[k * m + j]; c[i * m + j] = 2 * s; } }"""
NORMALISE = """void normalise(int n, int m, float a[n][m]) {
    for (int i = 0; i < n; i++) {
        float s = 1; for (int j = 0; j < m; j++) s += a[i][j] * a[i][j];
        float inv = 1.0f / s; for (int j = 0; j < m; j++) a[i][j] = a[i][j] * inv; } }"""
CHAIN = """void chain(int n, int m, const float a[n][m], float b[n][m], float c[n][m]) {
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { float t = a[i][j] + 1; b[i][j] = t * t; }
    for (int k = 0; k < n; k++) for (int l = 0; l < m; l++) { float t = b[k][l] * 2; c[k][l] = t + a[k][l]; } }"""
CAPTURE = """void weigh(int n, int m, const float a[n], const float w[m], float b[n], float c[n][m]) {
    for (int i = 0; i < n; i++) b[i] = a[i] * 2;
    for (int k = 0; k < n; k++) for (int i = 0; i < m; i++) c[k][i] = b[k] * w[i]; }"""
HEAT = """void heat(int n, int steps, float a[n], float b[n]) {
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) b[i] = (a[i-1] + a[i] + a[i+1]) / 3;
        for (int i = 1; i < n - 1; i++) a[i] = b[i]; } }"""
HORNER = """double polynomial(int n, double x, const double c[n]) {
    double h = 0; for (int i = 0; i < n; i++) h = h * x + c[i]; return h; }"""
TWICE = "void twice(int n, const float g[n], float m[n]) { for (int i = 0; i < n; i++) m[i] += g[i] * g[i]; }"
POOL = """void pool(int n, const float x[2 * n], float y[n]) { for (int i = 0; i < n; i++) {
    float b = 0; for (int p = 0; p < 2; p++) if (x[2 * i + p] > b) b = x[2 * i + p]; y[i] = b; } }"""
OUTER = """void outer(int n, int m, const float a[n], const float b[m], float c[n][m]) {
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) c[i][j] = a[i] * b[j]; }"""
STRIDED = "void strided(int n, float x[n]) { for (int i = 0; i < n; i += 2) x[i] = x[i] * 2; }"
PAIRS = [{"n": n, "m": m} for n in (0, 1, 5, 33) for m in (0, 1, 40)]
N = [{"n": n} for n in SIZES]
POSITIVE = [{"n": n} for n in FROM_ONE]
KEYED = [{"n": n, "g": g} for n in (0, 1, 33, 5000) for g in (1, 7, 300)]

CASES = [
    pytest.param("histograms/bincount", "privatise(bincount_kernel, count)",
                 [{"n": n, "bins": b} for n in (0, 1, 33, 5000) for b in (1, 7, 20000)], id="bins-of-runtime-size"),
    pytest.param("histograms/histogram256", "privatise(histogram256_kernel2, hist)", N, id="bins-of-constant-size"),
    pytest.param("histograms/joint_histogram", "privatise(joint_histogram_kernel, table)", N, id="bins-by-two"),
    pytest.param("histograms/group_max", "privatise(group_max_kernel, best)", KEYED, id="bins-of-maxima"),
    pytest.param(BEST, "privatise(best_of_kernel, best)", KEYED, id="bins-of-float-maxima"),
    pytest.param("reductions/sum_of_squares_3d", "privatise(sum_of_squares_3d_kernel2, out)",
                 [{"a": a, "b": b, "c": c} for a in (0, 1, 5) for b in (1, 7) for c in (1, 33)], id="one-bin"),
    pytest.param("elementwise/axpby", "vector(axpby_kernel, 4)\nrestrict(axpby_kernel)", N, id="float4"),
    pytest.param(SCALE, "vector(scale_kernel, 2)", PAIRS, id="double2-in-rows"),
    pytest.param("elementwise/quantize", "vector(quantize_kernel, 4)", N, id="stored-only-and-narrower-than-loaded"),
    pytest.param("elementwise/rgb_to_gray", "vector(rgb_to_gray_kernel, 16)", N, id="three-interleaved-bytes"),
    pytest.param("transposes/copy_pitched", "vector(copy_pitched_kernel1, 16)",
                 [{"w": w, "h": h, "sp": s, "dp": d} for h in (0, 7)
                  for w, s, d in ((0, 0, 0), (33, 48, 64), (33, 48, 40), (32, 32, 32))],
                 id="vectors-in-rows-of-a-flat-array"),
    pytest.param(UPPER, "vector(upper_kernel, 16)", N, id="sixteen-bytes-and-a-conditional-store"),
    pytest.param("scans/exclusive_scan", "scan_blocks(exclusive_scan_kernel, 16)", N, id="exclusive-scan"),
    pytest.param("scans/prefix_sum", "scan_blocks(prefix_sum_kernel, 16)", N, id="scan-in-place"),
    pytest.param("scans/suffix_min", "scan_blocks(suffix_min_kernel, 16)", POSITIVE, id="scan-downwards"),
    pytest.param("scans/running_max", "scan_blocks(running_max_kernel, 16)", POSITIVE, id="scan-without-a-neutral"),
    pytest.param("scans/compact", "scan_blocks(compact_kernel, 16)", N, id="compaction"),
    pytest.param("scans/varying_recurrence", "scan_blocks(varying_recurrence_kernel, 16)", N, id="linear-recurrence"),
    pytest.param(HORNER, "scan_blocks(polynomial_kernel, 16)", [{"n": n} for n in (0, 1, 33)], id="last-of-a-scan"),
    pytest.param(SUM, "atomic_pass(total_kernel, 16)", N, id="one-atomic-a-block"),
    pytest.param(NORM, "two_pass(norm_kernel, 16)", PAIRS, id="two-passes-over-rows"),
    pytest.param(NORM, "two_pass(norm_kernel, 16, j)", PAIRS, id="two-passes-over-columns"),
    pytest.param(LAST, "two_pass(last_best_kernel, 16)", POSITIVE, id="arg-max-last-wins"),
    pytest.param(BY_INDEX, "two_pass(best_at_kernel, 16)", N, id="arg-max-by-index"),
    pytest.param(MATMUL, "split_k(mm_kernel, k, 4)",
                 [{"n": n, "m": m, "p": p} for n in (1, 17) for m in (1, 33) for p in (0, 1, 40)], id="split-k"),
    pytest.param(MATMUL, "tile(mm_kernel, k, 16)\ncoarsen(mm_kernel, 2, 2)\npad(mm_kernel)",
                 [{"n": n, "m": m, "p": p} for n in (1, 33) for m in (1, 31) for p in (0, 40)], id="tile-of-flat"),
    pytest.param("matmul/scaled_rows", "distribute(i)\ntile(scaled_rows_kernel2, k_2, 16)",
                 [{"rows": r, "cols": c, "depth": d} for r in (1, 33) for c in (1, 80) for d in (0, 1, 17, 64)],
                 id="tile-of-a-part-of-fixed-arrays"),
    pytest.param("matmul/chain_2mm", "tile(chain_2mm_kernel1, k, 16)", [{}], id="tile-of-a-running-element"),
    pytest.param("transposes/transpose", "stage(transpose_kernel)\npad(transpose_kernel)", PAIRS, id="transpose"),
    pytest.param(NORMALISE, "distribute(i)", PAIRS, id="distribute"),
    pytest.param(CHAIN, "fuse(i, k)", PAIRS, id="fuse"),
    pytest.param(CAPTURE, "fuse(i, k)", PAIRS, id="fuse-with-an-inner-loop-of-the-first-ones-name"),
    pytest.param(HEAT, "one_block(t)", [{"n": n, "steps": t} for n in (0, 33, 300) for t in (0, 1, 5)], id="one-block"),
    pytest.param("solvers/lu", "one_block(k)", [{"n": n} for n in (0, 1, 2, 33)], id="one-block-of-lu"),
    pytest.param("solvers/lu", "panel(k, 16)\ntile(lu_kernel5, k_4, 16)\ncoarsen(lu_kernel5, 2, 2)\npad(lu_kernel5)",
                 [{"n": n} for n in (0, 1, 16, 33, 70)], id="panels-of-lu"),
    pytest.param("solvers/cholesky", "panel(j, 16)\ntile(cholesky_kernel5, k_13, 16)",
                 [{"n": n} for n in (0, 1, 16, 40)], id="panels-of-cholesky"),
    pytest.param("solvers/forward_substitution", "panel(i_2, 8)\nteam(forward_substitution_kernel2, 32)",
                 [{"n": n} for n in (0, 1, 8, 33)], id="panels-of-a-triangular-solve"),
    pytest.param("solvers/gram_schmidt", "panel(k, 4)", [{"m": m, "n": n} for m in (9, 33) for n in (1, 9)],
                 id="panels-of-gram-schmidt"),
    pytest.param("matmul/syrk", "tile(syrk_kernel, l, 16)\ncoarsen(syrk_kernel, 2, 2)\npad(syrk_kernel)",
                 [{"n": n, "k": k} for n in (0, 1, 40) for k in (0, 17)], id="two-tiles-of-one-array"),
    pytest.param("reductions/sum_of_squares_3d", "hold(i)\ntwo_pass(sum_of_squares_3d_kernel, 8)",
                 [{"a": a, "b": b, "c": c} for a in (0, 1, 5) for b in (1, 7) for c in (1, 33)], id="hold"),
    pytest.param("reductions/argmax", "carry(i)\ntwo_pass(argmax_kernel, 8)", POSITIVE, id="carry"),
    pytest.param(BY_INDEX, "carry(i)\ntwo_pass(best_at_kernel, 8)", N, id="carry-over-nothing"),
    pytest.param("dynamic/lcs", "wave_tiles(diagonal, 8)\nteam(lcs_kernel, 32)",
                 [{"n": n, "m": m} for n in (0, 1, 8, 33) for m in (0, 7, 20)], id="wavefront-by-tiles"),
    pytest.param("matvec/atax", "distribute(i)", PAIRS, id="distribute-a-sum-from-its-use"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "schedule", "cases"), CASES)
def test_what_a_move_makes_equals_the_c_on_odd_sizes_without_races(
    source: str, schedule: str, cases: list[dict[str, int]]
) -> None:
    plain = cuda_of(source, "")
    assert cuda_of(source, schedule) != plain, "the move changed nothing"
    verdict = verdict_of(source, schedule, cases)
    assert verdict.ok, verdict.reason


@pytest.mark.parametrize(
    ("source", "schedule", "words"),
    [
        ("elementwise/axpby", "privatise(axpby_kernel, y)", "no colliding updates"),
        ("elementwise/axpby", "vector(axpby_kernel, 8)", "more than the 16 bytes"),
        ("elementwise/axpby", "vector(axpby_kernel, 4)\ncoarsen(axpby_kernel, 4)", "several points already"),
        (STRIDED, "vector(strided_kernel, 4)", "do not follow one another"),
        ("stencils/jacobi1d", "vector(jacobi1d_kernel1, 4)", "multiple of 4"),
        ("reductions/dot", "atomic_pass(dot_kernel, 16)", "whole numbers"),
        ("reductions/dot", "scan_blocks(dot_kernel, 16)", "no scan"),
        ("scans/prefix_sum", "two_pass(prefix_sum_kernel, 16)", "no reduction"),
        (HEAT, "fuse(i, i_2)", "later iterations"),
        (CHAIN, "one_block(i)", "threads already"),
        ("scans/prefix_sum", "distribute(i)", "depend on one another"),
        ("elementwise/axpby", "unroll(axpby_kernel, k, 4)", "no loop k"),
        ("elementwise/axpby", "panel(i, 16)", "need not go in order"),
        (HEAT, "panel(t, 16)", "nothing can be taken out"),
        ("solvers/lu", "panel(k, 1)", "2 to 256 iterations"),
        ("reductions/dot", "hold(i)", "does not update one element"),
        (HEAT, "wave_tiles(t, 8)", "does not walk the diagonals"),
        (
            "void f(int n, float a[n][n]) { for (int i = 2; i < n; i++) for (int j = 1; j < n - 1; j++)"
            " a[i][j] = a[i - 2][j + 1] + a[i][j - 1]; }",
            "wave_tiles(diagonal, 8)",
            "tiles would need each other",
        ),
        (LAST, "carry(i)", "does not look for the index"),
        ("solvers/lu", "tile(lu_kernel3, k, 16)", "no loop k"),
        ("sparse/csr_spmv", "tile(csr_spmv_kernel, k, 128)", "whole block"),
        ("convolutions/conv1d", "stage(conv1d_kernel, w)", "no box of constant size"),
        (TWICE, "stage(twice_kernel)", "no element twice in a block"),
        (POOL, "team(pool_kernel, 128)", "too little for a team"),
        (OUTER, "stage(outer_kernel)\npad(outer_kernel)", "no columns"),
        (
            "void f(int n, int m, const float h[m], const float x[n], float y[n]) { for (int i = 0; i < n; i++) {"
            " float s = 0; for (int k = 0; k < m; k++) { if (k > i) break; s += h[k] * x[i - k]; } y[i] = s; } }",
            "tile(f_kernel, k, 128)",
            "can be left early",
        ),
    ],
)
def test_a_move_that_does_not_apply_says_why(source: str, schedule: str, words: str) -> None:
    with pytest.raises(Refused) as refused:
        program_of(source, schedule)
    assert words in str(refused.value)


def test_vectors_are_single_accesses_of_sixteen_bytes_in_the_ptx() -> None:
    compiled = build(device_source(cuda_of("elementwise/axpby", "vector(axpby_kernel, 4)")), names=("axpby_kernel",))
    lines = [line.strip() for line in compiled.ptx.splitlines()]
    assert sum(line.startswith("ld.global.v4.f32") for line in lines) == 2
    assert sum(line.startswith("st.global.v4.f32") for line in lines) == 1


def test_bins_that_may_not_fit_leave_the_plain_kernel_for_the_host_to_take() -> None:
    names = [nest.name for nest in program_of("histograms/bincount", "privatise(bincount_kernel, count)").nests]
    assert names == ["bincount_kernel", "bincount_kernel_global"]
    assert len(program_of("histograms/histogram256", "privatise(histogram256_kernel2, hist)").nests) == 2


def test_distribute_moves_the_accumulating_nest_of_a_product_to_a_grid_of_two_axes() -> None:
    program = program_of("matmul/gemm", "distribute(i)")
    assert [len(nest.loops) for nest in program.nests] == [2, 2]


def test_an_unrolled_loop_carries_the_pragma_and_the_reason() -> None:
    text = cuda_of(MATMUL, "unroll(mm_kernel, k, 4)")
    assert "#pragma unroll 4" in text and "// The loop over k is unrolled, so that independent loads are" in text
    steps = "void steps(int n, int t, float x[n]) { for (int i = 0; i < n; i++) { float v = x[i];"
    steps += " for (int k = 0; k < t; k++) v = v * v - 0.5f; x[i] = v; } }"
    assert "is unrolled, so that less is spent on counting" in cuda_of(steps, "unroll(steps_kernel, k, 4)")


@pytest.mark.parametrize(
    "source", ["elementwise/axpby", "reductions/dot", "scans/compact", MATMUL, "histograms/bincount"]
)
def test_every_option_applies_or_is_refused_and_what_applies_compiles(source: str) -> None:
    program, context = program_of(source, ""), context_for(task_of(source)[0])
    made = 0
    for _, step in options(program, context):
        try:
            apply(program, step, context)
        except Refused:
            continue
        made += 1
        text = cuda_of(source, str(step))
        compiled = build(device_source(text))
        assert compiled.build.ok, f"{step}: {compiled.build.log}"
    assert made >= 2


def test_what_lies_beyond_a_strip_of_lu_is_one_kernel_a_strip() -> None:
    program = program_of("solvers/lu", "panel(k, 16)")
    trailing = program.nests[-1]
    assert len(trailing.loops) == 2 and not any(loop.var == "k" for loop in trailing.loops)
    strips = [node for node in program.nodes if isinstance(node, HostLoop)]
    assert [node.loop.step for node in strips] == [16]
    assert not any(isinstance(node, HostLoop) for node in strips[0].body), "launches for every k are left"


def test_a_tile_of_an_array_that_is_written_elsewhere_stops_at_what_is_written() -> None:
    text = cuda_of("solvers/lu", "panel(k, 16)\ntile(lu_kernel5, k_4, 16)")
    assert "k0 + t1 < min(k_strip + 16, n)" in text
    with pytest.raises(Refused):  # here the rows that are read are those that are written
        program_of("graphs/floyd_warshall", "stage(floyd_warshall_kernel5)")


def test_all_loads_of_a_tile_are_under_way_before_the_first_is_stored() -> None:
    ptx = build(device_source(cuda_of("transposes/transpose", "stage(transpose_kernel)")), names=()).ptx
    lines = [line.strip() for line in ptx.splitlines()]
    accesses = [line[:9] for line in lines if line.startswith(("ld.global", "st.shared"))]
    assert accesses == ["ld.global"] * 4 + ["st.shared"] * 4 or "#pragma unroll" in cuda_of(
        "transposes/transpose", "stage(transpose_kernel)"
    )


def test_a_scan_that_runs_over_blocks_already_is_left_alone() -> None:
    source = "void offsets(int n, const int len[n], int start[n + 1]) {"
    source += " start[0] = 0; for (int i = 0; i < n; i++) start[i + 1] = start[i] + len[i]; }"
    program, context = program_of(source, "scan_blocks(offsets_kernel, 16)"), context_for(task_of(source)[0])
    for name in [nest.name for nest in program.nests]:
        with pytest.raises(Refused):
            apply(program, Step("scan_blocks", name, (16,)), context)


def test_loop_options_name_loops_that_their_moves_accept() -> None:
    function = program_of(HEAT, "").function
    steps = [str(step) for _, step in loop_options(function, analyse(function))]
    assert steps == ["one_block(t)"]
    function = program_of(CHAIN, "").function
    assert "fuse(i, k)" in [str(step) for _, step in loop_options(function, analyse(function))]
