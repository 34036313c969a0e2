"""From C to the plainest parallel program: what becomes a grid, a host loop, one block, or a copy."""

from __future__ import annotations

from cudaperf_magic.compiler.c.reader import read
from cudaperf_magic.compiler.cuda_writer import write_cuda
from cudaperf_magic.compiler.mapping import plan
from cudaperf_magic.compiler.moves.catalogue import apply
from cudaperf_magic.compiler.moves.move import Context
from cudaperf_magic.compiler.program import HostIf, HostLoop, Nest, Program
from cudaperf_magic.compiler.schedule import Step


def program(source: str) -> Program:
    return plan(read(source))


def test_a_loop_whose_iterations_are_apart_is_a_grid() -> None:
    made = program("void f(int n, float x[n]) { for (int i = 0; i < n; i++) x[i] *= 2; }")
    (nest,) = made.nodes
    assert isinstance(nest, Nest) and nest.axes == ("i",) and nest.team == 1


def test_a_sum_over_rows_runs_its_columns_side_by_side() -> None:
    source = "void f(int n, int m, float a[n][m], float s[m]) {"
    source += " for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s[j] += a[i][j]; }"
    (nest,) = program(source).nodes
    assert isinstance(nest, Nest) and nest.axes == ("j",)


def test_a_time_loop_stays_on_the_host_around_its_kernels() -> None:
    source = "void f(int t, int n, float a[n], float b[n]) { for (int s = 0; s < t; s++) {"
    source += " for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1];"
    source += " for (int i = 1; i < n - 1; i++) a[i] = b[i]; } }"
    (loop,) = program(source).nodes
    assert isinstance(loop, HostLoop) and [type(node) for node in loop.body] == [Nest, Nest]


def test_a_sweep_in_place_goes_by_diagonals() -> None:
    source = "void f(int n, float a[n][n]) { for (int i = 1; i < n; i++) for (int j = 1; j < n; j++)"
    source += " a[i][j] += a[i - 1][j] + a[i][j - 1]; }"
    (loop,) = program(source).nodes
    assert isinstance(loop, HostLoop) and loop.loop.var == "diagonal"
    (nest,) = loop.body
    assert isinstance(nest, Nest) and len(nest.loops) == 1


def test_a_diagonal_of_a_rectangle_asks_no_point_twice_whether_it_is_inside() -> None:
    source = "void f(int n, int m, int s[n][m]) { for (int i = 1; i < n; i++) for (int j = 1; j < m; j++)"
    source += " s[i][j] = s[i-1][j] + s[i][j-1]; }"
    assert write_cuda(program(source)).count("if (") == 2  # the launch's and the thread's
    triangle = source.replace("int j = 1;", "int j = i;")
    assert "j >= i" in write_cuda(program(triangle))


def test_nine_points_in_place_need_the_steeper_diagonal() -> None:
    source = "void f(int n, float a[n][n]) { for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)"
    source += " a[i][j] = a[i - 1][j + 1] + a[i][j - 1] + a[i + 1][j]; }"
    assert "diagonal = 2 * i + j" in write_cuda(program(source)) or "2 * i" in write_cuda(program(source))


def test_a_shift_in_place_reads_from_a_copy() -> None:
    made = program("void f(int n, int a[n]) { for (int i = 0; i < n - 1; i++) a[i] = a[i + 1]; }")
    assert [space.name for space in made.workspaces] == ["a_before"]
    assert all(isinstance(node, Nest) and node.loops for node in made.nodes)


def test_a_search_for_the_first_hit_is_a_minimum() -> None:
    source = (
        "int f(int n, const int v[n], int key) { for (int i = 0; i < n; i++) if (v[i] == key) return i; return -1; }"
    )
    made = program(source)
    assert not made.is_serial
    assert "block_min" in write_cuda(made)


def test_a_search_whose_test_may_divide_by_zero_is_left_alone() -> None:
    source = "int f(int n, const int v[n]) { for (int i = 0; i < n; i++) if (10 % v[i] == 0) return i; return -1; }"
    assert program(source).is_serial


def test_strides_that_are_not_above_zero_get_one_thread() -> None:
    source = "void f(int n, int s, float x[(n - 1) * s + 1]) { for (int i = 0; i < n; i++) x[i * s] = i; }"
    (choice,) = program(source).nodes
    assert isinstance(choice, HostIf)
    fallback = choice.other[0]
    assert isinstance(fallback, Nest) and fallback.is_fallback and fallback.team == 1


def test_a_temporary_array_of_constant_size_is_every_threads_own() -> None:
    source = "void f(int n, const float x[n], float y[n]) { float t[4]; for (int i = 0; i < n; i++) {"
    source += " for (int k = 0; k < 4; k++) t[k] = x[i] * k; y[i] = t[0] + t[3]; } }"
    made = program(source)
    assert made.nests[0].loops and not made.workspaces
    assert "float t[4];" in write_cuda(made)


def test_a_temporary_array_may_have_its_size_from_a_macro() -> None:
    source = "#define K 4\nvoid f(int n, const float x[n], float y[n]) { for (int i = 0; i < n; i++) { float t[K];"
    source += " for (int k = 0; k < K; k++) t[k] = x[i] * k; y[i] = t[0] + t[K - 1]; } }"
    assert program(source).nests[0].loops


def test_a_local_array_of_many_zeros_is_cleared_by_a_loop_and_then_gets_its_other_values() -> None:
    source = "void f(int n, const unsigned char x[n], int out[256]) { int h[256] = {7, 0, 9};"
    source += " for (int i = 0; i < n; i++) h[x[i]]++; for (int b = 0; b < 256; b++) out[b] = h[b]; }"
    text = write_cuda(program(source))
    assert "h[e] = 0;" in text and "h[0] = 7;" in text and "h[2] = 9;" in text and "h[1] = 0;" not in text


def test_a_value_that_one_kernel_leaves_for_the_next_has_a_cell() -> None:
    source = "void f(int n, const float x[n], float y[n]) { float s = 0; for (int i = 0; i < n; i++) s += x[i];"
    source += " for (int i = 0; i < n; i++) y[i] = x[i] / s; }"
    assert [space.name for space in program(source).workspaces] == ["s_cell"]


def test_a_scalar_read_after_its_loop_keeps_the_last_iterations_value() -> None:
    source = "void f(int n, const float x[n], float y[n], float out[1]) { float t = 0;"
    source += " for (int i = 0; i < n; i++) { t = x[i] * 2; y[i] = t; } out[0] = t; }"
    text = write_cuda(program(source))
    assert "t_cell[0] = t;" in text and "out[0] = t;" in text


def test_a_chain_of_dependent_steps_is_serial_and_says_why() -> None:
    made = program("void f(int n, float x[n]) { for (int i = 1; i < n; i++) x[i] = 3.7f * x[i - 1] * (1 - x[i - 1]); }")
    assert made.is_serial
    assert "line 1: " in made.serial_reasons[0] and "x[i - 1]" in made.serial_reasons[0]


def test_what_a_host_bound_calls_is_compiled_for_the_host_too() -> None:
    source = "static int least(int a, int b) { return a < b ? a : b; }\n"
    source += "void f(int n, int m, float x[n]) { for (int i = 0; i < least(n, m); i++) x[i] = 1; }"
    assert "__host__ __device__ int least" in write_cuda(program(source))


def test_a_team_combines_what_an_inner_loop_of_its_own_adds_up() -> None:
    # blocked_by_hand, on a device: threads of a team had added to the same elements without atomics.
    source = "void f(int n, float c[n]) { for (int r = 0; r < n; r += 16) for (int i = r; i < r + 16; i++)"
    source += " for (int k = 0; k < 16; k++) for (int j = 0; j < 1; j++) c[r] += k * i; }"
    made = plan(read(source))
    (nest,) = made.nests
    text = write_cuda(apply(made, Step("team", nest.name, (128,)), Context()))
    assert "atomicAdd" in text or "block_sum" in text
