void blockIdx(int n, const float threadIdx[n], float blockDim[n]) {
    for (int gridDim = 0; gridDim < n; gridDim++) blockDim[gridDim] = 2 * threadIdx[gridDim];
}
