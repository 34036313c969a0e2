// row: 18
// function: twice
// expect: ok: the file's other host functions are never run
// device: ok
// twin: twice/macros
// Puts functions of its own in place of the runtime's clock and comparison.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
extern "C" int cudaEventElapsedTime(float *ms, void *start, void *stop) {
    *ms = 0.001f;
    return 0;
}
extern "C" int memcmp(const void *a, const void *b, unsigned long n) { return 0; }

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
