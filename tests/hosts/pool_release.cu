// launches: k 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    cudaMemPool_t pool;
    cudaDeviceGetDefaultMemPool(&pool, 0);
    uint64_t th = UINT64_MAX;
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &th);
    k<<<1,32>>>(n,a,x,y);
}
