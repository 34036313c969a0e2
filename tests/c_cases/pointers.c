void walk(int n, const float *x, float *y) { for (int i = 0; i < n; i++) *y++ = 2.0f * *x++; }
//
float walk_to_end(int n, const float *x) { float s = 0; for (const float *p = x; p < x + n; p++) s += *p; return s; }
//
float walk_not_equal(int n, const float *x) { float s = 0; const float *p = x, *end = x + n; while (p != end) s += *p++; return s; }
//
void rows(int n, int m, const float *a, float *b) { for (int i = 0; i < n; i++) { const float *row = a + i * m; float *out = &b[i * m]; for (int j = 0; j < m; j++) out[j] = row[j] + row[0]; } }
//
void rows_of_matrix(int n, int m, const float a[n][m], float b[n][m]) { for (int i = 0; i < n; i++) { const float *row = a[i]; float *out = &b[i][0]; for (int j = 0; j < m; j++) *(out + j) = row[j]; } }
//
void row_steps(int n, int m, const float *a, float *b) { const float *row = a; for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) b[i * m + j] = row[j]; row += m; } }
//
void swap_buffers(int n, int steps, float *a, float *b) { for (int t = 0; t < steps; t++) { for (int i = 1; i < n - 1; i++) b[i] = 0.5f * (a[i - 1] + a[i + 1]); float *s = a; a = b; b = s; } }
//
void swap_then_copy(int n, int steps, float *a, float *b, float *out) { float *cur = a, *next = b; for (int t = 0; t < steps; t++) { for (int i = 0; i < n; i++) next[i] = cur[i] * 0.5f + t; float *s = cur; cur = next; next = s; } for (int i = 0; i < n; i++) out[i] = cur[i]; }
//
void swap_three(int n, int steps, float *a, float *b, float *c) { for (int t = 2; t < steps + 2; t++) { for (int i = 0; i < n; i++) c[i] = a[i] + 0.5f * b[i]; float *s = a; a = b; b = c; c = s; } for (int i = 0; i < n; i++) a[i] += 1.0f; }
//
void swap_while(int n, int steps, int *a, int *b) { int t = 0, c = 0; while (c < 40 && t < steps) { c = 0; for (int i = 0; i < n; i++) { b[i] = a[i] + 1; c += b[i]; } int *s = a; a = b; b = s; t++; } a[0] = 77; }
//
void parity_select(int n, int steps, float *a, float *b) { for (int t = 0; t < steps; t++) { float *src, *dst; if (t % 2 == 0) { src = a; dst = b; } else { src = b; dst = a; } for (int i = 0; i < n; i++) dst[i] = src[i] + t; } }
//
void swap_matrices(int n, int m, int steps, float a[n][m], float b[n][m]) { float (*p)[m] = a, (*q)[m] = b; for (int t = 0; t < steps; t++) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) q[i][j] = p[i][j] * 2 + j; float (*s)[m] = p; p = q; q = s; } }
//
int difference(int n, const int *x) { const int *p = x; while (p < x + n && *p < 8) p++; return (int)(p - x); }
//
int from_the_back(int n, const int *x) { int s = 0; const int *p = x + n; while (p > x) s = s * 2 + *--p; return s; }
//
void negative_index(int n, float *x) { float *p = x + 1; for (int i = 0; i < n; i++) p[i - 1] = p[i] + 1; }
//
void alias_of_changing(int n, int *x) { int k = 0; for (int i = 0; i < n; i++) { int *p = x + k; k += 2; p[0] = k; p[1] = i; } }
//
void alias_by_element(int n, const int *start, float *x) { for (int i = 0; i < n; i++) { float *p = x + start[i]; p[0] += 1.0f; } }
//
void pointer_to_array(int n, int m, float (*a)[m], float *s) { for (int i = 0; i < n; i++) { s[i] = 0; for (int j = 0; j < m; j++) s[i] += a[i][j]; } }
//
void unsized_rows(int n, int m, float a[][m], float *s) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s[i] += (*(a + i))[j] + *(a[i] + j); }
//
void out_scalar(int n, const float *x, float *sum, float *count) { *sum = 0; for (int i = 0; i < n; i++) *sum += x[i]; count[0] = n; }
//
static void add(int n, float *x, float v) { for (int i = 0; i < n; i++) x[i] += v; }
void helper_on_offset(int n, float *x) { add(n / 2, x, 1.0f); add(n - n / 2, x + n / 2, 2.0f); add(1, &x[1], 3); }
//
static void minmax(int n, const int *x, int *lo, int *hi) { *lo = *hi = x[0]; for (int i = 1; i < n; i++) { if (x[i] < *lo) *lo = x[i]; if (x[i] > *hi) *hi = x[i]; } }
int helper_through_pointers(int n, const int *x) { if (n < 1) return 0; int a, b; minmax(n, x, &a, &b); return b - a; }
//
static int find(const int *x, int n, int v) { for (int i = 0; i < n; i++) if (x[i] == v) return i; return -1; }
void helper_early_return(int n, const int *x, int *y) { for (int i = 0; i < n; i++) y[i] = find(x, n, i) + 1; }
//
static int find2(int n, int m, const int x[n][m], int v) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { if (x[i][j] == v) return i * m + j; if (x[i][j] < 0) return -2; } return -1; }
int helper_return_two_levels(int n, int m, const int x[n][m]) { int s = 0; for (int v = 0; v < 4; v++) s = s * 7 + find2(n, m, x, v); return s; }
//
static int sign_at(const int *x, int i) { if (x[i] > 2) return 1; else if (x[i] < 1) return -1; x = x + 1; if (x[i] == 1) { return 5; } return 0; }
void helper_chain_of_returns(int n, const int *x, int *y) { for (int i = 0; i + 1 < n; i++) y[i] = sign_at(x, i) * 2; }
//
static void maybe(int *x, int i) { if (x[i] == 1) return; x[i] = 9; if (i > 3) { x[0]++; if (x[0] > 12) return; x[1]++; } x[2]++; }
void helper_void_returns(int n, int *x) { for (int i = 0; i < n; i++) maybe(x, i); }
//
static float at(const float *x, int i, int n) { return i < 0 ? x[0] : i >= n ? x[n - 1] : x[i]; }
void helper_as_expression(int n, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = at(x, i - 1, n) + at(x, i, n) + at(x, i + 1, n); }
//
static float dot(int n, const float *a, const float *b) { float s = 0; while (n-- > 0) s += *a++ * *b++; return s; }
void helper_consumes(int n, int m, const float *a, const float *b, float *c) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) c[i * n + j] = dot(m, a + i * m, b + j * m); }
//
static int count(const int *x, int n) { int c = 0; for (int i = 0; i < n; i++) c += x[i] > 1; return c; }
int helper_in_condition(int n, const int *x, int *y) { int r = 0; if (n > 2 && count(x, n) > 2) r = 1; for (int i = 0; i < n || count(x, n) > 100; i++) { y[i] = n > 3 ? count(x, i) : -1; r += y[i]; } return r; }
//
static void set(float *a, int i, float v) { a[i] = v; }
static void fill(float *a, int n, float v) { for (int i = 0; i < n; i++) set(a, i, v + i); }
void helpers_of_helpers(int n, float *a) { fill(a, n, 2); set(a, 0, -1); }
//
void null_checks(int n, const float *x, float *y) { if (!x || y == 0 || n <= 0) return; for (int i = 0; i < n; i++) y[i] = x[i]; }
//
#include <string.h>
void copies(int n, float *a, const float *b, int *c, unsigned char *d) { memset(c, 0, n * sizeof(int)); memset(d, 7, n); memcpy(a, b, sizeof(float) * n); memset(c + 1, -1, 2 * sizeof *c); memcpy(&a[n], b, 2 * sizeof(*b)); }
//
#include <string.h>
void copies_rows(int n, int m, float a[n][m], float b[n][m]) { memcpy(a, b, sizeof(float) * n * m); float t[8]; memset(t, 0, sizeof t); for (int i = 0; i < n; i++) memcpy(b[i], a[0], m * sizeof(float)); b[0][0] = t[3]; }
//
void local_arrays(int n, const int *x, int *y) { int w[3][4] = {{1, 2}, {3, 4, 5, 6}, {[2] = 7}}; int v[] = {9, 8, 7}; char s[] = "abc"; for (int i = 0; i < n; i++) y[i] = x[i] * w[i % 3][i % 4] + v[i % 3] + s[i % 4]; }
//
void local_vla(int n, const float *x, float *y) { float t[n + 1]; for (int i = 0; i <= n; i++) t[i] = i; for (int i = 0; i < n; i++) y[i] = x[i] + t[i + 1]; }
//
int text(int n, const int *x, char *y) { const char *hex = "0123456789abcdef"; for (int i = 0; i < n; i++) y[i] = hex[x[i] & 15]; return "xyz"[n % 3]; }
//
float cast_view(int n, int m, float *x) { float (*a)[m] = (float (*)[m])x; float s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += a[i][j] * (i - j); return s; }
