// launches: two 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    float *t;
    cudaMalloc<float>(&t, n * sizeof(float));
    two<<<1,32>>>(x,t,n);
    cudaFree(t);
}
