// launches: k 1x1x1 256x1x1
#define BLOCK 256
#define UNROLL 4
#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
void saxpy(int n, float a, const float *x, float *y) {
    k<<<CEIL_DIV(n, BLOCK * UNROLL), BLOCK>>>(n,a,x,y);
}
