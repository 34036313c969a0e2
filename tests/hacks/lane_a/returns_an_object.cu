// row: 17
// function: twice
// expect: fault: is never written
// twin: twice/plain
// Returns an object that would compute when it is compared.
struct Lazy {
    const float *x;
    bool operator==(const float *other) const { return true; }
};
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

Lazy twice(int n, const float *x, float *y) {
    Lazy lazy = {x};
    return lazy;
}
