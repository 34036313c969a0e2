// launches: two 1x1x1 32x1x1; two 1x1x1 32x1x1; two 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    std::vector<float*> bufs(3);
    for (auto &b : bufs) cudaMalloc(&b, n * sizeof(float));
    for (auto b : bufs) two<<<1,32>>>(x, b, n);
    for (auto b : bufs) cudaFree(b);
}
