// launches: k 1x1x1 256x1x1
void saxpy(int n, float a, const float *x, float *y) {
    cudaFuncAttributes fa;
    cudaFuncGetAttributes(&fa, k);
    k<<<1, fa.maxThreadsPerBlock>>>(n,a,x,y);
}
