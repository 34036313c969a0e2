// Expect launch no kernel
__global__ void k(float *x) { x[0] = 1; }
torch::Tensor f(torch::Tensor x) { return x.clone(); }
