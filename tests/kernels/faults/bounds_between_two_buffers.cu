// An index far past x meets no other buffer: what lies between them belongs to nobody.
// run: far<<<1, 1>>>(x, y, 1000)
// run mended: far<<<1, 1>>>(x, y, 3)
// arrays: x = int[4], y = int[4]
// expect: out_of_bounds, thread (0,0,0), x[1000], x holds 4 elements
__global__ void far(int *x, int *y, int at) {
    y[0] = x[at];  // <- fault
}
