// 65536 * 65536 is 0 as an int, and 46341 * 46341 is negative.
// run: square<<<1, 1>>>(x, 46341)
// run mended: square<<<1, 1>>>(x, 10)
// arrays: x = float[100]
// expect: out_of_bounds, thread (0,0,0), far from every buffer, size_t
__global__ void square(float *x, int side) {
    int last = side * side - 1;
    x[last] = 1.0f;  // <- fault
}
