void while_up(int n, const int *x, int *y) { int i = 0; while (i < n) { y[i] = x[i] + i; i++; } }
//
int while_up_read_after(int n, const int *x, int *y) { int i = 0; while (i < n) { y[i] = x[i]; i += 2; } return i; }
//
int while_down(int n, int *y) { int k = 0; while (n--) { y[n] = n * 3; k += n; } return k * 100 + n; }
//
int while_down_positive(int n, int *y) { while (n-- > 0) y[n] = n; return n; }
//
int pre_decrement(int n, int *y) { while (--n >= 0) y[n] = n; return n; }
//
unsigned unsigned_down(unsigned n, unsigned *y) { unsigned s = 0; for (unsigned i = n; i-- > 0;) { y[i] = i; s = s * 31u + i; } return s; }
//
unsigned unsigned_while(unsigned n, unsigned *y) { while (n--) y[n] = n; return n; }
//
int up_and_post(int n, int *y) { int i = 0; while (i++ < n) y[i] = i; return i; }
//
int up_and_pre(int n, int *y) { int i = 0; while (++i < n) y[i] = i; return i; }
//
void two_variables(int n, int *x) { int i, j; for (i = 0, j = n - 1; i < j; i++, j--) { int t = x[i]; x[i] = x[j]; x[j] = t; } }
//
int two_variables_after(int n, int *x) { int i, j; for (i = 0, j = n; i <= j; i++, j -= 2) x[i] = j; return i * 1000 + j; }
//
int two_variables_body(int n, int *x) { int i = 0, j = n - 1; while (i < j) { x[i] += x[j]; i++; j--; } return i - j; }
//
int running_index(int n, int m, int *x) { int k = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) x[k++] = i * j; return k; }
//
int running_index_skip(int n, int m, int *x) { int k = 3; for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) { x[k] = j; k += 2; } k++; } return k; }
//
int index_reset(int n, int m, int *x) { int k; int s = 0; for (int i = 0; i < n; i++) { k = i; for (int j = 0; j < m; j++) { s += x[k]; k += n; } } return s; }
//
int index_break(int n, int *x) { int k = 0; for (int i = 0; i < n; i++) { k += 2; if (x[i] > 3) break; x[k] = i; } return k; }
//
int index_break_after(int n, int *x) { int k = 1; for (int i = 0; i < n; i++) { if (x[i] == 5) break; x[k] = x[i] + 1; k += 3; } return k; }
//
int index_continue(int n, int *x) { int k = 0; for (int i = 0; i < n; i++) { if (x[i] & 1) continue; x[k++] = x[i]; } return k; }
//
int next_twice(int n, int *x) { int s = 0; for (int i = 0, k = 5; i < n; i++, k += 3) { if (x[i] & 1) continue; s += k * x[i]; } return s; }
//
int step_after(int n, int *x) { int s = 0; int i; for (i = 0; i < n; i++, s += i) x[i] = s; return s + i; }
//
int bound_changes(int n, int *x) { int c = 0; for (int i = 0; i < n; i++) { x[i] = n; if (x[i] > 4) n--; c++; } return c; }
//
int bound_is_element(int n, int *x) { int c = 0; x[0] = n; for (int i = 0; i < x[0]; i++) { c += i; if (i == 2) x[0] = 4; } return c; }
//
int bound_is_other_element(int n, const int *e, int *x) { int c = 0; for (int i = 0; i < e[0]; i++) x[i] = c++; return c; }
//
int variable_changes(int n, int *x) { int c = 0; for (int i = 0; i < n; i++) { c++; if (x[i] == 1) i++; } return c; }
//
int doubling(int n, int *x) { int c = 0; for (int i = 1; i < n; i *= 2) x[c++] = i; return c; }
//
int halving(int n, int *x) { int c = 0; for (int i = n; i > 0; i /= 2) x[c++] = i; return c; }
//
int step_two_down(int n, int *x) { int i; for (i = n - 1; i >= 0; i -= 2) x[i] = i; return i; }
//
int step_three(int n, int *x) { int i; for (i = 2; i < n; i += 3) x[i] = i; return i; }
//
unsigned step_down_wraps(unsigned n, int *x) { unsigned c = 0; for (unsigned i = n; i > 1u; i -= 2u) { x[i] = 1; c++; } return c; }
//
int not_equal(int n, int *x) { int i; for (i = 0; i != n; i++) x[i] = i * i; return i; }
//
int not_equal_down(int n, int *x) { int i; for (i = n; i != 0; --i) x[i] = i; return i; }
//
int symbolic_step(int n, int m, int *x) { int c = 0; for (int i = 0; i < n; i += m) { x[i] = 1; c++; } return c; }
//
int extra_condition(int n, int *x) { int i; for (i = 0; i < n && x[i] != 2; i++) x[i] = 7; return i; }
//
int extra_condition_first(int n, int *x) { int done = 0, i; for (i = 0; !done && i < n; i++) if (x[i] == 2) done = 1; return i * 2 + done; }
//
int find_break(int n, const int *x) { int i; for (i = 0; i < n; i++) if (x[i] == 3) break; return i; }
//
int find_break_down(int n, const int *x) { int i; for (i = n - 1; i >= 0; i--) if (x[i] == 1) break; return i; }
//
int nested_break(int n, const int *x) { int i, j = 0, c = 0; for (i = 0; i < n; i++) { for (j = 0; j < i; j++) { if (x[j] > x[i]) break; c++; } c += 10 * j; } return c * 10 + i + j; }
//
int reused(int n, int *x) { int i; for (i = 0; i < n; i++) x[i] = i; for (i = 1; i < n; i++) x[i] += x[i - 1]; for (; i > 0; i--) x[i] -= 1; return i; }
//
int reused_for_scalar(int n, int *x) { int i = n / 2; x[0] = i; for (i = 0; i < n; i++) x[i] = i; i = 5; return i + x[0]; }
//
int shared_name(int n, int *x) { int s = 0; for (int i = 0; i < n; i++) { int t = x[i]; s += t; } for (long i = 0; i < n; i++) { float t = x[i]; s += (int)t; } return s; }
//
int shadowed(int n, int *x) { int i = 3; for (int i = 0; i < n; i++) { for (int i = 0; i < 2; i++) x[i]++; x[i] += 5; } return i + x[0]; }
//
int do_while_continue(int n, int *x) { int i = 0, c = 0; do { i++; if (x[i] & 1) continue; c += x[i]; } while (i < n); return c; }
//
int do_while_effect(int n, int *x) { int i = 0, c = 0; do { c += x[i]; if (c > 50) continue; c++; } while (++i < n); return c * 100 + i; }
//
int do_once(int n, int *x) { do { x[0] = n; x[1] = n + 1; } while (0); return x[1]; }
//
int forever(int n, const int *x) { int i = 0; for (;;) { if (x[i] > 2) break; if (++i >= n) return -1; } return i; }
//
int forever_tested(int n, const int *x) { int i = 0, s = 0; while (1) { if (i >= n || s > 20) break; s += x[i]; i++; } return s * 100 + i; }
//
int return_inside(int n, int m, const int x[n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) if (x[i][j] == 2) return i * m + j; return -1; }
//
int shifted_bound(int n, int *x) { int c = 0; for (int i = 0; i + 3 < n; i++) c += x[i + 3]; for (int i = n; i - 2 >= 0; i--) c += i; return c; }
//
int len_bound(int n, int k, int *x) { int c = 0; for (int i = 0; i + k <= n; ++i) { x[i] = i; c++; } for (int i = 0; i < n - k; ++i) c += x[i]; return c; }
//
int flipped(int n, int *x) { int c = 0; for (int i = 0; n > i; i++) c += x[i]; for (int i = n - 1; 0 <= i; --i) c -= i; return c; }
//
long narrow(int n, int *x) { long s = 0; for (unsigned char c = 0; c < 200; c++) s += c; for (short k = 0; k < 100; k++) s += x[k % (n + 1)]; return s; }
//
int size_index(unsigned long n, int *x) { int c = 0; for (unsigned long i = 0; i < n; ++i) { int k = (int)i; x[i] = k; c += k; } for (unsigned long i = n - 1; i < n; i--) c += x[i] * (int)i; return c; }
//
int long_pointer_index(long n, const short *x) { int s = 0; const short *p = x; while (n--) s += *p++; return s; }
//
int float_loop(int n, float *y) { int c = 0; for (float f = 0.0f; f < 1.0f; f += 0.25f) y[c++] = f; return c; }
//
int float_bound(int n, int *x) { int c = 0; for (int i = 0; i < n * 0.5; i++) { x[i] = i; c++; } return c; }
//
int count_primes(int n) { int c = 0; for (int i = 2; i <= n; i++) { int prime = 1; for (int d = 2; d * d <= i; d++) if (i % d == 0) { prime = 0; break; } c += prime; } return c; }
//
void bubble(int n, int *x) { int swapped; do { swapped = 0; for (int i = 1; i < n; i++) if (x[i - 1] > x[i]) { int t = x[i]; x[i] = x[i - 1]; x[i - 1] = t; swapped = 1; } } while (swapped); }
//
void insertion(int n, int *a) { int i, j; for (i = 1; i < n; i++) { int key = a[i]; j = i - 1; while (j >= 0 && a[j] > key) { a[j + 1] = a[j]; j--; } a[j + 1] = key; } }
//
int gcd_all(int n, const int *x, int *y) { int s = 0; for (int i = 0; i < n; i++) { int a = x[i] + 1, b = i + 1; while (b) { int t = a % b; a = b; b = t; } y[i] = a; s += a; } return s; }
//
int induction_of_induction(int n, int *x) { int a = 0, b = 0, s = 0; for (int i = 0; i < n; i++) { s += a * b; x[i] = b; a += 2; b += a; } return s + a + b; }
//
unsigned char byte_step(int n, unsigned char *x) { unsigned char k = 0; for (int i = 0; i < n; i++) { x[i] = k; k += 90; } return k; }
//
unsigned unsigned_step(int n, unsigned *x) { unsigned k = 4000000000u; for (int i = 0; i < n; i++) { x[i] = k; k += 400000000u; } return k; }
//
long long_step(int n, long *x) { long k = 1; int d = 1 << 30; for (int i = 0; i < n; i++) { x[i] = k; k += d; } return k; }
//
int comma_body(int n, int *x) { int a, b, c = 0; for (int i = 0; i < n; i++) a = x[i], b = a + 1, c += a * b; return c; }
//
int empty_body(int n, const int *x) { int i; for (i = 0; i < n && x[i] < 90; i++); return i; }
//
int two_counters(int n, int *x) { int i = 0, j = 0; while (i < n && j < 2 * n) { x[i] += j; i++; j += 3; } return i * 100 + j; }
//
int merge(int n, const int *a, const int *b, int *c) { int i = 0, j = 0, k = 0; while (i < n && j < n) { if (a[i] <= b[j]) c[k++] = a[i++]; else c[k++] = b[j++]; } while (i < n) c[k++] = a[i++]; while (j < n) c[k++] = b[j++]; return k; }
//
int break_after_step(int n, int *x) { int i = 0; while (i < n) { x[i] += 1; i++; if (x[i] == 2) break; } return i; }
//
int at_least_once(int n, int *x) { int i = 0; do { x[i] += i; i++; } while (i < n); return i; }
//
int at_least_once_by_three(int n, int *x) { int i = n / 2; do { x[i] += 7; i += 3; } while (i <= n - 2); return i; }
//
int at_least_once_down(int n, int *x) { int i = n; do { x[i] = i; i -= 2; } while (i > 3); return i; }
//
int steps_beside_the_test(int n, int *x) { int i = 0, j = 0; while (j += 2, i < n) { x[i] = j; i++; } return j; }
//
int steps_in_both_places(int n, int *x) { int s = 0; int j = 5; for (int i = 0; j--, i < n; i++) { x[i] = j; s += j; } return s * 3 + j; }
