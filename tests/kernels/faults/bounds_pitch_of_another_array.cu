// b is padded to 8 columns, a is not: the pitch of one is used for the other.
// run: pad<<<4, 6>>>(a, b, 8)
// run mended: pad<<<4, 6>>>(a, b, 6)
// arrays: a = float[24], b = float[32]
// expect: out_of_bounds, block (3,0,0), a[2
__global__ void pad(const float *a, float *b, int pitch) {
    b[blockIdx.x * 8 + threadIdx.x] = a[blockIdx.x * pitch + threadIdx.x];  // <- fault
}
