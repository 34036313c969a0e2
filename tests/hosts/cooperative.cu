// launches: k 4x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    void *args[] = {(void*)&n, (void*)&a, (void*)&x, (void*)&y};
    cudaLaunchCooperativeKernel((const void*)k, dim3(4), dim3(32), args, 0, nullptr);
}
