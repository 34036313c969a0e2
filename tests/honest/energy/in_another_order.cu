// Kinetic and potential parts summed apart, a warp.
__global__ void k(int n, const double *x, const double *v, double *e) {
    double kinetic = 0, potential = 0;
    for (int i = threadIdx.x; i < n; i += 32) {
        kinetic += v[i] * v[i];
        potential += x[i] * x[i];
    }
    double mine = fma(0.5, kinetic, potential);
    for (int half = 16; half > 0; half /= 2) mine += __shfl_xor_sync(~0u, mine, half);
    if (threadIdx.x == 0) *e = mine;
}

void energy(int n, const double *x, const double *v, double *result) { k<<<1, 32>>>(n, x, v, result); }
