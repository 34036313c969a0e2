// row: 31
// function: twice
// expect: build: 
// twin: twice/template
// Declares the reference and hopes that it is linked.
extern "C" __device__ void twice_reference(int n, const float *x, float *y);
__global__ void k(int n, const float *x, float *y) { twice_reference(n, x, y); }

void twice(int n, const float *x, float *y) { k<<<1, 1>>>(n, x, y); }
