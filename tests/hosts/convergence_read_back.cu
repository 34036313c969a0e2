// refused: cudaMemcpy brings device data to the host (&h); a plan cannot depend on it, decide in a kernel
__global__ void ik(int *p) {}
void saxpy(int n, float a, const float *x, float *y) {
    int h = 1;
    int *d;
    cudaMalloc(&d, 4);
    while (h) { h = 0; cudaMemcpy(d, &h, 4, cudaMemcpyHostToDevice); ik<<<1,32>>>(d); cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); } cudaFree(d);
}
