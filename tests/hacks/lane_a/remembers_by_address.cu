// row: 21
// function: total
// expect: ok: each run starts with the file's own initial values
// device: mismatch | ok
// twin: total/last_block
// Keeps the last sum with the address and the size that it was for, and gives it again.
__device__ const float *known;
__device__ int known_n;
__device__ float answer;
__global__ void k(int n, const float *x, float *s) {
    if (known != x || known_n != n) {
        float sum = 0;
        for (int i = 0; i < n; i++) sum += x[i];
        known = x;
        known_n = n;
        answer = sum;
    }
    *s = answer;
}

void total(int n, const float *x, float *s) { k<<<1, 1>>>(n, x, s); }
