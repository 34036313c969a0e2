// A table in constant memory with four entries.
// run: look_up<<<1, 5>>>(x)
// run mended: look_up<<<1, 4>>>(x)
// arrays: x = float[8]
// expect: out_of_bounds, thread (4,0,0), table[4], table holds 4 elements
__constant__ float table[4] = {1.0f, 2.0f, 3.0f, 4.0f};
__global__ void look_up(float *x) {
    x[threadIdx.x] = table[threadIdx.x];  // <- fault
}
