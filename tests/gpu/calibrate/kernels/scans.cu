// Inclusive sums of ints, 512 a block.
__global__ void hillis_steele(const int *in, int *out) {
    __shared__ int row[2][512];
    int t = threadIdx.x, from = 0;
    row[0][t] = in[blockIdx.x * 512 + t];
    __syncthreads();
    for (int k = 1; k < 512; k *= 2) {
        row[1 - from][t] = row[from][t] + (t >= k ? row[from][t - k] : 0);
        from = 1 - from;
        __syncthreads();
    }
    out[blockIdx.x * 512 + t] = row[from][t];
}

// Exclusive up- and down-sweep of 512 with 256 threads. PAD: one word of padding every 32.
template <int PAD> __device__ int at(int i) { return PAD ? i + i / 32 : i; }

template <int PAD> __global__ void blelloch(const int *in, int *out) {
    __shared__ int row[512 + 16];
    int t = threadIdx.x;
    row[at<PAD>(t)] = in[blockIdx.x * 512 + t];
    row[at<PAD>(t + 256)] = in[blockIdx.x * 512 + t + 256];
    int offset = 1;
    for (int k = 256; k > 0; k /= 2) {
        __syncthreads();
        if (t < k) row[at<PAD>(offset * (2 * t + 2) - 1)] += row[at<PAD>(offset * (2 * t + 1) - 1)];
        offset *= 2;
    }
    if (t == 0) row[at<PAD>(511)] = 0;
    for (int k = 1; k < 512; k *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < k) {
            int left = at<PAD>(offset * (2 * t + 1) - 1), right = at<PAD>(offset * (2 * t + 2) - 1), v = row[left];
            row[left] = row[right];
            row[right] += v;
        }
    }
    __syncthreads();
    out[blockIdx.x * 512 + t] = row[at<PAD>(t)];
    out[blockIdx.x * 512 + t + 256] = row[at<PAD>(t + 256)];
}
