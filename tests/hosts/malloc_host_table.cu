// launches: two 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    float *h = (float *)malloc(4 * sizeof(float));
    for (int i = 0; i < 4; i++) h[i] = i;
    float *d;
    cudaMalloc(&d, 16);
    cudaMemcpy(d, h, 16, cudaMemcpyHostToDevice);
    two<<<1,32>>>(d, y, 4);
    cudaFree(d);
    free(h);
}
