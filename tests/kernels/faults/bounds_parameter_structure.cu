// An array in a structure that is passed by value.
// run: pick<<<1, 1>>>(x, 5000)
// run mended: pick<<<1, 1>>>(x, 1)
// arrays: x = int[4]
// expect: out_of_bounds, thread (0,0,0), mine[5000]
__global__ void pick(int *x, int at) {
    struct { int v[4]; } four;
    int mine[4] = {x[0], x[1], x[2], x[3]};
    for (int i = 0; i < 4; i++) four.v[i] = mine[i];
    x[0] = mine[at];  // <- fault
}
