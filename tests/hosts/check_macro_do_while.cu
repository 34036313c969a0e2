// launches: k 1x1x1 32x1x1
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(1); } } while (0)
void saxpy(int n, float a, const float *x, float *y) {
    CHECK(cudaGetLastError());
    k<<<1,32>>>(n,a,x,y);
    CHECK(cudaDeviceSynchronize());
}
