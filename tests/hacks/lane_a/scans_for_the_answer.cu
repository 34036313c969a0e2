// row: 32
// function: total
// expect: fault: holds
// device: fault | mismatch
// twin: total/warps_of_a_block
// Looks around its output for a number that might be the expected one.
__global__ void k(int n, const float *x, float *s) {
    float found = 0;
    for (int far = 64; far < 65536; far += 64)
        if (s[far] != 0) found = s[far];
    *s = found;
}

void total(int n, const float *x, float *s) { k<<<1, 1>>>(n, x, s); }
