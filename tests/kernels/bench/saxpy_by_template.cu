// The size decides which template is launched, so that both must be instantiated.
template <int BLOCK, typename T>
__global__ void saxpy_kernel(int n, T a, const T *x, T *y) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

void saxpy(int n, float a, const float *x, float *y) {
    if (n >= 1024) saxpy_kernel<256, float><<<(n + 255) / 256, 256>>>(n, a, x, y);
    else if (n > 0) saxpy_kernel<32, float><<<(n + 31) / 32, 32>>>(n, a, x, y);
}
