// An atomic on an int that straddles two.
// run: add<<<1, 1>>>(bytes)
// arrays: bytes = uint8[16]
// expect: misaligned, thread (0,0,0), updates 4 bytes at once
__global__ void add(unsigned char *bytes) {
#ifdef MENDED
    atomicAdd((int *)(bytes + 4), 1);
#else
    atomicAdd((int *)(bytes + 2), 1);  // <- fault
#endif
}
