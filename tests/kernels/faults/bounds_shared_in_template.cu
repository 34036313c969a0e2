// The tile's size is a template argument.
// run: rotate<16><<<1, 17>>>(x)
// run mended: rotate<32><<<1, 17>>>(x)
// arrays: x = int[32]
// expect: out_of_bounds, thread (16,0,0), tile[16], tile holds 16 elements
template <int N> __global__ void rotate(int *x) {
    __shared__ int tile[N];
    tile[threadIdx.x] = x[threadIdx.x];  // <- fault
    x[threadIdx.x] = tile[threadIdx.x];
}
