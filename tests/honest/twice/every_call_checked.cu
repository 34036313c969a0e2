// Every call is checked, and failures are printed.
#include <stdio.h>
#include <stdlib.h>
#define CUDA_CHECK(call)                                                                  \
    do {                                                                                  \
        cudaError_t err = (call);                                                         \
        if (err != cudaSuccess) {                                                         \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err));  \
            exit(EXIT_FAILURE);                                                           \
        }                                                                                 \
    } while (0)
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

void twice(int n, const float *x, float *y) {
    if (n == 0) return;
    float *work = NULL;
    CUDA_CHECK(cudaMalloc((void **)&work, n * sizeof(float)));
    k<<<(n + 255) / 256, 256>>>(n, x, work);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(y, work, n * sizeof(float), cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaFree(work));
}
