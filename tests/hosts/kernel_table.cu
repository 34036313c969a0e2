// launches: bk<32> 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    void (*fns[])(int, const float*, float*) = {bk<32>, bk<64>};
    fns[n & 1]<<<1,32>>>(n,x,y);
}
