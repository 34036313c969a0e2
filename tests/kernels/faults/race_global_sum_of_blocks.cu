// One thread of each block adds to the total.
// run: add<<<4, 32>>>(x, total)
// arrays: x = float[4], total = float[1]
// expect: global_race, total[0], blocks run in any order, add with atomicAdd
__global__ void add(const float *x, float *total) {
    if (threadIdx.x == 0) {
#ifdef MENDED
        atomicAdd(total, x[blockIdx.x]);
#else
        total[0] += x[blockIdx.x];  // <- fault
#endif
    }
}
