// The barrier counts 64 threads, and 32 come.
// run: wait<<<1, 64>>>(x)
// arrays: x = int[64]
// expect: deadlock, 32 of 64 threads have come
__global__ void wait(int *x) {
#ifndef MENDED
    if (threadIdx.x < 32)
#endif
        asm volatile("bar.sync 1, 64;" ::: "memory");  // <- fault
    x[threadIdx.x] = 1;
}
