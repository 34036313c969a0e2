__global__ void line3(const float *a, float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) b[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
}

__global__ void line3_shared(const float *a, float *b, int n) {
    __shared__ float row[256 + 2];
    int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x + 1;
    row[t] = i < n ? a[i] : 0.0f;
    if (threadIdx.x == 0) row[0] = i > 0 ? a[i - 1] : 0.0f;
    if (threadIdx.x == 255) row[257] = i + 1 < n ? a[i + 1] : 0.0f;
    __syncthreads();
    if (i > 0 && i < n - 1) b[i] = 0.25f * row[t - 1] + 0.5f * row[t] + 0.25f * row[t + 1];
}

__global__ void plane5(const float *a, float *b, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    int i = y * w + x;
    b[i] = 0.2f * (a[i] + a[i - 1] + a[i + 1] + a[i - w] + a[i + w]);
}

__global__ void plane5_shared(const float *a, float *b, int w, int h) {
    __shared__ float tile[10][34];
    int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 8 - 1;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 340; k += 256) {
        int x = x0 + k % 34, y = y0 + k / 34;
        tile[k / 34][k % 34] = x >= 0 && y >= 0 && x < w && y < h ? a[y * w + x] : 0.0f;
    }
    __syncthreads();
    int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y, s = threadIdx.y + 1, t = threadIdx.x + 1;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    b[y * w + x] = 0.2f * (tile[s][t] + tile[s][t - 1] + tile[s][t + 1] + tile[s - 1][t] + tile[s + 1][t]);
}

// Seven points in space, marching along z with the column kept in registers.
__global__ void space7(const float *a, float *b, int w, int h, int d) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    int plane = w * h, i = y * w + x;
    float below = a[i], here = a[i + plane];
    for (int z = 1; z < d - 1; z++) {
        i += plane;
        float above = a[i + plane];
        b[i] = 0.125f * (below + above + a[i - 1] + a[i + 1] + a[i - w] + a[i + w]) + 0.25f * here;
        below = here;
        here = above;
    }
}
