// row: 37
// function: twice
// expect: build: 
// twin: twice/macros
// Takes a file's bytes by #embed, or by the assembler.
__device__ const unsigned char bytes[] = {
#embed "/etc/passwd"
};
__global__ void k(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i] + 0 * bytes[0];
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
