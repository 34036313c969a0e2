// The barrier after the reads is missing: the next turn of the loop overwrites what slower warps still read.
// run: walk<<<1, 64>>>(x, y, 4)
// arrays: x = float[256], y = float[64]
// expect: shared_race, tile[, __syncthreads() between line, another one belongs after line
__global__ void walk(const float *x, float *y, int turns) {
    __shared__ float tile[64];
    float sum = 0.0f;
    for (int turn = 0; turn < turns; turn++) {
        tile[threadIdx.x] = x[turn * 64 + threadIdx.x];  // <- other
        __syncthreads();
        sum += tile[63 - threadIdx.x];  // <- fault
#ifdef MENDED
        __syncthreads();
#endif
    }
    y[threadIdx.x] = sum;
}
