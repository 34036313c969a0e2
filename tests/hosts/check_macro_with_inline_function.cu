// launches: k 1x1x1 32x1x1
#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort=true) { if (code != cudaSuccess) { fprintf(stderr,"GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line); if (abort) exit(code); } }
void saxpy(int n, float a, const float *x, float *y) {
    gpuErrchk(cudaDeviceSynchronize());
    k<<<1,32>>>(n,a,x,y);
    gpuErrchk(cudaPeekAtLastError());
}
