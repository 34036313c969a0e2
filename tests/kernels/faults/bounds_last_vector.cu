// 30 floats are seven float4 and a half.
// run: twice<<<1, 8>>>(x, y, 30)
// arrays: x = float[30], y = float[32]
// expect: out_of_bounds, thread (7,0,0), x[28], x holds 30 elements
__global__ void twice(const float *x, float *y, int n) {
    int i = threadIdx.x;
#ifdef MENDED
    if (4 * i + 3 < n)
#endif
    {
        float4 v = ((const float4 *)x)[i];  // <- fault
        ((float4 *)y)[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
    }
}
