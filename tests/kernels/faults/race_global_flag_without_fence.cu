// The last block sums up what the others wrote, but nothing made their writes visible before they counted.
// run: sum<<<4, 32>>>(x, part, arrived, total)
// arrays: x = float[4], part = float[4], arrived = int[1], total = float[1]
// expect: global_race, part[, blocks run in any order, __threadfence() belongs before
__global__ void sum(const float *x, float *part, int *arrived, float *total) {
    if (threadIdx.x) return;
    part[blockIdx.x] = x[blockIdx.x];  // <- other
#ifdef MENDED
    __threadfence();
#endif
    if (atomicAdd(arrived, 1) == 3) {
        float all = 0.0f;
        for (int i = 0; i < 4; i++)
            all += part[i];  // <- fault
        total[0] = all;
    }
}
