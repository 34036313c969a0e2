// launches: k 1x1x1 32x1x1; k 1x1x1 64x1x1; k 1x1x1 128x1x1
void saxpy(int n, float a, const float *x, float *y) {
    for (int b : {32, 64, 128}) k<<<1,b>>>(n,a,x,y);
}
