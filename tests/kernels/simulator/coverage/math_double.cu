// Every function of CUDA's math library on doubles, one a line; test_simulator_math.py reads the lines and has
// a reference and a bound for each.
#define PUT(value) out[k++ * n + i] = (value)
__device__ double sine_of_both(double x) { double sine, cosine; sincos(x, &sine, &cosine); return sine; }
__device__ double cosine_of_both(double x) { double sine, cosine; sincos(x, &sine, &cosine); return cosine; }
__device__ double sinpi_of_both(double x) { double sine, cosine; sincospi(x, &sine, &cosine); return sine + 0 * cosine; }
__device__ double fraction(double x) { double whole; return modf(x, &whole); }
__device__ double significand(double x) { int exponent; return frexp(x, &exponent); }
__device__ double quotient(double x, double y) { int bits; double rest = remquo(x, y, &bits); return rest + 0 * bits; }

__global__ void part0(const double* a, const double* b, const double* c, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    double x = a[i], y = b[i], z = c[i];
    PUT(sqrt(x));
    PUT(exp(x));
    PUT(log(x));
    PUT(sin(x));
    PUT(cospi(x));
    PUT(sinh(x));
    PUT(acosh(x));
    PUT(erfinv(x));
    PUT(normcdfinv(x));
    PUT(j1(x));
    PUT(cyl_bessel_i1(x));
    PUT(trunc(x));
    PUT(fabs(x));
    PUT(pow(x, y));
    PUT(fmin(x, y));
    PUT(norm3d(x, y, z));
    PUT(fma(x, y, z));
    PUT(scalbn(x, (int)i % 40 - 20));
    PUT(sine_of_both(x));
    PUT(significand(x));
}

__global__ void part1(const double* a, const double* b, const double* c, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    double x = a[i], y = b[i], z = c[i];
    PUT(rsqrt(x));
    PUT(exp2(x));
    PUT(log2(x));
    PUT(cos(x));
    PUT(asin(x));
    PUT(cosh(x));
    PUT(atanh(x));
    PUT(erfcinv(x));
    PUT(lgamma(x));
    PUT(y0(x));
    PUT(logb(x));
    PUT(rint(x));
    PUT(hypot(x, y));
    PUT(fmod(x, y));
    PUT(fmax(x, y));
    PUT(rnorm3d(x, y, z));
    PUT(jn(3, x));
    PUT(ilogb(x));
    PUT(cosine_of_both(x));
    PUT(quotient(x, y));
}

__global__ void part2(const double* a, const double* b, const double* c, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    double x = a[i], y = b[i], z = c[i];
    PUT(cbrt(x));
    PUT(exp10(x));
    PUT(log10(x));
    PUT(tan(x));
    PUT(acos(x));
    PUT(tanh(x));
    PUT(erf(x));
    PUT(erfcx(x));
    PUT(tgamma(x));
    PUT(y1(x));
    PUT(floor(x));
    PUT(round(x));
    PUT(rhypot(x, y));
    PUT(remainder(x, y));
    PUT(copysign(x, y));
    PUT(norm4d(x, y, z, x));
    PUT(yn(3, x));
    PUT((double)lrint(x));
    PUT(sinpi_of_both(x));
}

__global__ void part3(const double* a, const double* b, const double* c, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    double x = a[i], y = b[i], z = c[i];
    PUT(rcbrt(x));
    PUT(expm1(x));
    PUT(log1p(x));
    PUT(sinpi(x));
    PUT(atan(x));
    PUT(asinh(x));
    PUT(erfc(x));
    PUT(normcdf(x));
    PUT(j0(x));
    PUT(cyl_bessel_i0(x));
    PUT(ceil(x));
    PUT(nearbyint(x));
    PUT(atan2(x, y));
    PUT(fdim(x, y));
    PUT(nextafter(x, y));
    PUT(rnorm4d(x, y, z, x));
    PUT(ldexp(x, (int)i % 300 - 150));
    PUT((double)llround(x));
    PUT(fraction(x));
}
