// launches: k 1x1x1 32x1x1
void run(int n, float a, const float *x, float *y, cudaStream_t stream = 0) { k<<<1, 32, 0, stream>>>(n,a,x,y); }
void saxpy(int n, float a, const float *x, float *y) {
    run(n,a,x,y);
}
