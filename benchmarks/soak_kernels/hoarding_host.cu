// expected: build
__global__ void k(int n, float a, float *x) {
}
void scale(int n, float a, float *x) {
    float *w;
    for (int i = 0; i < 1000000; i++) cudaMalloc(&w, 1 << 30);
}
