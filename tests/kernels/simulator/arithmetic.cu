// Each kernel evaluates many expressions of x[i] and y[i]; expression k goes to out[k * n + i].
#define PUT(expression) out[k++ * n + i] = (expression)

__global__ void integers(const int* a, const int* b, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    int x = a[i], y = b[i];
    PUT(x + y);
    PUT(x * y);
    PUT(x - 3 * y);
    PUT(y ? x / y : -1);
    PUT(y ? x % y : x);
    PUT((int)((unsigned)x % 77u));
    PUT(__mulhi(x, y));
    PUT(min(x, y));
    PUT(max(x, y));
    PUT(abs(x));
    PUT(x >> (y & 31));
    PUT((int)((unsigned)x << (y & 31)));
    PUT((int)((unsigned)x >> (y & 31)));
    PUT(__popc(x));
    PUT(__clz(x));
    PUT(__ffs(x));
    PUT((int)__brev(x));
    PUT((x & y) | ((~x & 7) ^ y));
    PUT((signed char)x + (unsigned char)y);
    PUT((short)x * 3);
    PUT(__dp4a(x, y, 3));
    PUT((int)__byte_perm(x, y, 0x5241));
    PUT((int)__funnelshift_l(x, y, 5));
    PUT(x < y ? x * 3 : y - 2);
}

__global__ void longs(const long long* a, const long long* b, long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    long long x = a[i], y = b[i];
    PUT(x + y);
    PUT(x * y);
    PUT(x / (y | 1));
    PUT(x % (y | 1));
    PUT(__mul64hi(x, y));
    PUT(x >> (y & 63));
    PUT(__popcll(x));
    PUT(__clzll(x));
    PUT((long long)(((__int128)x * y + x) >> 7));
}

__global__ void floats(const float* a, const float* b, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    float x = a[i], y = b[i];
    PUT(x + y);
    PUT(__fmul_rn(x, y));
    PUT(x / y);
    PUT(fmaf(x, y, 1.5f));
    PUT(sqrtf(fabsf(x)));
    PUT(fminf(x, y));
    PUT(floorf(x));
    PUT(rintf(x));
    PUT(truncf(x));
    PUT(copysignf(x, y));
    PUT((float)(int)x);
    PUT((float)__float2int_rn(x));
    PUT((float)__float2int_rd(x));
    PUT(x > y ? 1.0f : x == y ? 2.0f : 3.0f);
    PUT((float)(long long)x);
    PUT((float)(double)x);
}

__global__ void directed(const float* a, const float* b, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    float x = a[i], y = b[i];
    PUT(__fadd_rd(x, y));
    PUT(__fadd_ru(x, y));
    PUT(__fadd_rz(x, y));
    PUT(__fmul_rd(x, y));
    PUT(__fmul_ru(x, y));
    PUT(__fmul_rz(x, y));
}

__global__ void functions(const float* a, const float* b, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    float x = a[i], y = fabsf(b[i]);
    PUT(sinf(x));
    PUT(cosf(x));
    PUT(expf(x));
    PUT(logf(y));
    PUT(tanhf(x));
    PUT(erff(x));
    PUT(atan2f(x, y));
    PUT(powf(y, 0.7f));
    PUT(cbrtf(x));
    PUT(log1pf(y));
    PUT(exp2f(x));
    PUT(hypotf(x, y));
    PUT(rsqrtf(y));
    PUT(sinf(x * 1e6f));
}

__global__ void doubles(const double* a, const double* b, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    double x = a[i], y = fabs(b[i]);
    PUT(x * y);
    PUT(x / y);
    PUT(sqrt(y));
    PUT(fma(x, y, -x));
    PUT(floor(x));
    PUT(fmod(x, y));
    PUT(sin(x));
    PUT(exp(x));
    PUT(log(y));
    PUT(pow(y, 0.3));
    PUT(erf(x));
    PUT(tanh(x));
}
