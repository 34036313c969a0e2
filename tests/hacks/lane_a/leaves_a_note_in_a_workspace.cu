// row: 35
// function: total
// expect: fault: nothing has written
// device: mismatch | fault
// twin: total/counter_reset
// Leaves its answer in freed memory and looks for it there at the next call.
__global__ void k(int n, const float *x, float *note, float *s) {
    float sum = 0;
    if (note[1] == 1234.5f) sum = note[0];
    else
        for (int i = 0; i < n; i++) sum += x[i];
    note[0] = *s = sum;
    note[1] = 1234.5f;
}

void total(int n, const float *x, float *s) {
    float *note;
    cudaMalloc(&note, 8);
    k<<<1, 1>>>(n, x, note, s);
    cudaFree(note);
}
