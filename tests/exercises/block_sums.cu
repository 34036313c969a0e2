// The halves of what is left are added, so that neighbouring threads touch neighbouring words.
__global__ void add(const int *x, int *sums) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 256 + t];
    for (int left = 128; left > 0; left /= 2) {
        __syncthreads();
        if (t < left) s[t] += s[t + left];
    }
    if (t == 0) sums[blockIdx.x] = s[0];
}

void block_sums(int blocks, const int *x, int *sums) {
    if (blocks > 0) add<<<blocks, 256>>>(x, sums);
}
