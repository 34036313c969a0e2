// The loop's end never comes.
// run: spin<<<1, 32>>>(x)
// arrays: x = int[32]
// expect: limit, limit of steps, what ends the loop
__global__ void spin(int *x) {
    int i = x[threadIdx.x];
#ifdef MENDED
    while (i < 100) i += 2;
#else
    while (i != 101) i = (i + 2) & 1023;  // <- fault
#endif
    x[threadIdx.x] = i;
}
