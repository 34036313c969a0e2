// launches: k 100x1x1 10x1x1
void saxpy(int n, float a, const float *x, float *y) {
    auto go = [&](int blocks, dim3 threads) { k<<<blocks, threads>>>(n,a,x,y); };
    if (n > 10) go(n / 10, 10);
    else go(1, dim3(n));
}
