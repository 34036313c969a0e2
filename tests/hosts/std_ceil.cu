// launches: k 4x1x1 9x1x1
void saxpy(int n, float a, const float *x, float *y) {
    int b = std::ceil(n / 256.0);
    int q = static_cast<int>(std::floor(std::log2(n)));
    k<<<b, q>>>(n,a,x,y);
}
