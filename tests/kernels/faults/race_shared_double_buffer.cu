// Two buffers, but the next tile is loaded into the one that is being read.
// run: walk<<<1, 64>>>(x, y, 4)
// arrays: x = float[320], y = float[64]
// expect: shared_race, tile[, __syncthreads()
__global__ void walk(const float *x, float *y, int turns) {
    __shared__ float tile[2][64];
    float sum = 0.0f;
    tile[0][threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    for (int turn = 0; turn < turns; turn++) {
#ifdef MENDED
        int next = (turn + 1) % 2;
#else
        int next = turn % 2;
#endif
        sum += tile[turn % 2][63 - threadIdx.x];  // <- fault
        tile[next][threadIdx.x] = x[(turn + 1) * 64 + threadIdx.x];  // <- other
        __syncthreads();
#ifndef MENDED
        tile[(turn + 1) % 2][threadIdx.x] = tile[turn % 2][threadIdx.x];
        __syncthreads();
#endif
    }
    y[threadIdx.x] = sum;
}
