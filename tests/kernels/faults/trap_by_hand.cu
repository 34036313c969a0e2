// The kernel gives up by itself.
// run: check<<<1, 32>>>(x)
// arrays: x = int[32] counting
// expect: trap, thread (7,0,0), __trap()
__global__ void check(int *x) {
#ifdef MENDED
    if (x[threadIdx.x] < 0) __trap();
#else
    if (x[threadIdx.x] == 7) __trap();  // <- fault
#endif
}
