// Control flow that gathers and parts lanes; each ends in stores, which show where they met again.
__global__ void nested(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = in[i];
    if (v & 1) {
        if (v & 2) v = in[(i * 7 + 1) % n] + 1; else v = in[(i * 5 + 3) % n] - 1;
        out[i] = v;
    } else if (v & 4) {
        v += in[(i * 3) % n];
    }
    out[i + n] = v;
}

__global__ void all_of(const int *in, int *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int a = x + dx, b = y + dy;
            if (a >= 0 && a < w && b >= 0 && b < h && in[b * w + a] > 300) sum += in[b * w + a];
        }
    if (x < w && y < h) out[y * w + x] = sum;
}

__global__ void breaks(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (i >= n) return;
    for (int k = 0; k < 64; k++) {
        int v = in[(i + k * 37) % n];
        if (v % 5 == 1) continue;
        if (v % 29 == 3) break;
        sum += v;
        out[(i + k * 0) + n] = sum;
    }
    out[i] = sum;
}

__device__ __noinline__ int weight(int v, int depth) { return depth > 4 ? v : v * 3 + depth; }

__global__ void calls(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = in[i];
    for (int k = 0; k < v % 7; k++) v = weight(v & 1023, k) + in[(v + k) % n] % 5;
    out[i] = v;
}

__global__ void binary_search(const int *sorted, const int *wanted, int *out, int n, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < wanted[i]) low = middle + 1; else high = middle;
    }
    out[i] = low;
}

// Half of the block meets at a barrier of its own, all at one that votes.
__global__ void named_barriers(const int *in, int *out, int rounds) {
    __shared__ int row[256];
    int t = threadIdx.x, v = in[blockIdx.x * 256 + t];
    for (int k = 0; k < rounds; k++) {
        row[t] = v;
        if (t < 128) asm volatile("bar.sync 1, 128;" ::: "memory"); else asm volatile("bar.sync 2, 128;" ::: "memory");
        v += row[t ^ 64];
        if (__syncthreads_count(v & 1) > 128) v += 1;
    }
    out[blockIdx.x * 256 + t] = v;
}
