// launches: two 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    float *t;
    size_t pitch;
    cudaMallocPitch(&t, &pitch, n * sizeof(float), 4);
    cudaMemset2D(t, pitch, 0, n * sizeof(float), 4);
    two<<<1,32>>>(x, t, pitch / sizeof(float));
    cudaFree(t);
}
