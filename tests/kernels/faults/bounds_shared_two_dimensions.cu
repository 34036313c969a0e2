// A tile of 8 rows of 9, and a ninth row.
// run: transpose<<<1, (8, 8)>>>(x)
// arrays: x = float[64]
// expect: out_of_bounds, thread (0,7,0), tile[8][0], tile holds 72 elements
#define SIDE 8
constexpr int PADDED = SIDE + 1;
__global__ void transpose(float *x) {
    __shared__ float tile[SIDE][PADDED];
    tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * SIDE + threadIdx.x];
    __syncthreads();
#ifdef MENDED
    x[threadIdx.y * SIDE + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
#else
    if (threadIdx.x == 0) x[threadIdx.y] = tile[threadIdx.y + 1][0];  // <- fault
#endif
}
