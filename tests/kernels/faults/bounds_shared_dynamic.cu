// The launch gives 31 floats of shared memory to 32 threads.
// run: keep<<<1, 32, 124>>>(x)
// run mended: keep<<<1, 32, 128>>>(x)
// arrays: x = float[32]
// expect: out_of_bounds, thread (31,0,0), buffer[31], at least 128 bytes
extern __shared__ float buffer[];
__global__ void keep(float *x) {
    buffer[threadIdx.x] = x[threadIdx.x];  // <- fault
    __syncthreads();
    x[threadIdx.x] = buffer[threadIdx.x];
}
