// launches: k 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    cudaStream_t s;
    cudaStreamCreate(&s);
    k<<<1,32,0,s>>>(n,a,x,y);
    cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
}
