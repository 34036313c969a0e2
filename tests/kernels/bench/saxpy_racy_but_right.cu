// Thread 0 looks at the last element while another thread writes it. What it sees changes nothing, yet it is a race.
__global__ void saxpy_kernel(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
    if (i == 0 && y[n - 1] == 12345.678f) y[0] += 0.0f;
}

void saxpy(int n, float a, const float *x, float *y) {
    if (n > 0) saxpy_kernel<<<(n + 255) / 256, 256>>>(n, a, x, y);
}
