// launches: k 63x63x2 16x16x1
void saxpy(int n, float a, const float *x, float *y) {
    dim3 b(16, 16);
    dim3 g((n + b.x - 1) / b.x, (n + b.y - 1) / b.y);
    g.z = 2;
    k<<<g, b>>>(n,a,x,y);
}
