// launches: k 1x1x1 32x1x1
template <typename T> void check(T result, char const *const func, const char *const file, int const line) { if (result) { fprintf(stderr, "CUDA error at %s:%d code=%d(%s)\n", file, line, static_cast<unsigned int>(result), func); exit(EXIT_FAILURE); } }
void saxpy(int n, float a, const float *x, float *y) {
    k<<<1,32>>>(n,a,x,y);
    check((cudaGetLastError()), "x", __FILE__, __LINE__);
}
