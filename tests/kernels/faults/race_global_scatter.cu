// Two elements go to one place.
// run: scatter<<<1, 32>>>(x, to, y)
// arrays: x = int[32] counting, to = int[32], y = int[32]
// expect: global_race, y[, writes
__global__ void scatter(const int *x, const int *to, int *y) {
#ifdef MENDED
    y[to[threadIdx.x] + threadIdx.x] = x[threadIdx.x];
#else
    y[to[threadIdx.x]] = x[threadIdx.x] + 1;  // <- fault
#endif
}
