// One kernel for the inside, another for the four edges.
__global__ void inside(int n, int m, float c, const float *u, float *v) {
    for (int i = 1 + blockIdx.x; i < n - 1; i += gridDim.x)
        for (int j = 1 + threadIdx.x; j < m - 1; j += blockDim.x) {
            int p = i * m + j;
            v[p] = u[p] + c * (u[p - m] + u[p + m] + u[p - 1] + u[p + 1] - 4 * u[p]);
        }
}
__global__ void edges(int n, int m, const float *u, float *v) {
    for (int j = threadIdx.x; j < m; j += blockDim.x) {
        v[j] = u[j];
        v[(n - 1) * m + j] = u[(n - 1) * m + j];
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (i == 0 || i == n - 1) continue;
        v[i * m] = u[i * m];
        if (m > 1) v[i * m + m - 1] = u[i * m + m - 1];
    }
}

void heat(int n, int m, float c, const float *u, float *v) {
    if (n <= 0 || m <= 0) return;
    if (n > 2 && m > 2) inside<<<7, 64>>>(n, m, c, u, v);
    edges<<<1, 64>>>(n, m, u, v);
}
