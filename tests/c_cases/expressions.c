#include <math.h>
void math_types(int n, const float *x, double *y) { for (int i = 0; i < n; i++) y[i] = sqrt(fabs(x[i])) + pow(x[i], 2) + fmax(x[i], 1) + abs((int)x[i]) + fabsf(x[i]) * 0.1 + floor(x[i]) + expf(x[i]) + ldexp(x[i], 2); }
//
int effects(int n, int *x) { int i = 0, j, k; x[i++] = 5; j = i++ * 2; k = ++i + j--; x[k % (n + 1)] += j; return i * 100 + j * 10 + k; }
//
int chained(int n, int *x) { int a, b, c; a = b = c = n; x[0] = x[1] = a + 1; a += b -= c = 2; return a * 100 + b * 10 + c; }
//
int logic(int n, int *x) { int c = 0; for (int i = 0; i < n; i++) { if (x[i] > 1 && c++ < 3) x[i] = 9; if (x[i] == 0 || (c += 2) > 5) x[i]++; } return c; }
//
int conditional_effects(int n, int *x) { int a = 0, b = 0; for (int i = 0; i < n; i++) { int v = x[i] & 1 ? a++ : (b += 2); x[i] = v; } return a * 100 + b; }
//
int comma(int n, int *x) { int a = (x[0] = n, n + 1); return (a++, a * 2); }
//
unsigned bits(unsigned n, unsigned *x) { unsigned h = 2166136261u; for (unsigned i = 0; i < n; i++) { h ^= x[i] & 0xffu; h *= 16777619u; h = (h << 13) | (h >> 19); h += ~i; } return h; }
//
long mixed(int n, const signed char *a, const unsigned char *b, const short *c, const unsigned short *d) { long s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i] - c[i] / (d[i] + 1) + (a[i] << 3) - (b[i] >> 1) + (a[i] < b[i]) + (unsigned)c[i] % 7; return s; }
//
unsigned char wrap(int n, unsigned char *x) { unsigned char s = 250; for (int i = 0; i < n; i++) { s += x[i]; x[i] = s * 3; x[i] <<= 1; x[i]--; } return s; }
//
#include <stdbool.h>
bool booleans(int n, bool *x, const int *y) { bool any = false, all = 1; for (int i = 0; i < n; i++) { any |= y[i] > 2; all = all && y[i]; x[i] = y[i]; x[i] ^= any; } return any && !all; }
//
int octal2(int n, int *x) { x[0] = 010; x[1] = 0x1F; x[2] = 'a' + '\n' + '\\' + '\x41'; x[3] = -017; return 0777 & 0xF0uL; }
//
double literals(int n, float *x) { x[0] = 1e-3f; x[1] = .5; x[2] = 0x1p3; x[3] = 3; return 1.5e2 + 7 / 2 + 7 / 2.0 + 1u; }
//
int precedence(int a, int b, int c) { return (a + b) * c - a - (b - c) + (a & b | c ^ 3) + (a << (b & 3) + 1) + ((a, b), c) - -a + !(a == b) + (a < b == c > 0) + (a ? b ? 1 : 2 : c ? 3 : 4) + a / (b + 20) * 3 % 7; }
//
long sizes(int n, int *x) { double t[5]; t[0] = 1; return sizeof(int) + sizeof t + sizeof(t) / sizeof(t[0]) + sizeof x[0] * n + sizeof(long long) + (long)t[0]; }
//
int casts(int n, const float *x) { int s = 0; for (int i = 0; i < n; i++) s += (int)x[i] + (unsigned char)(x[i] * x[i] * 10) + (int)(float)i / 2; return s; }
//
#define N 8
#define HALF (N / 2)
#define SQR(x) ((x) * (x))
#define EPS 1e-3f
#ifndef EXTRA
#define EXTRA 3
#endif
#if N > 4
#define BIGGER 1
#else
#define BIGGER 0
#endif
float macros(const float x[N], float y[N][HALF]) { float s = 0; for (int i = 0; i < N; i++) for (int j = 0; j < HALF; j++) { y[i][j] = SQR(x[i]) + EPS * j + EXTRA + BIGGER; s += y[i][j]; } return s; }
//
enum color { RED, GREEN = 5, BLUE };
typedef enum { OFF = -1, ON } state;
int enums(int n, const int *x) { int s = 0; enum color c = BLUE; state t = OFF; for (int i = 0; i < n; i++) s += x[i] == RED ? GREEN : c + t + ON; return s; }
//
typedef float real;
typedef real row[4];
typedef struct point { real x, y; int tag; } point_t;
real typedefs(int n, const row *a, point_t *p) { real s = 0; for (int i = 0; i < n; i++) { point_t q = p[i]; q.x += a[i][1]; q.tag++; p[i] = q; s += q.y; } return s; }
//
struct vec { float x, y, z; };
struct ball { struct vec pos, vel; float r; };
static struct vec add3(struct vec a, struct vec b) { struct vec c = {a.x + b.x, a.y + b.y, a.z + b.z}; return c; }
static struct vec scale(struct vec a, float f) { return (struct vec){a.x * f, a.y * f, a.z * f}; }
static float dot3(const struct vec *a, const struct vec *b) { return a->x * b->x + a->y * b->y + a->z * b->z; }
float structs(int n, struct ball *b, float dt) { float e = 0; for (int i = 0; i < n; i++) { b[i].pos = add3(b[i].pos, scale(b[i].vel, dt)); struct ball *q = b + i; if (dot3(&q->pos, &b[i].vel) > 0) { q->vel.x = -q->vel.x; q->r *= 0.5f; } e += q->vel.x * q->vel.x; } return e; }
//
struct pair { int a, b; };
void struct_swap(int n, struct pair *p) { for (int i = 0; i + 1 < n; i += 2) { struct pair t = p[i]; p[i] = p[i + 1]; p[i + 1] = t; p[i] = (struct pair){p[i].b, p[i].a}; struct pair u = {.b = 3}; p[i].a += u.a + u.b; } }
//
struct one { int count; float sum; };
void struct_pointer(int n, const float *x, struct one *out) { out->count = 0; out->sum = 0; for (int i = 0; i < n; i++) { out->count++; out->sum += x[i]; } }
//
struct grid { float cell[3]; int id; };
float struct_arrays(int n, struct grid *g) { float s = 0; for (int i = 0; i < n; i++) { g[i].cell[0] = g[i].cell[1] + g[i].id; for (int k = 0; k < 3; k++) s += g[i].cell[k] * (k + 1); } return s; }
//
static const float weights[2][3] = {{0.5f, 1, 2}, {3}};
static const int days[] = {31, 28, 31};
const int OFFSET = 4;
float tables(int n, const int *x) { static const short local[3] = {7, 8, 9}; float s = 0; for (int i = 0; i < n; i++) s += weights[x[i] & 1][i % 3] * days[i % 3] + OFFSET + local[i % 3]; return s; }
//
float A[6][5], total_seen = 2.5f;
int calls_seen;
float globals(int n) { float s = total_seen; for (int i = 0; i < 6; i++) for (int j = 0; j < 5; j++) { s += A[i][j]; A[i][j] = n; } calls_seen += n; calls_seen++; return s + calls_seen; }
//
int switches(int n, const int *op, int *x) { int c = 0; for (int i = 0; i < n; i++) { switch (op[i] & 7) { case 0: x[i] = 1; break; case 1: case 2: x[i] += 2; case 3: x[i] *= 2; break; case 4: { x[i] = 7; break; } case 5: continue; case 6: return i; default: x[i]--; } c += x[i]; } return c; }
//
int switch_changes(int n, int *x) { int s = n & 3; switch (s) { default: s = 9; break; case 1: s = 2; break; case 2: s = 1; break; } return s; }
//
static int fib(int n) { int a = 0, b = 1; for (int i = 0; i < n; i++) { int t = a + b; a = b; b = t; } return a; }
static int clamp(int v, int lo, int hi) { if (v < lo) return lo; if (v > hi) return hi; return v; }
int helpers(int n, int *x) { int s = 0; for (int i = 0; i < n; i++) { x[i] = clamp(fib(i), 1, n); s += x[i]; } return s; }
//
int early(int n, const int *x) { if (n <= 0) return -1; int s = 0; for (int i = 0; i < n; i++) { if (x[i] > 100) return i; s += x[i]; } if (s > 10) { return s; } else { s++; } return s * 2; }
//
float if_dangling(int n, const float *x) { float s = 0; for (int i = 0; i < n; i++) if (x[i] > 0) if (x[i] > 1) s += 1; else s += 2; else s -= 1; return s; }
//
int modified_parameters(int n, int a, float f, int *x) { a = a * 2 + 1; f += a; n = n / 2; for (int i = 0; i < n; i++) x[i] = a + (int)f; return n + a; }
//
void vla_of_modified(int n, float x[n]) { n = n / 2; for (int i = 0; i < n; i++) x[i] = n; }
//
int reserved_words(int n, int *new, int class) { int this = 0, blockIdx = 1; for (int template = 0; template < n; template++) { this += new[template] * class; blockIdx++; } return this + blockIdx; }
//
int names_collide(int n, int *i_2) { int i_end = 1; int i; for (i = 0; i < n; i++) i_2[i] = i_end++; return i + i_end; }
//
#include <limits.h>
#include <float.h>
#include <stdint.h>
#include <math.h>
double limits(int n, const float *x, int64_t *y) { float best = -FLT_MAX; int lo = INT_MAX, hi = INT_MIN; for (int i = 0; i < n; i++) { if (x[i] > best) best = x[i]; if (lo > (int)x[i]) lo = (int)x[i]; if (hi < (int)x[i]) hi = (int)x[i]; y[i] = INT64_C(5) << 33 | UINT8_MAX; } float m = INFINITY; for (int i = 0; i < n; i++) m = fminf(m, x[i]); return isinf(m) ? best : m + lo + hi; }
//
#include <assert.h>
int asserted(int n, const int *x) { assert(n >= 0 && "size"); (void)x; int s = 0; ; for (int i = 0; i < n; ++i) { assert(x[i] >= 0); s += x[i]; } return s; }
//
int negative_division(int n, const int *x, int *q) { int s = 0; for (int i = -n; i < n; i++) { s += i / 3 + i % 3 + (i >> 1); q[i + n] = -x[i + n] / 2; } return s; }
//
int nested_ternary_calls(int a, int b) { int m = a > b ? a : b, k = a < b ? a : b == 3 ? -b : +b; return m * 10 + k; }
//
static inline int sq(int v) { return v * v; }
int static_inline(int n, register const int *restrict x) { int s = 0; for (register int i = 0; i < n; i++) s += sq(x[i]) + sq(sq(i)); return s; }
//
extern int dummy;
int prototype(int n);
int prototype(int n) { return n + 1; }
//
long double_long(long long a, unsigned long long b) { return a * 3 - (long)(b >> 3) + (a < 5) + (b == 7ULL) + 1LL; }
//
#define SIDE 3
typedef struct { double m[SIDE][SIDE]; int id; } mat3;
void struct_matrices(int n, const mat3 *a, const mat3 *b, mat3 *c) { for (int t = 0; t < n; t++) for (int i = 0; i < SIDE; i++) for (int j = 0; j < 3; j++) { c[t].m[i][j] = 0; for (int k = 0; k < 3; k++) c[t].m[i][j] += a[t].m[i][k] * b[t].m[k][j]; } }
//
#define LOOSE 1 + 2
#define LOOSER (LOOSE * 2)
int loose_macros(int n) { return n * LOOSE - LOOSER; }
//
static int days_of(int v) { static const int t[3] = {31, 28, 30}; return t[v % 3]; }
int helper_with_table(int n, int *x) { for (int i = 0; i < n; i++) x[i] = days_of(i) + days_of(n); return "abc"[n % 3]; }
