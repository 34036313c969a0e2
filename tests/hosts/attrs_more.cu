// launches: k 8x1x1 256x1x1
void saxpy(int n, float a, const float *x, float *y) {
    int v, w, c2, mj;
    cudaDeviceGetAttribute(&v, cudaDevAttrMaxThreadsPerMultiProcessor, 0);
    cudaDeviceGetAttribute(&w, cudaDevAttrL2CacheSize, 0);
    cudaDeviceGetAttribute(&c2, cudaDevAttrMaxGridDimX, 0);
    cudaDeviceGetAttribute(&mj, cudaDevAttrComputeCapabilityMajor, 0);
    k<<<v / 256, mj >= 8 ? 256 : 128>>>(n,a,x,y);
}
