// Lanes exchange through global memory without __syncwarp().
// run: rotate<<<1, 32>>>(x)
// arrays: x = float[32]
// expect: global_race, no __syncwarp() or barrier stands between
__global__ void rotate(float *x) {
    float value = x[(threadIdx.x + 1) % 32];  // <- other
#ifdef MENDED
    __syncwarp();
#endif
    x[threadIdx.x] = value;  // <- fault
}
