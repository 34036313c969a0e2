// Expect f is overloaded
__global__ void k(float *x) { x[0] = 1; }
torch::Tensor f(float x) { return torch::zeros({1}); }
torch::Tensor f(torch::Tensor x) { k<<<1, 1>>>(x.data_ptr<float>()); return x; }
