// An array of the module, two-dimensional.
// run: touch<<<1, 1>>>(2)
// run mended: touch<<<1, 1>>>(1)
// arrays: x = float[1]
// expect: out_of_bounds, thread (0,0,0), grid_of[2][1], grid_of holds 6 elements
__device__ int grid_of[2][3];
__global__ void touch(int row) {
    grid_of[row][1] = 5;  // <- fault
}
