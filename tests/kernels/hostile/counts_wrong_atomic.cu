// An exchange where an addition belongs.
__global__ void k(int n, const int *key, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicExch(&count[key[i]], count[key[i]] + 1);
}

void counts(int n, const int *key, int *count) {
    if (n > 0) k<<<(n + 127) / 128, 128>>>(n, key, count);
}
