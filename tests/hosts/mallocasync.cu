// launches: two 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    float *t = nullptr;
    cudaMallocAsync(&t, n * sizeof(float), cudaStreamPerThread);
    two<<<1,32>>>(x,t,n);
    cudaFreeAsync(t, cudaStreamPerThread);
}
