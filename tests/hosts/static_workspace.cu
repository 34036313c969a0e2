// launches: two 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    static float *ws = nullptr;
    static int cap = 0;
    if (cap < n) { cudaFree(ws); cudaMalloc(&ws, n * sizeof(float)); cap = n; } two<<<1,32>>>(x, ws, n);
}
