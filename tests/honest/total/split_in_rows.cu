// Sixteen partial sums of neighbours, one thread each, then a kernel that adds the sixteen.
__global__ void parts(int n, const float *x, float *part) {
    long per = (n + 15) / 16, first = threadIdx.x * per, last = first + per < n ? first + per : n;
    float sum = 0;
    for (long i = first; i < last; i++) sum += x[i];
    part[threadIdx.x] = sum;
}
__global__ void together(const float *part, float *s) {
    float sum = 0;
    for (int p = 0; p < 16; p++) sum += part[p];
    *s = sum;
}

void total(int n, const float *x, float *s) {
    float *part;
    cudaMalloc(&part, 16 * sizeof(float));
    parts<<<1, 16>>>(n, x, part);
    together<<<1, 1>>>(part, s);
    cudaFree(part);
}
