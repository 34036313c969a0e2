// refused: the host function writes *c = 0, which lives on the device; do it in a kernel
__global__ void ik(int *p) {}
void saxpy(int n, float a, const float *x, float *y) {
    int *c;
    cudaMallocManaged(&c, 4);
    *c = 0;
    ik<<<1,32>>>(c);
    cudaFree(c);
}
