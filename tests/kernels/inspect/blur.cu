// Two neighbours' mean through a tile; wrong in three ways, as the README shows.
__global__ void blur(const float *x, float *y, int n) {
    __shared__ float tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x] = i < n ? x[i] : 0;
    float right = threadIdx.x < 255 ? tile[threadIdx.x + 1] : x[i + 1];
    if (i < n) y[i] = 0.5f * (tile[threadIdx.x] + right);
}
