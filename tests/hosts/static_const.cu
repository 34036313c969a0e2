// launches: k 2x1x1 128x1x1
void saxpy(int n, float a, const float *x, float *y) {
    static const int kThreads = 128;
    static constexpr int U = 4;
    k<<<(n + kThreads * U - 1) / (kThreads * U), kThreads>>>(n,a,x,y);
}
