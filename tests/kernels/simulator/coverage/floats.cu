// Floating-point opcodes, one a line, by inline assembly; test_simulator_ptx.py reads the lines and has a reference for
// each opcode. Operands are x, y, z: halves or bfloat16 (H), two of them (P), floats (F), doubles (D), two floats (Q);
// the digit says how many. N: the result is an integer of 32 bits; M: the last operand and the result are floats.
#define PUT(type, constraint, text, ...) { type d; asm(text : "=" constraint(d) : __VA_ARGS__); store(out[k++ * n + i], d); }
__device__ void store(unsigned long long& to, unsigned short bits) { to = bits; }
__device__ void store(unsigned long long& to, unsigned bits) { to = bits; }
__device__ void store(unsigned long long& to, unsigned long long bits) { to = bits; }
__device__ void store(unsigned long long& to, float value) { to = __float_as_uint(value); }
__device__ void store(unsigned long long& to, double value) { to = __double_as_longlong(value); }
#define H1(op) PUT(unsigned short, "h", op " %0, %1;", "h"(x))
#define H2(op) PUT(unsigned short, "h", op " %0, %1, %2;", "h"(x), "h"(y))
#define H3(op) PUT(unsigned short, "h", op " %0, %1, %2, %3;", "h"(x), "h"(y), "h"(z))
#define H2N(op) PUT(unsigned, "r", op " %0, %1, %2;", "h"(x), "h"(y))
#define P1(op) PUT(unsigned, "r", op " %0, %1;", "r"(x))
#define P2(op) PUT(unsigned, "r", op " %0, %1, %2;", "r"(x), "r"(y))
#define P3(op) PUT(unsigned, "r", op " %0, %1, %2, %3;", "r"(x), "r"(y), "r"(z))
#define P2N(op) PUT(unsigned, "r", op " %0, %1, %2;", "r"(x), "r"(y))
#define F1(op) PUT(float, "f", op " %0, %1;", "f"(x))
#define F2(op) PUT(float, "f", op " %0, %1, %2;", "f"(x), "f"(y))
#define F3(op) PUT(float, "f", op " %0, %1, %2, %3;", "f"(x), "f"(y), "f"(z))
#define F2N(op) PUT(unsigned, "r", op " %0, %1, %2;", "f"(x), "f"(y))
#define D1(op) PUT(double, "d", op " %0, %1;", "d"(x))
#define D2(op) PUT(double, "d", op " %0, %1, %2;", "d"(x), "d"(y))
#define D3(op) PUT(double, "d", op " %0, %1, %2, %3;", "d"(x), "d"(y), "d"(z))
#define D2N(op) PUT(unsigned, "r", op " %0, %1, %2;", "d"(x), "d"(y))
#define Q1(op) PUT(unsigned long long, "l", op " %0, %1;", "l"(x))
#define Q2(op) PUT(unsigned long long, "l", op " %0, %1, %2;", "l"(x), "l"(y))
#define Q3(op) PUT(unsigned long long, "l", op " %0, %1, %2, %3;", "l"(x), "l"(y), "l"(z))
#define Q2N(op) PUT(unsigned, "r", op " %0, %1, %2;", "l"(x), "l"(y))
#define H2M(op) PUT(float, "f", op " %0, %1, %2;", "h"(x), "f"(w))
#define H3M(op) PUT(float, "f", op " %0, %1, %2, %3;", "h"(x), "h"(y), "f"(w))

#if __CUDA_ARCH__ >= 900
__global__ void halves(const unsigned short* a, const unsigned short* b, const unsigned short* c, unsigned long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    unsigned short x = a[i], y = b[i], z = c[i];
    H1("abs.f16");
    H1("neg.f16");
    H1("abs.ftz.f16");
    H1("neg.ftz.f16");
    H2("add.rn.f16");
    H2("sub.rn.f16");
    H2("mul.rn.f16");
    H2("add.sat.f16");
    H2("sub.sat.f16");
    H2("mul.sat.f16");
    H2("add.ftz.f16");
    H2("mul.ftz.sat.f16");
    H2("min.f16");
    H2("max.f16");
    H2("min.NaN.f16");
    H2("max.NaN.f16");
    H2("min.xorsign.abs.f16");
    H2("max.NaN.xorsign.abs.f16");
    H2("min.ftz.f16");
    H3("fma.rn.f16");
    H3("fma.rn.relu.f16");
    H3("fma.rn.sat.f16");
    H3("fma.rn.ftz.f16");
    H2("set.lt.f16.f16");
    H2("set.geu.f16.f16");
    H2("set.nan.f16.f16");
    H2N("set.eq.u32.f16");
    H2N("set.ne.u32.f16");
    H2N("set.lt.u32.f16");
    H2N("set.le.u32.f16");
    H2N("set.gt.u32.f16");
    H2N("set.ge.u32.f16");
    H2N("set.equ.u32.f16");
    H2N("set.neu.u32.f16");
    H2N("set.ltu.u32.f16");
    H2N("set.leu.u32.f16");
    H2N("set.gtu.u32.f16");
    H2N("set.geu.u32.f16");
    H2N("set.num.u32.f16");
    H2N("set.nan.u32.f16");
    H1("abs.bf16");
    H1("neg.bf16");
    H2("add.rn.bf16");
    H2("sub.rn.bf16");
    H2("mul.rn.bf16");
    H2("min.bf16");
    H2("max.bf16");
    H2("min.NaN.bf16");
    H2("max.NaN.bf16");
    H2("min.xorsign.abs.bf16");
    H2("max.NaN.xorsign.abs.bf16");
    H3("fma.rn.bf16");
    H3("fma.rn.relu.bf16");
    H2("set.lt.bf16.bf16");
    H2("set.geu.bf16.bf16");
    H2("set.nan.bf16.bf16");
    H2N("set.eq.u32.bf16");
    H2N("set.ne.u32.bf16");
    H2N("set.lt.u32.bf16");
    H2N("set.le.u32.bf16");
    H2N("set.gt.u32.bf16");
    H2N("set.ge.u32.bf16");
    H2N("set.equ.u32.bf16");
    H2N("set.neu.u32.bf16");
    H2N("set.ltu.u32.bf16");
    H2N("set.leu.u32.bf16");
    H2N("set.gtu.u32.bf16");
    H2N("set.geu.u32.bf16");
    H2N("set.num.u32.bf16");
    H2N("set.nan.u32.bf16");
}

__global__ void pairs(const unsigned* a, const unsigned* b, const unsigned* c, unsigned long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    unsigned x = a[i], y = b[i], z = c[i];
    P1("abs.f16x2");
    P1("neg.f16x2");
    P1("abs.ftz.f16x2");
    P1("neg.ftz.f16x2");
    P2("add.rn.f16x2");
    P2("sub.rn.f16x2");
    P2("mul.rn.f16x2");
    P2("add.sat.f16x2");
    P2("sub.sat.f16x2");
    P2("mul.sat.f16x2");
    P2("add.ftz.f16x2");
    P2("mul.ftz.sat.f16x2");
    P2("min.f16x2");
    P2("max.f16x2");
    P2("min.NaN.f16x2");
    P2("max.NaN.f16x2");
    P2("min.xorsign.abs.f16x2");
    P2("max.NaN.xorsign.abs.f16x2");
    P2("min.ftz.f16x2");
    P3("fma.rn.f16x2");
    P3("fma.rn.relu.f16x2");
    P3("fma.rn.sat.f16x2");
    P3("fma.rn.ftz.f16x2");
    P2("set.eq.f16x2.f16x2");
    P2("set.ne.f16x2.f16x2");
    P2("set.lt.f16x2.f16x2");
    P2("set.le.f16x2.f16x2");
    P2("set.gt.f16x2.f16x2");
    P2("set.ge.f16x2.f16x2");
    P2("set.equ.f16x2.f16x2");
    P2("set.neu.f16x2.f16x2");
    P2("set.ltu.f16x2.f16x2");
    P2("set.leu.f16x2.f16x2");
    P2("set.gtu.f16x2.f16x2");
    P2("set.geu.f16x2.f16x2");
    P2("set.num.f16x2.f16x2");
    P2("set.nan.f16x2.f16x2");
    P2N("set.lt.u32.f16x2");
    P2N("set.geu.u32.f16x2");
    P2N("set.nan.u32.f16x2");
    P1("abs.bf16x2");
    P1("neg.bf16x2");
    P2("add.rn.bf16x2");
    P2("sub.rn.bf16x2");
    P2("mul.rn.bf16x2");
    P2("min.bf16x2");
    P2("max.bf16x2");
    P2("min.NaN.bf16x2");
    P2("max.NaN.bf16x2");
    P2("min.xorsign.abs.bf16x2");
    P2("max.NaN.xorsign.abs.bf16x2");
    P3("fma.rn.bf16x2");
    P3("fma.rn.relu.bf16x2");
    P2("set.eq.bf16x2.bf16x2");
    P2("set.ne.bf16x2.bf16x2");
    P2("set.lt.bf16x2.bf16x2");
    P2("set.le.bf16x2.bf16x2");
    P2("set.gt.bf16x2.bf16x2");
    P2("set.ge.bf16x2.bf16x2");
    P2("set.equ.bf16x2.bf16x2");
    P2("set.neu.bf16x2.bf16x2");
    P2("set.ltu.bf16x2.bf16x2");
    P2("set.leu.bf16x2.bf16x2");
    P2("set.gtu.bf16x2.bf16x2");
    P2("set.geu.bf16x2.bf16x2");
    P2("set.num.bf16x2.bf16x2");
    P2("set.nan.bf16x2.bf16x2");
    P2N("set.lt.u32.bf16x2");
    P2N("set.geu.u32.bf16x2");
    P2N("set.nan.u32.bf16x2");
    P2("set.gt.ftz.f16x2.f16x2");
}
#endif

__global__ void floats(const float* a, const float* b, const float* c, unsigned long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    float x = a[i], y = b[i], z = c[i];
    F1("abs.f32");
    F1("neg.f32");
    F1("abs.ftz.f32");
    F1("neg.ftz.f32");
    F1("rcp.rn.f32");
    F1("rcp.rn.ftz.f32");
    F1("rcp.rz.f32");
    F1("rcp.rz.ftz.f32");
    F1("rcp.rm.f32");
    F1("rcp.rm.ftz.f32");
    F1("rcp.rp.f32");
    F1("rcp.rp.ftz.f32");
    F1("sqrt.rn.f32");
    F1("sqrt.rn.ftz.f32");
    F1("sqrt.rz.f32");
    F1("sqrt.rz.ftz.f32");
    F1("sqrt.rm.f32");
    F1("sqrt.rm.ftz.f32");
    F1("sqrt.rp.f32");
    F1("sqrt.rp.ftz.f32");
    F2("add.rn.f32");
    F2("add.rn.ftz.f32");
    F2("add.rz.f32");
    F2("add.rz.ftz.f32");
    F2("add.rm.f32");
    F2("add.rm.ftz.f32");
    F2("add.rp.f32");
    F2("add.rp.ftz.f32");
    F2("sub.rn.f32");
    F2("sub.rn.ftz.f32");
    F2("sub.rz.f32");
    F2("sub.rz.ftz.f32");
    F2("sub.rm.f32");
    F2("sub.rm.ftz.f32");
    F2("sub.rp.f32");
    F2("sub.rp.ftz.f32");
    F2("mul.rn.f32");
    F2("mul.rn.ftz.f32");
    F2("mul.rz.f32");
    F2("mul.rz.ftz.f32");
    F2("mul.rm.f32");
    F2("mul.rm.ftz.f32");
    F2("mul.rp.f32");
    F2("mul.rp.ftz.f32");
    F2("div.rn.f32");
    F2("div.rn.ftz.f32");
    F2("div.rz.f32");
    F2("div.rz.ftz.f32");
    F2("div.rm.f32");
    F2("div.rm.ftz.f32");
    F2("div.rp.f32");
    F2("div.rp.ftz.f32");
    F2("add.rn.sat.f32");
    F2("add.rp.sat.f32");
    F2("sub.rn.sat.f32");
    F2("sub.rp.sat.f32");
    F2("mul.rn.sat.f32");
    F2("mul.rp.sat.f32");
    F2("min.f32");
    F2("min.ftz.f32");
#if __CUDA_ARCH__ >= 860
    F2("min.NaN.f32");
    F2("min.xorsign.abs.f32");
    F2("min.ftz.NaN.xorsign.abs.f32");
#endif
    F2("max.f32");
    F2("max.ftz.f32");
#if __CUDA_ARCH__ >= 860
    F2("max.NaN.f32");
    F2("max.xorsign.abs.f32");
    F2("max.ftz.NaN.xorsign.abs.f32");
#endif
    F2("copysign.f32");
    F2("set.lt.f32.f32");
    F2("set.geu.ftz.f32.f32");
    F3("fma.rn.f32");
    F3("fma.rn.ftz.f32");
    F3("fma.rn.sat.f32");
    F3("fma.rz.f32");
    F3("fma.rz.ftz.f32");
    F3("fma.rz.sat.f32");
    F3("fma.rm.f32");
    F3("fma.rm.ftz.f32");
    F3("fma.rm.sat.f32");
    F3("fma.rp.f32");
    F3("fma.rp.ftz.f32");
    F3("fma.rp.sat.f32");
    F2N("set.eq.u32.f32");
    F2N("set.ne.u32.f32");
    F2N("set.lt.u32.f32");
    F2N("set.le.u32.f32");
    F2N("set.gt.u32.f32");
    F2N("set.ge.u32.f32");
    F2N("set.equ.u32.f32");
    F2N("set.neu.u32.f32");
    F2N("set.ltu.u32.f32");
    F2N("set.leu.u32.f32");
    F2N("set.gtu.u32.f32");
    F2N("set.geu.u32.f32");
    F2N("set.num.u32.f32");
    F2N("set.nan.u32.f32");
    F2N("set.ltu.ftz.s32.f32");
}

__global__ void doubles(const double* a, const double* b, const double* c, unsigned long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    double x = a[i], y = b[i], z = c[i];
    D1("abs.f64");
    D1("neg.f64");
    D1("rcp.rn.f64");
    D1("rcp.rz.f64");
    D1("rcp.rm.f64");
    D1("rcp.rp.f64");
    D1("sqrt.rn.f64");
    D1("sqrt.rz.f64");
    D1("sqrt.rm.f64");
    D1("sqrt.rp.f64");
    D2("add.rn.f64");
    D2("add.rz.f64");
    D2("add.rm.f64");
    D2("add.rp.f64");
    D2("sub.rn.f64");
    D2("sub.rz.f64");
    D2("sub.rm.f64");
    D2("sub.rp.f64");
    D2("mul.rn.f64");
    D2("mul.rz.f64");
    D2("mul.rm.f64");
    D2("mul.rp.f64");
    D2("div.rn.f64");
    D2("div.rz.f64");
    D2("div.rm.f64");
    D2("div.rp.f64");
    D2("min.f64");
    D2("max.f64");
    D2("copysign.f64");
    D3("fma.rn.f64");
    D3("fma.rz.f64");
    D3("fma.rm.f64");
    D3("fma.rp.f64");
    D2N("set.eq.u32.f64");
    D2N("set.ne.u32.f64");
    D2N("set.lt.u32.f64");
    D2N("set.le.u32.f64");
    D2N("set.gt.u32.f64");
    D2N("set.ge.u32.f64");
    D2N("set.equ.u32.f64");
    D2N("set.neu.u32.f64");
    D2N("set.ltu.u32.f64");
    D2N("set.leu.u32.f64");
    D2N("set.gtu.u32.f64");
    D2N("set.geu.u32.f64");
    D2N("set.num.u32.f64");
    D2N("set.nan.u32.f64");
}

#if __CUDA_ARCH__ >= 1000
__global__ void float_pairs(const unsigned long long* a, const unsigned long long* b, const unsigned long long* c, unsigned long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    unsigned long long x = a[i], y = b[i], z = c[i];
    Q2("add.rn.f32x2");
    Q2("add.rn.ftz.f32x2");
    Q2("add.rz.f32x2");
    Q2("add.rz.ftz.f32x2");
    Q2("add.rm.f32x2");
    Q2("add.rm.ftz.f32x2");
    Q2("add.rp.f32x2");
    Q2("add.rp.ftz.f32x2");
    Q2("mul.rn.f32x2");
    Q2("mul.rn.ftz.f32x2");
    Q2("mul.rz.f32x2");
    Q2("mul.rz.ftz.f32x2");
    Q2("mul.rm.f32x2");
    Q2("mul.rm.ftz.f32x2");
    Q2("mul.rp.f32x2");
    Q2("mul.rp.ftz.f32x2");
    Q3("fma.rn.f32x2");
    Q3("fma.rn.ftz.f32x2");
    Q3("fma.rz.f32x2");
    Q3("fma.rz.ftz.f32x2");
    Q3("fma.rm.f32x2");
    Q3("fma.rm.ftz.f32x2");
    Q3("fma.rp.f32x2");
    Q3("fma.rp.ftz.f32x2");
}

__global__ void triples(const float* a, const float* b, const float* c, unsigned long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    float x = a[i], y = b[i], z = c[i];
    F3("min.f32");
    F3("min.ftz.f32");
    F3("min.NaN.f32");
    F3("min.abs.f32");
    F3("min.NaN.abs.f32");
    F3("max.f32");
    F3("max.ftz.f32");
    F3("max.NaN.f32");
    F3("max.abs.f32");
    F3("max.NaN.abs.f32");
}

__global__ void mixed(const unsigned short* a, const unsigned short* b, const unsigned short* c, unsigned long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    unsigned short x = a[i], y = b[i], z = c[i];
    float w = __uint_as_float(y << 16 | z);
    H2M("add.rn.f32.f16");
    H2M("add.rn.sat.f32.f16");
    H2M("add.rm.f32.f16");
    H2M("add.rm.sat.f32.f16");
    H2M("sub.rn.f32.f16");
    H2M("sub.rn.sat.f32.f16");
    H2M("sub.rm.f32.f16");
    H2M("sub.rm.sat.f32.f16");
    H2M("add.rn.f32.bf16");
    H2M("add.rn.sat.f32.bf16");
    H2M("add.rm.f32.bf16");
    H2M("add.rm.sat.f32.bf16");
    H2M("sub.rn.f32.bf16");
    H2M("sub.rn.sat.f32.bf16");
    H2M("sub.rm.f32.bf16");
    H2M("sub.rm.sat.f32.bf16");
    H3M("fma.rn.f32.f16");
    H3M("fma.rn.sat.f32.f16");
    H3M("fma.rz.f32.f16");
    H3M("fma.rz.sat.f32.f16");
    H3M("fma.rn.f32.bf16");
    H3M("fma.rn.sat.f32.bf16");
    H3M("fma.rz.f32.bf16");
    H3M("fma.rz.sat.f32.bf16");
}
#endif
