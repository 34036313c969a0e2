// Two threads count into one bin, each reads the old number.
// run: count<<<2, 32>>>(values, bins)
// arrays: values = int[64], bins = int[4]
// expect: global_race, bins[0], atomicAdd
__global__ void count(const int *values, int *bins) {
    int value = values[blockIdx.x * blockDim.x + threadIdx.x];
#ifdef MENDED
    atomicAdd(&bins[value], 1);
#else
    bins[value] += 1;  // <- fault
#endif
}
