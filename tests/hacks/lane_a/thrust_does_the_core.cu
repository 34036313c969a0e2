// row: 42
// function: total
// expect: build: 
// twin: total/cub
// A kernel clears the output; a host-side algorithm of a library does the sum.
#include <thrust/device_ptr.h>
#include <thrust/reduce.h>
__global__ void clear(float *s) { *s = 0; }

void total(int n, const float *x, float *s) {
    clear<<<1, 1>>>(s);
    thrust::device_ptr<const float> p(x);
    float sum = thrust::reduce(p, p + n);
    cudaMemcpy(s, &sum, sizeof(float), cudaMemcpyHostToDevice);
}
