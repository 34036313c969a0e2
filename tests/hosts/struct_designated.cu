// launches: sk 1x1x1 32x1x1
struct Params { int n; const float *x; float *y; };
__global__ void sk(Params p) {}
void saxpy(int n, float a, const float *x, float *y) {
    Params p = {.n = n, .x = x, .y = y};
    sk<<<1, 32>>>(p);
}
