// A host function that takes host pointers, as textbooks write it.
#include <cuda_runtime.h>
#include <cmath>

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

void add_vectors(const float *a_h, const float *b_h, float *c_h, int n) {
    int bytes = n * sizeof(float);
    float *a_d, *b_d, *c_d;
    cudaMalloc((void **)&a_d, bytes);
    cudaMalloc((void **)&b_d, bytes);
    cudaMalloc((void **)&c_d, bytes);
    cudaMemcpy(a_d, a_h, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b_d, b_h, bytes, cudaMemcpyHostToDevice);
    add<<<ceil(n / 256.0), 256>>>(a_d, b_d, c_d, n);
    cudaMemcpy(c_h, c_d, bytes, cudaMemcpyDeviceToHost);
    cudaFree(a_d);
    cudaFree(b_d);
    cudaFree(c_d);
}
