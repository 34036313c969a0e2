// An array of the thread's own, with an index that comes from outside.
// run: pick<<<1, 1>>>(x, 100)
// run mended: pick<<<1, 1>>>(x, 7)
// arrays: x = int[8]
// expect: out_of_bounds, thread (0,0,0), mine[100], mine holds 8 elements
__global__ void pick(int *x, int at) {
    int mine[8];
    for (int i = 0; i < 8; i++) mine[i] = x[i];
    x[0] = mine[at];  // <- fault
}
