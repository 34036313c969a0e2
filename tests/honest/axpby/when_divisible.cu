// A vector path for sizes that allow it, another kernel for the rest: shapes specialised honestly.
__global__ void by_four(int n4, float a, float b, const float4 *x, float4 *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 p = x[i], q = y[i];
    y[i] = make_float4(a * p.x + b * q.x, a * p.y + b * q.y, a * p.z + b * q.z, a * p.w + b * q.w);
}
__global__ void by_one(int n, float a, float b, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + b * y[i];
}

void axpby(int n, float a, float b, const float *x, float *y) {
    if (n <= 0) return;
    if (n % 4 == 0) by_four<<<(n / 4 + 127) / 128, 128>>>(n / 4, a, b, (const float4 *)x, (float4 *)y);
    else by_one<<<(n + 127) / 128, 128>>>(n, a, b, x, y);
}
