// A workspace for 16 partial sums, and 32 of them.
// run: malloc part 64; sum<<<32, 32>>>(x, part)
// run mended: malloc part 128; sum<<<32, 32>>>(x, part)
// arrays: x = float[32]
// expect: out_of_bounds, thread (0,0,0), part[, holds 16 elements of 4 bytes
__global__ void sum(const float *x, float *part) {
    if (threadIdx.x == 0) part[blockIdx.x] = x[blockIdx.x];  // <- fault
}
