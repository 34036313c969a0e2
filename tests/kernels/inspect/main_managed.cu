// A whole program with managed memory, which host functions fill and check.
#include <iostream>

__global__ void add(int n, const float *x, float *y) {
    int first = blockIdx.x * blockDim.x + threadIdx.x, stride = blockDim.x * gridDim.x;
    for (int i = first; i < n; i += stride) y[i] = x[i] + y[i];
}

void fill(float value, float *a, int n) {
    for (int i = 0; i < n; i++) a[i] = value;
}

int main() {
    const int N = 1000;
    float *x, *y;
    cudaMallocManaged(&x, N * sizeof(float));
    cudaMallocManaged(&y, N * sizeof(float));
    fill(1.0f, x, N);
    for (int i = 0; i < N; i++) y[i] = 2.0f;
    dim3 block(256), grid((N + block.x - 1) / block.x);
    add<<<grid, block>>>(N, x, y);
    cudaDeviceSynchronize();
    float worst = 0.0f;
    for (int i = 0; i < N; i++) worst = fmax(worst, fabs(y[i] - 3.0f));
    std::cout << "worst: " << worst << std::endl;
    cudaFree(x);
    cudaFree(y);
}
