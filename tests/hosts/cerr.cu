// launches: k 1x1x1 32x1x1
#include <iostream>

void saxpy(int n, float a, const float *x, float *y) {
    k<<<1,32>>>(n,a,x,y);
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) { std::cerr << "bad " << cudaGetErrorString(e) << std::endl; std::exit(1); }
}
