// Wide accesses only where both addresses allow them: the address decides the path, never the result.
__global__ void k(int n, const float *x, float *y) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    bool aligned = ((unsigned long long)x | (unsigned long long)y) % sizeof(float4) == 0;
    if (aligned && 4 * t + 3 < n) {
        float4 v = reinterpret_cast<const float4 *>(x)[t];
        reinterpret_cast<float4 *>(y)[t] = make_float4(v.x + v.x, v.y + v.y, v.z + v.z, v.w + v.w);
    } else {
        for (int i = 4 * t; i < min(n, 4 * t + 4); i++) y[i] = x[i] + x[i];
    }
}

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 511) / 512, 128>>>(n, x, y);
}
