// A member of a structure at address 0.
// run: set<<<1, 1>>>(0)
// run mended: set<<<1, 1>>>(x)
// arrays: x = int[4]
// expect: out_of_bounds, thread (0,0,0), through a null pointer
struct Pair { int first[3]; int second; };
__global__ void set(Pair *pair) {
    pair->second = 1;  // <- fault
}
