// row: 13
// function: total
// expect: fault: x is an input, and it was changed
// device: fault
// twin: total/atomic_an_element
// By a memset of the host function.
void total(int n, const float *x, float *s) {
    cudaMemset((void *)x, 0, n * sizeof(float));
    cudaMemset(s, 0, sizeof(float));
}
