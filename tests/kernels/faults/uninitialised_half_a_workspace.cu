// The first launch writes every second element.
// run: malloc work 128; write<<<1, 32>>>(work, 2); read<<<1, 32>>>(x, work)
// run mended: malloc work 128; write<<<1, 32>>>(work, 1); read<<<1, 32>>>(x, work)
// arrays: x = float[32]
// expect: uninitialised, work, which nothing has written
__global__ void write(float *work, int step) {
    if (threadIdx.x % step == 0) work[threadIdx.x] = 1.0f;
}
__global__ void read(float *x, const float *work) {
    x[threadIdx.x] = work[threadIdx.x];  // <- fault
}
