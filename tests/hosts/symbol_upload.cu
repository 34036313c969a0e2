// refused: cudaMemcpyToSymbol is not read; pass the data to the kernel as a pointer
__constant__ float coef[4];
void saxpy(int n, float a, const float *x, float *y) {
    float h[4] = {1, 2, 3, 4};
    cudaMemcpyToSymbol(coef, h, sizeof(h));
    k<<<1,32>>>(n,a,x,y);
}
