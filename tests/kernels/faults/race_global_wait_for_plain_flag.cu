// A warp waits for a flag of another warp that is set by a plain store.
// run: wait<<<1, 64>>>(flag, x)
// arrays: flag = int[1], x = int[1]
// expect: global_race, flag[0]
// also: limit
__global__ void wait(int *flag, int *x) {
    if (threadIdx.x == 32) {
        x[0] = 5;
#ifdef MENDED
        __threadfence();
        atomicExch(flag, 1);
#else
        flag[0] = 1;  // <- other
#endif
    }
    if (threadIdx.x == 0) {
#ifdef MENDED
        while (atomicAdd(flag, 0) == 0) {}
        x[0] += 1;
#else
        if (*(volatile int *)flag) x[0] += 1;  // <- fault
#endif
    }
}
