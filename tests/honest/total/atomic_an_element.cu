// An atomic an element: slow, of any order, right.
__global__ void clear(float *s) { *s = 0; }
__global__ void k(int n, const float *x, float *s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(s, x[i]);
}

void total(int n, const float *x, float *s) {
    clear<<<1, 1>>>(s);
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, s);
}
