// Every block adds its part, and reads the total before the others have added theirs.
// run: divide<<<4, 32>>>(x, total)
// run mended: add<<<4, 32>>>(x, total); divide<<<4, 32>>>(x, total)
// arrays: x = float[4], total = float[1]
// expect: global_race, total[0], one of the two is atomic
__global__ void add(const float *x, float *total) {
    if (threadIdx.x == 0) atomicAdd(total, x[blockIdx.x]);
}
__global__ void divide(float *x, float *total) {
    if (threadIdx.x) return;
#ifndef MENDED
    atomicAdd(total, x[blockIdx.x]);  // <- other
#endif
    x[blockIdx.x] /= total[0];  // <- fault
}
