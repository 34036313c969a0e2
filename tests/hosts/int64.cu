// launches: k 3907x1x1 256x1x1
void saxpy(int n, float a, const float *x, float *y) {
    int64_t total = (int64_t)n * n;
    const long long b = (total + 255) / 256;
    k<<<static_cast<unsigned int>(b < 65535 ? b : 65535), 256>>>(n,a,x,y);
}
