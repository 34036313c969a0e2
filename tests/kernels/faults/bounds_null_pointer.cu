// A pointer that was never allocated.
// run: set<<<1, 1>>>(0)
// run mended: set<<<1, 1>>>(x)
// arrays: x = int[1]
// expect: out_of_bounds, thread (0,0,0), through a null pointer, allocated
__global__ void set(int *x) {
    *x = 1;  // <- fault
}
