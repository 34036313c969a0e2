// launches: k 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    double *t;
    cudaMalloc(&t, sizeof(*t) * n);
    cudaMemset(t, 0xff, sizeof(double) * n);
    cudaFree(t);
    k<<<1,32>>>(n,a,x,y);
}
