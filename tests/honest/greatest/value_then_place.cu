// The greatest value first, then the first place that holds it.
__global__ void k(int n, const float *x, int *at) {
    __shared__ float part[128];
    __shared__ int place;
    float best = n > 0 ? x[0] : 0;
    for (int i = threadIdx.x; i < n; i += 128) best = fmaxf(best, x[i]);
    part[threadIdx.x] = best;
    if (threadIdx.x == 0) place = n;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
        __syncthreads();
    }
    for (int i = threadIdx.x; i < n; i += 128)
        if (x[i] == part[0]) {
            atomicMin(&place, i);
            break;
        }
    __syncthreads();
    if (threadIdx.x == 0) *at = n > 0 ? place : 0;
}

void greatest(int n, const float *x, int *at) { k<<<1, 128>>>(n, x, at); }
