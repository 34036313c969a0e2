// Only the threads below n write, all are added up.
// run: total<<<1, 64>>>(x, s, 40)
// arrays: x = float[40], s = float[1]
// expect: uninitialised, thread (0,0,0), part[40], nothing in its block has written
__global__ void total(const float *x, float *s, int n) {
    __shared__ float part[64];
    int i = threadIdx.x;
#ifdef MENDED
    part[i] = i < n ? x[i] : 0.0f;
#else
    if (i < n) part[i] = x[i];
#endif
    __syncthreads();
    float sum = 0.0f;
    if (i == 0) {
        for (int j = 0; j < 64; j++)
            sum += part[j];  // <- fault
        s[0] = sum;
    }
}
