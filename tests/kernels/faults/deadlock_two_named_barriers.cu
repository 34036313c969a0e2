// Each warp waits for the other at a barrier of another number.
// run: cross<<<1, 64>>>(x)
// arrays: x = int[64]
// expect: deadlock, waits at another, at line
__global__ void cross(int *x) {
#ifdef MENDED
    asm volatile("bar.sync 1, 64;" ::: "memory");
#else
    if (threadIdx.x < 32) {
        asm volatile("bar.sync 1, 64;" ::: "memory");  // <- fault
        x[threadIdx.x] = 2;
    } else {
        asm volatile("bar.sync 2, 64;" ::: "memory");  // <- other
        x[threadIdx.x] = 3;
    }
#endif
}
