// launches: k 1x1x1 32x1x1
#define CUDA_CALL(f, ...) do { cudaError_t s_ = f(__VA_ARGS__); if (s_) { std::abort(); } } while (0)
void saxpy(int n, float a, const float *x, float *y) {
    CUDA_CALL(cudaMemsetAsync, y, 0, n * sizeof(float), 0);
    k<<<1,32>>>(n,a,x,y);
}
