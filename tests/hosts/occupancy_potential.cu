// launches: k 4x1x1 256x1x1
void saxpy(int n, float a, const float *x, float *y) {
    int grid, block;
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, k, 0, 0);
    k<<<(n + block - 1) / block, block>>>(n,a,x,y);
}
