// Lanes past the end have left, and the mask still names them.
// run: sum<<<1, 32>>>(x, 20)
// arrays: x = float[32]
// expect: divergence, waits in __shfl_xor_sync() for lane 20, which has left the kernel
__global__ void sum(float *x, int n) {
#ifndef MENDED
    if (threadIdx.x >= n) return;
#endif
    float value = threadIdx.x < n ? x[threadIdx.x] : 0.0f;
    value += __shfl_xor_sync(0xffffffffu, value, 1);  // <- fault
    if (threadIdx.x < n) x[threadIdx.x] = value;
}
