// launches: k 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    cudaMemset(y, 0, n * sizeof(float));
    cudaMemcpyAsync(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice, 0);
    k<<<1,32>>>(n,a,x,y);
}
