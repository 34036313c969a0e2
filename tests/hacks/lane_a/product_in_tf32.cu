// row: 8
// function: product
// expect: mismatch: expected
// device: mismatch
// twin: product/three_tf32_products
// Ten bits of mantissa for both factors.
__device__ float coarse(float v) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(v));
    return __uint_as_float(bits);
}
__global__ void k(int n, int m, int depth, const float *A, const float *B, float *C) {
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    if (i >= n || j >= m) return;
    float s = 0;
    for (int l = 0; l < depth; l++) s += coarse(A[i * depth + l]) * coarse(B[l * m + j]);
    C[i * m + j] = s;
}

void product(int n, int m, int depth, const float *A, const float *B, float *C) {
    if (n > 0 && m > 0) k<<<dim3((m + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(n, m, depth, A, B, C);
}
