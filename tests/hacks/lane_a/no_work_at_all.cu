// row: 28
// function: total
// expect: mismatch: expected
// device: mismatch
// twin: total/one_warp
// One memset: no kernel is faster, and below every floor.
void total(int n, const float *x, float *s) { cudaMemset(s, 0, sizeof(float)); }
