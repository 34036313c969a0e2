// launches: two 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    void *raw;
    cudaMallocAsync(&raw, n * sizeof(float), (cudaStream_t)0);
    float *t = static_cast<float*>(raw);
    two<<<1,32>>>(x,t,n);
    cudaFreeAsync(raw, 0);
}
