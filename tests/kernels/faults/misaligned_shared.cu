// A tile of floats that is read as float2 from an odd element.
// run: halves<<<1, 1>>>(x)
// arrays: x = float[8]
// expect: misaligned, thread (0,0,0), tile[1], 8 bytes at once
__global__ void halves(float *x) {
    __shared__ float tile[8];
    for (int i = 0; i < 8; i++) tile[i] = x[i];
#ifdef MENDED
    float2 v = *(float2 *)(tile + 2);
#else
    float2 v = *(float2 *)(tile + 1);  // <- fault
#endif
    x[0] = v.x + v.y;
}
