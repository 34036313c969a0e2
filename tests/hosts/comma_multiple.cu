// launches: k 1x1x1 32x1x1; k 2x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    for (int i = 0, j = n; i < 2 && j > 0; i++, j /= 2) k<<<i + 1, 32>>>(j,a,x,y);
}
