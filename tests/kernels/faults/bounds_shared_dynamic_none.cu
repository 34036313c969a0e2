// The third number of the launch is missing.
// run: keep<<<1, 1>>>(x)
// run mended: keep<<<1, 1, 8>>>(x)
// arrays: x = double[1]
// expect: out_of_bounds, thread (0,0,0), buffer[0], shared memory
__global__ void keep(double *x) {
    extern __shared__ double buffer[];
    buffer[threadIdx.x] = x[threadIdx.x];  // <- fault
    x[threadIdx.x] = buffer[threadIdx.x];
}
