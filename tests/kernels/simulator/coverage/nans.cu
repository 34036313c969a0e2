// NaN of float arithmetic, as bits; a loaded NaN that is only moved keeps its own.
__global__ void nans(const float* a, unsigned* out, double* wide, int n) {
    int i = threadIdx.x, k = 0;
    if (i >= n) return;
    float x = a[i], zero = x - x, sum = 0;  // x is NaN or infinite: zero is NaN
    out[k++ * n + i] = __float_as_uint(x);
    out[k++ * n + i] = __float_as_uint(zero);
    out[k++ * n + i] = __float_as_uint(x * 2.0f);
    out[k++ * n + i] = __float_as_uint(sqrtf(-fabsf(x)));
    ((float*)out)[k++ * n + i] = fmaf(x, zero, 1.0f);
    for (int j = 0; j < i + 2; j++) sum += zero;
    ((float*)out)[k++ * n + i] = sum;
    ((float*)out)[k++ * n + i] = i % 2 ? sum : x;
    ((float*)out)[k++ * n + i] = __shfl_xor_sync(0xF, zero, 1, 4);
    out[k++ * n + i] = __float_as_uint(zero) >> 31;
    wide[i] = zero;
}
