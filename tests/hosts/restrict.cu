// launches: two 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    float *__restrict__ t;
    cudaMalloc(&t, 4 * n);
    two<<<1,32>>>(x,t,n);
    cudaFree(t);
}
