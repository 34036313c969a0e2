// launches: k 4x1x1 256x1x1
void saxpy(int n, float a, const float *x, float *y) {
    size_t blocks = std::min<size_t>((size_t(n) + 255) / 256, 65535);
    k<<<std::max(blocks, size_t{1}), 256>>>(n,a,x,y);
}
