__global__ void hash(const unsigned *in, unsigned *out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = in[i];
    for (int k = 0; k < rounds; k++) {
        v ^= v >> 16; v *= 0x85ebca6bu; v ^= v >> 13; v *= 0xc2b2ae35u; v ^= v >> 16;
    }
    out[i] = v;
}

__global__ void n_body(const float4 *at, float4 *force, int n) {
    __shared__ float4 tile[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 me = at[i];
    float x = 0.0f, y = 0.0f, z = 0.0f;
    for (int j = 0; j < n; j += 128) {
        tile[threadIdx.x] = at[j + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float square = dx * dx + dy * dy + dz * dz + 0.01f;
            float pull = tile[k].w / (square * sqrtf(square));
            x += dx * pull; y += dy * pull; z += dz * pull;
        }
        __syncthreads();
    }
    force[i] = make_float4(x, y, z, 0.0f);
}

__global__ void mandelbrot(int *out, int w, int h, int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float cr = -2.0f + 3.0f * x / w, ci = -1.5f + 3.0f * y / h, zr = 0.0f, zi = 0.0f;
    int k = 0;
    for (; k < most && zr * zr + zi * zi < 4.0f; k++) {
        float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
    }
    out[y * w + x] = k;
}

__global__ void mixed_precision(const double *in, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double v = in[i];
    for (int k = 0; k < 16; k++) v = sqrt(fabs(v * v - 0.75)) + 1.0 / (v + 3.0);
    out[i] = v;
}

// 512 keys a block, in shared memory.
__global__ void bitonic_sort(int *keys) {
    __shared__ int row[512];
    int t = threadIdx.x;
    row[t] = keys[blockIdx.x * 512 + t];
    row[t + 256] = keys[blockIdx.x * 512 + t + 256];
    for (int k = 2; k <= 512; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            __syncthreads();
            int low = 2 * t - (t & (j - 1)), high = low + j;
            bool up = (low & k) == 0;
            int a = row[low], b = row[high];
            if ((a > b) == up) { row[low] = b; row[high] = a; }
        }
    __syncthreads();
    keys[blockIdx.x * 512 + t] = row[t];
    keys[blockIdx.x * 512 + t + 256] = row[t + 256];
}

__global__ void nearest_centre(const float *points, const float *centres, int *out, int n, int count) {
    __shared__ float held[32 * 4];
    for (int i = threadIdx.x; i < count * 4; i += blockDim.x) held[i] = centres[i];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = ((const float4 *)points)[i];
    float best = 1e30f;
    int which = 0;
    for (int k = 0; k < count; k++) {
        float a = p.x - held[4 * k], b = p.y - held[4 * k + 1], c = p.z - held[4 * k + 2], d = p.w - held[4 * k + 3];
        float square = a * a + b * b + c * c + d * d;
        if (square < best) { best = square; which = k; }
    }
    out[i] = which;
}
