// Operations whose every bit the standard or the PTX manual fixes, on random bit patterns: NaNs, denormals, infinities.
// Each thread writes a row of results. Which NaN comes out is not compared.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void floats(const unsigned *x, const unsigned *y, const unsigned *z, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = __uint_as_float(x[i]), b = __uint_as_float(y[i]), c = __uint_as_float(z[i]);
    float *o = out + i * 24;
    o[0] = a + b; o[1] = a - b; o[2] = a * b; o[3] = a / b; o[4] = __fmaf_rn(a, b, c); o[5] = sqrtf(fabsf(a));
    o[6] = __fadd_rz(a, b); o[7] = __fadd_ru(a, b); o[8] = __fadd_rd(a, b);
    o[9] = __fmul_rz(a, b); o[10] = __fmul_ru(a, b); o[11] = __fmul_rd(a, b);
    o[12] = __fmaf_rz(a, b, c); o[13] = __fmaf_ru(a, b, c); o[14] = __fmaf_rd(a, b, c);
    o[15] = __fdiv_rz(a, b); o[16] = __fdiv_ru(a, b); o[17] = __fdiv_rd(a, b);
    o[18] = __fsqrt_rz(fabsf(a)); o[19] = __frcp_ru(b); o[20] = fminf(a, b); o[21] = fmaxf(a, b);
    o[22] = rintf(a) + floorf(b); o[23] = truncf(a) - ceilf(c);
}

__global__ void doubles(const unsigned long long *x, const unsigned long long *y, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double a = __longlong_as_double(x[i]), b = __longlong_as_double(y[i]);
    double *o = out + i * 12;
    o[0] = a + b; o[1] = a * b; o[2] = a / b; o[3] = __fma_rn(a, b, a); o[4] = sqrt(fabs(a)); o[5] = __dadd_rz(a, b);
    o[6] = __dmul_ru(a, b); o[7] = __ddiv_rd(a, b); o[8] = __fma_rz(a, b, b); o[9] = fmin(a, b); o[10] = rint(a);
    o[11] = (double)(float)a;
}

__global__ void conversions(const unsigned *x, const unsigned long long *y, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = __uint_as_float(x[i]);
    double d = __longlong_as_double(y[i]);
    unsigned *o = out + i * 20;
    o[0] = __float2int_rn(a); o[1] = __float2int_rz(a); o[2] = __float2uint_ru(a); o[3] = (unsigned)__float2ll_rd(a);
    o[4] = __double2int_rn(d); o[5] = __double2uint_rz(d); o[6] = (unsigned)(__double2ull_rz(d) >> 7);
    o[7] = __float_as_uint(__int2float_rz((int)x[i])); o[8] = __float_as_uint(__uint2float_ru(x[i]));
    o[9] = __float_as_uint(__ll2float_rn((long long)y[i])); o[10] = __float_as_uint(__ull2float_rd(y[i]));
    o[11] = __float_as_uint(__double2float_rn(d)); o[12] = __float_as_uint(__double2float_ru(d));
    o[13] = __half_as_ushort(__float2half_rn(a)); o[14] = __half_as_ushort(__float2half_rz(a));
    o[15] = __bfloat16_as_ushort(__float2bfloat16_rn(a));
    float wide = __half2float(__ushort_as_half((unsigned short)x[i]));
    o[16] = wide != wide ? 0x7fffffffu : __float_as_uint(wide);
    o[17] = __half_as_ushort(__int2half_rn((int)(x[i] & 0x1ffff)));
    o[18] = (unsigned)__half2int_rz(__ushort_as_half((unsigned short)x[i]));
    o[19] = __float_as_uint((float)(short)x[i]);
}

__global__ void halves(const unsigned *x, const unsigned *y, __half2 *out, float2 *wide, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __half2 a = *(const __half2 *)&x[i], b = *(const __half2 *)&y[i];
    __nv_bfloat162 c = *(const __nv_bfloat162 *)&x[i], d = *(const __nv_bfloat162 *)&y[i];
    __half2 h[8] = {__hadd2(a, b), __hmul2(a, b), __hfma2(a, b, a), __hsub2(a, b), __hmin2(a, b), __hmax2(a, b), __habs2(a),
        __hfma2_relu(a, b, b)};
    __nv_bfloat162 g[6] = {__hadd2(c, d), __hmul2(c, d), __hfma2(c, d, c), __hsub2(c, d), __hmin2(c, d), __hmax2(c, d)};
    for (int k = 0; k < 8; k++) out[i * 8 + k] = h[k];
    for (int k = 0; k < 6; k++) wide[i * 6 + k] = __bfloat1622float2(g[k]);
}

__global__ void integers(const unsigned *x, const unsigned *y, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a = x[i], b = y[i];
    unsigned long long w = (unsigned long long)a << 32 | b;
    unsigned *o = out + i * 28;
    o[0] = a / (b | 1); o[1] = (int)a / (int)(b | 1); o[2] = (int)a % (int)(b | 1); o[3] = __umulhi(a, b); o[4] = __mulhi((int)a, (int)b);
    o[5] = __clz((int)a); o[6] = __popc(a); o[7] = __brev(a); o[8] = __ffs((int)a); o[9] = __byte_perm(a, b, b & 0x7777);
    o[10] = __funnelshift_l(a, b, a); o[11] = __funnelshift_rc(a, b, b); o[12] = __sad((int)a, (int)b, 7); o[13] = __usad(a, b, 9);
    o[14] = __dp4a((int)a, (int)b, 5); o[15] = __dp2a_lo((int)a, (int)b, 3); o[16] = __vadd4(a, b); o[17] = __vmaxu2(a, b);
    o[18] = __vabsdiffu4(a, b); o[19] = __hadd((int)a, (int)b); o[20] = __urhadd(a, b); o[21] = (unsigned)(w / (a | 1));
    o[22] = (unsigned)((long long)w % (int)(b | 1)); o[23] = (unsigned)__umul64hi(w, w ^ a); o[24] = __mul24((int)a, (int)b);
    o[25] = (unsigned)(w >> (b & 63)); o[26] = (unsigned)__clzll((long long)w); o[27] = a >> (b & 255) | (int)a >> (b & 31);
}
