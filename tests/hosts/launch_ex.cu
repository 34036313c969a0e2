// launches: k 4x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    cudaLaunchConfig_t cfg = {0};
    cfg.gridDim = 4;
    cfg.blockDim = 32;
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim.x = 2;
    at[0].val.clusterDim.y = 1;
    at[0].val.clusterDim.z = 1;
    cfg.attrs = at;
    cfg.numAttrs = 1;
    cudaLaunchKernelEx(&cfg, k, n, a, x, y);
}
