#define TILE 32

__global__ void tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float s[TILE][TILE], t[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        s[threadIdx.y][threadIdx.x] = row < n && k + threadIdx.x < n ? a[row * n + k + threadIdx.x] : 0.0f;
        t[threadIdx.y][threadIdx.x] = column < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + column] : 0.0f;
        __syncthreads();
        for (int q = 0; q < TILE; q++) sum += s[threadIdx.y][q] * t[q][threadIdx.x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

// 64 x 64 of c for a block of 256 threads, 4 x 4 for a thread; n is a multiple of 64.
__global__ void in_registers(const float* a, const float* b, float* c, int n) {
    __shared__ float s[16][64], t[16][64];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += 16) {
        for (int i = threadIdx.x; i < 16 * 64; i += 256) {
            s[i % 16][i / 16] = a[(blockIdx.y * 64 + i / 16) * n + k + i % 16];
            t[i / 64][i % 64] = b[(k + i / 64) * n + blockIdx.x * 64 + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int q = 0; q < 16; q++) {
            float4 u = *(float4*)&s[q][4 * y];
            float4 v = *(float4*)&t[q][4 * x];
            float left[4] = {u.x, u.y, u.z, u.w}, top[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) sum[i][j] += left[i] * top[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) c[(blockIdx.y * 64 + 4 * y + i) * n + blockIdx.x * 64 + 4 * x + j] = sum[i][j];
}
