// Every function of CUDA's math library on floats, one a line; test_simulator_math.py reads the lines and has
// a reference and a bound for each.
#define PUT(value) out[k++ * n + i] = (value)
#if __CUDACC_VER_MAJOR__ < 13  // these two came with CUDA 13
#define __sin2pif(x) sinpif(2 * (x))
#define __cos2pif(x) cospif(2 * (x))
#endif
__device__ float sine_of_bothf(float x) { float sine, cosine; sincosf(x, &sine, &cosine); return sine; }
__device__ float cosine_of_bothf(float x) { float sine, cosine; sincosf(x, &sine, &cosine); return cosine; }
__device__ float sinpi_of_bothf(float x) { float sine, cosine; sincospif(x, &sine, &cosine); return sine + 0 * cosine; }
__device__ float fractionf(float x) { float whole; return modff(x, &whole); }
__device__ float significandf(float x) { int exponent; return frexpf(x, &exponent); }
__device__ float quotientf(float x, float y) { int bits; float rest = remquof(x, y, &bits); return rest + 0 * bits; }

__global__ void part0(const float* a, const float* b, const float* c, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    float x = a[i], y = b[i], z = c[i];
    PUT(sqrtf(x));
    PUT(expf(x));
    PUT(logf(x));
    PUT(sinf(x));
    PUT(cospif(x));
    PUT(sinhf(x));
    PUT(acoshf(x));
    PUT(erfinvf(x));
    PUT(normcdfinvf(x));
    PUT(j1f(x));
    PUT(cyl_bessel_i1f(x));
    PUT(truncf(x));
    PUT(fabsf(x));
    PUT(powf(x, y));
    PUT(fminf(x, y));
    PUT(norm3df(x, y, z));
    PUT(fmaf(x, y, z));
    PUT(scalbnf(x, (int)i % 40 - 20));
    PUT(sine_of_bothf(x));
    PUT(significandf(x));
    PUT(__logf(x));
    PUT(__cosf(x));
    PUT(__powf(x, y));
    PUT(__frcp_rz(x));
}

__global__ void part1(const float* a, const float* b, const float* c, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    float x = a[i], y = b[i], z = c[i];
    PUT(rsqrtf(x));
    PUT(exp2f(x));
    PUT(log2f(x));
    PUT(cosf(x));
    PUT(asinf(x));
    PUT(coshf(x));
    PUT(atanhf(x));
    PUT(erfcinvf(x));
    PUT(lgammaf(x));
    PUT(y0f(x));
    PUT(logbf(x));
    PUT(rintf(x));
    PUT(hypotf(x, y));
    PUT(fmodf(x, y));
    PUT(fmaxf(x, y));
    PUT(rnorm3df(x, y, z));
    PUT(jnf(3, x));
    PUT(ilogbf(x));
    PUT(cosine_of_bothf(x));
    PUT(quotientf(x, y));
    PUT(__log2f(x));
    PUT(__tanf(x));
    PUT(__saturatef(x));
    PUT(__fsqrt_rd(x));
}

__global__ void part2(const float* a, const float* b, const float* c, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    float x = a[i], y = b[i], z = c[i];
    PUT(cbrtf(x));
    PUT(exp10f(x));
    PUT(log10f(x));
    PUT(tanf(x));
    PUT(acosf(x));
    PUT(tanhf(x));
    PUT(erff(x));
    PUT(erfcxf(x));
    PUT(tgammaf(x));
    PUT(y1f(x));
    PUT(floorf(x));
    PUT(roundf(x));
    PUT(rhypotf(x, y));
    PUT(remainderf(x, y));
    PUT(copysignf(x, y));
    PUT(norm4df(x, y, z, x));
    PUT(ynf(3, x));
    PUT((float)lrintf(x));
    PUT(sinpi_of_bothf(x));
    PUT(__expf(x));
    PUT(__log10f(x));
    PUT(__tanhf(x));
    PUT(__frsqrt_rn(x));
    PUT(__sin2pif(x));
}

__global__ void part3(const float* a, const float* b, const float* c, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    float x = a[i], y = b[i], z = c[i];
    PUT(rcbrtf(x));
    PUT(expm1f(x));
    PUT(log1pf(x));
    PUT(sinpif(x));
    PUT(atanf(x));
    PUT(asinhf(x));
    PUT(erfcf(x));
    PUT(normcdff(x));
    PUT(j0f(x));
    PUT(cyl_bessel_i0f(x));
    PUT(ceilf(x));
    PUT(nearbyintf(x));
    PUT(atan2f(x, y));
    PUT(fdimf(x, y));
    PUT(nextafterf(x, y));
    PUT(rnorm4df(x, y, z, x));
    PUT(ldexpf(x, (int)i % 300 - 150));
    PUT((float)llroundf(x));
    PUT(fractionf(x));
    PUT(__exp10f(x));
    PUT(__sinf(x));
    PUT(__fdividef(x, y));
    PUT(__frcp_rn(x));
    PUT(__cos2pif(x));
}
