// launches: two 9x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    using namespace std;
    using T = float;
    const auto bytes = n * sizeof(T);
    T *t;
    cudaMalloc(&t, bytes);
    two<<<max(1, min(n / 32, 9)), 32>>>(x,t,n);
    cudaFree(t);
}
