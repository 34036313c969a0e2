// launches: k 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    cudaEvent_t e0, e1;
    cudaEventCreate(&e0);
    cudaEventCreate(&e1);
    cudaEventRecord(e0, 0);
    k<<<1,32>>>(n,a,x,y);
    cudaEventRecord(e1, 0);
    cudaEventSynchronize(e1);
    float ms = 0;
    cudaEventElapsedTime(&ms, e0, e1);
    printf("%f ms\n", ms);
}
