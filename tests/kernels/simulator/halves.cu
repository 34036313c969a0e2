#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void half2_fma(const __half2* a, const __half2* b, __half2* c) {
    int i = threadIdx.x;
    c[i] = __hfma2(a[i], b[i], a[i]);
}

__global__ void to_bf16(const float* a, __nv_bfloat16* b) { b[threadIdx.x] = __float2bfloat16(a[threadIdx.x]); }
