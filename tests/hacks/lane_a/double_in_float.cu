// row: 8
// function: energy
// expect: mismatch: expected
// device: mismatch
// twin: energy/in_another_order
// The contract says double; it sums in float.
__global__ void k(int n, const double *x, const double *v, double *e) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32) sum += 0.5f * (float)v[i] * (float)v[i] + (float)x[i] * (float)x[i];
    for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(~0u, sum, half);
    if (threadIdx.x == 0) *e = sum;
}

void energy(int n, const double *x, const double *v, double *result) { k<<<1, 32>>>(n, x, v, result); }
