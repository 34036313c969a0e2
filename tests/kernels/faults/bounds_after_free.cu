// The workspace is given back before the launch that reads it.
// run: malloc work 128; zero work 128; free work; copy<<<1, 32>>>(work, x)
// run mended: malloc work 128; zero work 128; copy<<<1, 32>>>(work, x); free work
// arrays: x = float[32]
// expect: out_of_bounds, work, not allocated here any more, cudaFree(work)
__global__ void copy(const float *from, float *x) {
    x[threadIdx.x] = from[threadIdx.x];  // <- fault
}
