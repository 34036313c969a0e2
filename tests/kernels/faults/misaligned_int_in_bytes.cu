// An int that is read from the middle of bytes.
// run: word<<<1, 1>>>(bytes, y)
// arrays: bytes = uint8[16], y = int[1]
// expect: misaligned, thread (0,0,0), bytes[5], 4 bytes at once
__global__ void word(const unsigned char *bytes, int *y) {
#ifdef MENDED
    y[0] = *(const int *)(bytes + 8);
#else
    y[0] = *(const int *)(bytes + 5);  // <- fault
#endif
}
