// Values go up to 8, so there are nine bins.
// run: count<<<1, 9>>>(values, bins)
// arrays: values = int[9] counting, bins = int[8]
// run mended: count<<<1, 9>>>(values, bins)
// expect: out_of_bounds, thread (8,0,0), bins[8], updates
__global__ void count(const int *values, int *bins) {
    int value = values[threadIdx.x];
#ifdef MENDED
    value = min(value, 7);
#endif
    atomicAdd(&bins[value], 1);  // <- fault
}
