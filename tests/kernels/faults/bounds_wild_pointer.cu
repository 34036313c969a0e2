// A number that is no address.
// run: poke<<<1, 1>>>(123456789012344)
// run mended: poke<<<1, 1>>>(x)
// arrays: x = int[1]
// expect: out_of_bounds, thread (0,0,0), far from every buffer, check the pointer
__global__ void poke(int *p) {
    *p = 7;  // <- fault
}
