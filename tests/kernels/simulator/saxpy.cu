__global__ void saxpy(int n, float a, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void saxpy4(int n, float a, const float4* x, float4* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 4) return;
    float4 u = x[i];
    float4 v = y[i];
    y[i] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w);
}

__global__ void without_guard(int n, float a, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * x[i] + y[i];
}

__global__ void every_seventh(const float* x, float* y) {
    int i = threadIdx.x;
    y[i] = x[7 * i];
}

__global__ void one_off(const float* x, float* y) {
    int i = threadIdx.x;
    y[i] = x[i + 1];
}
