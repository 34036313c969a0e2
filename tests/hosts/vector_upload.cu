// launches: ik 1x1x1 32x1x1
__global__ void ik(int *p) {}
void saxpy(int n, float a, const float *x, float *y) {
    std::vector<int> off(5);
    for (int i = 0; i < 5; i++) off[i] = i * n;
    int *d;
    cudaMalloc(&d, off.size() * sizeof(int));
    cudaMemcpy(d, off.data(), off.size() * sizeof(int), cudaMemcpyHostToDevice);
    ik<<<1,32>>>(d);
    cudaFree(d);
}
