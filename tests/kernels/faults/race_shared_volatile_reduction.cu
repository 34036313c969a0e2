// The old way to reduce in a warp: volatile keeps no order between lanes.
// run: reduce<<<1, 32>>>(x)
// arrays: x = float[32]
// expect: shared_race, part[, volatile does not order lanes, __syncwarp()
__global__ void reduce(float *x) {
    __shared__ volatile float part[64];
    int i = threadIdx.x;
    part[i] = x[i];
    part[i + 32] = 0.0f;
    __syncthreads();
    for (int step = 16; step > 0; step /= 2) {
#ifdef MENDED
        float other = part[i + step];
        __syncwarp();
        part[i] = part[i] + other;
        __syncwarp();
#else
        part[i] += part[i + step];  // <- fault
#endif
    }
    if (i == 0) x[0] = part[0];
}
