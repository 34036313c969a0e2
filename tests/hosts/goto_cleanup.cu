// refused: the host function's `goto done;` is not read; move it into a kernel or write it more plainly
void saxpy(int n, float a, const float *x, float *y) {
    float *t = NULL;
    if (cudaMalloc(&t, n * 4) != cudaSuccess) goto done;
    two<<<1,32>>>(x,t,n);
    done: cudaFree(t);
}
