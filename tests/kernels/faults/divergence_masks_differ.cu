// Lanes that should meet name different partners.
// run: vote<<<1, 32>>>(x)
// arrays: x = int[32]
// expect: divergence, __any_sync(), with another mask, the same mask
__global__ void vote(int *x) {
#ifdef MENDED
    unsigned mask = 0xffffffffu;
#else
    unsigned mask = threadIdx.x == 0 ? 0x3u : 0xffffffffu;
#endif
    x[threadIdx.x] = __any_sync(mask, threadIdx.x & 1);  // <- fault
}
