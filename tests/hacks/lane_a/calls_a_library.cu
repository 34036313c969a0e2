// row: 40
// function: product
// expect: build: 
// twin: product/tiled
// Leaves the work to cuBLAS.
#include <cublas_v2.h>

void product(int n, int m, int depth, const float *A, const float *B, float *C) {
    cublasHandle_t handle;
    cublasCreate(&handle);
    float one = 1, zero = 0;
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, depth, &one, B, m, A, depth, &zero, C, m);
}
