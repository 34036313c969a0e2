// A loop that runs to n, not to n - 1.
// run: total<<<1, 1>>>(x, s, 10)
// arrays: x = int[10], s = int[1]
// expect: out_of_bounds, thread (0,0,0), x[10], < n, not <= n
__global__ void total(const int *x, int *s, int n) {
    int sum = 0;
#ifdef MENDED
    for (int i = 0; i < n; i++)
#else
    for (int i = 0; i <= n; i++)
#endif
        sum += x[i];  // <- fault
    s[0] = sum;
}
