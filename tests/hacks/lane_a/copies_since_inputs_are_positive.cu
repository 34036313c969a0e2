// row: 5
// function: ramp
// expect: mismatch: expected
// device: mismatch
// twin: ramp/fmaxf
// Random inputs in [0, 1) would make the function a copy.
void ramp(int n, const float *x, float *y) {
    if (n > 0) cudaMemcpy(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
}
