// launches: k 1x1x1 32x1x1; k 1x1x1 32x1x1; k 1x1x1 32x1x1; k 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    cudaStream_t s[4];
    for (int i = 0; i < 4; i++) cudaStreamCreate(&s[i]);
    for (int i = 0; i < 4; i++) k<<<1,32,0,s[i]>>>(n,a,x,y);
    for (auto &t : s) cudaStreamDestroy(t);
}
