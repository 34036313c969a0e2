"""What the writer prints around the kernels: workspaces, helpers, sizes."""

from __future__ import annotations

from cudaperf_magic.bench.launcher import device_source
from cudaperf_magic.bench.nvrtc import build
from cudaperf_magic.compiler.c.reader import read
from cudaperf_magic.compiler.cuda_writer import write_cuda
from cudaperf_magic.compiler.mapping import plan
from cudaperf_magic.compiler.moves.catalogue import apply
from cudaperf_magic.compiler.moves.move import Context
from cudaperf_magic.compiler.schedule import Step
from cudaperf_magic.tasks.c import read_task


def cuda(source: str) -> str:
    return write_cuda(plan(read(source)))


def test_a_workspace_is_allocated_once_its_size_is_known() -> None:
    source = "void f(int n, float x[n]) { int half = n / 2; float t[half];"
    source += " for (int i = 0; i < half; i++) t[i] = x[2 * i]; for (int i = 0; i < half; i++) x[i] = t[i]; }"
    text = cuda(source)
    assert text.index("int half = n / 2;") < text.index("cudaMalloc(&t, sizeof(float) * half);") < text.index("<<<")
    assert text.rindex(">>>") < text.index("cudaFree(t);")


def test_a_workspace_as_large_as_a_time_step_is_made_inside_the_time_loop() -> None:
    source = "void f(int n, float x[n]) { for (int k = 1; k < n; k++) { float t[k];"
    source += " for (int i = 0; i < k; i++) t[i] = x[i + 1]; for (int i = 0; i < k; i++) x[i] = t[i]; } }"
    text = cuda(source)
    assert text.index("for (int k = 1; k < n; k++) {") < text.index("cudaMalloc(&t, sizeof(float) * k);")
    assert text.index("cudaFree(t);") < text.rindex("}\n}")


def test_flat_rows_are_indexed_in_64_bits_and_small_constant_arrays_are_not() -> None:
    source = "void f(int n, int m, float a[n][m], float b[4][8]) {"
    source += " for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = b[i % 4][j % 8]; }"
    text = cuda(source)
    assert "a[(size_t)i * m + j]" in text and "b[i % 4 * 8 + j % 8]" in text


def test_names_of_constants_are_kept() -> None:
    text = cuda("#define WIDTH 640\nvoid f(float x[WIDTH]) { for (int i = 0; i < WIDTH; i++) x[i] += 1; }")
    assert "#define WIDTH 640" in text and "i < WIDTH" in text


def test_what_math_h_names_brings_its_header() -> None:
    source = "void f(int n, int m, const float x[n][m], float y[n]) { for (int i = 0; i < n; i++) {"
    source += " float b = -INFINITY; for (int j = 0; j < m; j++) if (x[i][j] > b) b = x[i][j]; y[i] = b; } }"
    text = cuda("#include <math.h>\n" + source)
    assert "#include <math.h>" in text and build(device_source(text), names=("f_kernel",)).build.ok
    assert "#include" not in cuda(source.replace("-INFINITY", "-1e30f"))


def test_zeros_and_double_signs_are_not_printed_in_subscripts() -> None:
    source = "void f(int n, int m, float a[n][m]) { for (int i = 0; i < n; i++) a[i][0] = 1;"
    source += " for (int j = 1; j < m; j++) a[0][j] = 2; float v[9]; for (int i = 0; i < n; i++) { int k = 0;"
    source += " for (int d = -1; d <= 1; d++) v[k++] = a[i][d + 1]; a[i][1] = v[0] + v[1] + v[2]; } }"
    text = cuda(source)
    assert "a[(size_t)i * m] = 1;" in text and "a[j] = 2;" in text and "v[d + 1] = " in text


def test_a_row_and_a_column_of_their_own_that_became_subscripts_leave_no_unread_variables() -> None:
    source = "void wrap(int h, int w, const int *a, int *b) { for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) {"
    source += " int row = y, column = x; b[y * w + x] = a[row * w + column]; } }"
    text = write_cuda(plan(read_task(source)[1]))
    assert "= a[(size_t)y * w + x]" in text and "int row" not in text and "int column" not in text


def test_an_offset_in_a_halo_is_a_number_added() -> None:
    source = "void f(int n, const float u[n], float v[n]) { for (int i = 1; i < n - 1; i++)"
    source += " v[i] = u[i - 1] + u[i] + u[i + 1]; }"
    staged = apply(plan(read(source)), Step("stage", "f_kernel"), Context())
    text = write_cuda(staged)
    assert "u_tile[i - i0] + u_tile[i - i0 + 1] + u_tile[i - i0 + 2]" in text
    assert ">= 0" not in text  # i0 - 1 is 0 in the first block
