// cudaMalloc does not clear.
// run: malloc work 128; add<<<1, 32>>>(x, work)
// run mended: malloc work 128; zero work 128; add<<<1, 32>>>(x, work)
// arrays: x = float[32]
// expect: uninitialised, work, which nothing has written, cudaMemset
__global__ void add(float *x, const float *work) {
    x[threadIdx.x] += work[threadIdx.x];  // <- fault
}
