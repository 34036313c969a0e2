// Four floats at once from an odd element.
// run: load<<<1, 1>>>(x, y)
// arrays: x = float[9], y = float[4]
// expect: misaligned, thread (0,0,0), x[1], 16 bytes at once, multiple of 16
__global__ void load(const float *x, float *y) {
#ifdef MENDED
    *(float4 *)y = *(const float4 *)(x + 4);
#else
    *(float4 *)y = *(const float4 *)(x + 1);  // <- fault
#endif
}
