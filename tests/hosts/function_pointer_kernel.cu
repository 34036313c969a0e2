// launches: k 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    void (*fn)(int, float, const float*, float*) = k;
    fn<<<1,32>>>(n,a,x,y);
}
