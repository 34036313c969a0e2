// launches: two 1x1x1 32x1x1; two 1x1x1 32x1x1; two 1x1x1 32x1x1; two 1x1x1 32x1x1; two 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    float *p, *q;
    cudaMalloc((void**)&p, 4 * n);
    cudaMalloc((void**)&q, 4 * n);
    for (int i = 0; i < 5; i++) { two<<<1,32>>>(p, q, n); std::swap(p, q); } cudaFree(p);
    cudaFree(q);
}
