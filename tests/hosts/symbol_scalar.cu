// refused: cudaMemcpyToSymbol is not read; pass the data to the kernel as a pointer
__constant__ float alpha;
void saxpy(int n, float a, const float *x, float *y) {
    cudaMemcpyToSymbol(alpha, &a, sizeof(float));
    k<<<1,32>>>(n,a,x,y);
}
