// refused: the type std::unique_ptr<int[]> is not known to the reader of host code; use plain C types there
void saxpy(int n, float a, const float *x, float *y) {
    std::unique_ptr<int[]> h(new int[4]);
    h[0] = 1;
    k<<<h[0],32>>>(n,a,x,y);
}
