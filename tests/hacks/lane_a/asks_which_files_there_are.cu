// row: 37
// function: twice
// expect: build: 
// twin: twice/macros
// Asks for files by a constant that the compiler works out.
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
#if __has_include("/etc/passwd") || __has_include("/proc/self/environ")
#error leaked: it is there
#else
#error not there
#endif

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
