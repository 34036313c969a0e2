// launches: two 4x1x1 256x1x1; two 4x1x1 256x1x1; two 4x1x1 256x1x1; two 4x1x1 256x1x1; two 4x1x1 256x1x1; two 4x1x1 256x1x1; two 4x1x1 256x1x1; two 4x1x1 256x1x1; two 4x1x1 256x1x1; two 4x1x1 256x1x1
void saxpy(int n, float a, const float *x, float *y) {
    float *t;
    cudaMalloc(&t, n * sizeof *t);
    for (int s = 1; s < n; s <<= 1) two<<<(n + 255) / 256, 256>>>(x, t, s);
    cudaFree(t);
}
