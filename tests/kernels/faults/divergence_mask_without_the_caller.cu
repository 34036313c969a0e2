// The mask names the lower half, and all lanes call.
// run: vote<<<1, 32>>>(x)
// arrays: x = int[32]
// expect: divergence, __ballot_sync(), 0x0000ffff, leaves its own lane
__global__ void vote(int *x) {
#ifdef MENDED
    x[threadIdx.x] = __ballot_sync(0xffffffffu, threadIdx.x & 1);
#else
    x[threadIdx.x] = __ballot_sync(0x0000ffffu, threadIdx.x & 1);  // <- fault
#endif
}
