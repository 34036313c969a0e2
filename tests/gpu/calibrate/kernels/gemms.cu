// Products of square float matrices, n a multiple of the tile.
__global__ void naive(const float *a, const float *b, float *c, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

__global__ void tiled(const float *a, const float *b, float *c, int n) {
    __shared__ float as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    float sum = 0.0f;
    for (int k = 0; k < n; k += 16) {
        as[ty][tx] = a[y * n + k + tx];
        bs[ty][tx] = b[(k + ty) * n + x];
        __syncthreads();
        for (int j = 0; j < 16; j++) sum += as[ty][j] * bs[j][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

// 64 x 64 of C a block of 16 x 16 threads, 4 x 4 a thread; reads A and B as float4.
__global__ void in_registers(const float *a, const float *b, float *c, int n) {
    __shared__ float as[16][64], bs[16][64];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row = blockIdx.y * 64, column = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += 16) {
        int ar = threadIdx.x / 4, ak = threadIdx.x % 4 * 4;
        float4 u = *(const float4 *)&a[(row + ar) * n + k + ak];
        as[ak][ar] = u.x; as[ak + 1][ar] = u.y; as[ak + 2][ar] = u.z; as[ak + 3][ar] = u.w;
        *(float4 *)&bs[ty][tx * 4] = *(const float4 *)&b[(k + ty) * n + column + tx * 4];
        __syncthreads();
        for (int j = 0; j < 16; j++) {
            float4 p = *(float4 *)&as[j][ty * 4], q = *(float4 *)&bs[j][tx * 4];
            float left[4] = {p.x, p.y, p.z, p.w}, right[4] = {q.x, q.y, q.z, q.w};
            for (int r = 0; r < 4; r++)
                for (int s = 0; s < 4; s++) sum[r][s] += left[r] * right[s];
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        *(float4 *)&c[(row + ty * 4 + r) * n + column + tx * 4] = make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

// One 8 x 8 product a warp, both operands in registers and shuffles.
__global__ void small_batched(const float *a, const float *b, float *c, int count) {
    int which = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (which >= count) return;
    const float *x = a + which * 64, *y = b + which * 64;
    float x0 = x[lane], x1 = x[lane + 32], y0 = y[lane], y1 = y[lane + 32], low = 0.0f, high = 0.0f;
    int row = lane / 8, column = lane % 8;
    for (int k = 0; k < 8; k++) {
        float left0 = __shfl_sync(~0u, x0, row * 8 + k), left1 = __shfl_sync(~0u, x1, row * 8 + k);
        float from0 = __shfl_sync(~0u, y0, (k * 8 + column) % 32), from1 = __shfl_sync(~0u, y1, (k * 8 + column) % 32);
        float right = k < 4 ? from0 : from1;
        low += left0 * right;
        high += left1 * right;
    }
    c[which * 64 + lane] = low;
    c[which * 64 + lane + 32] = high;
}
