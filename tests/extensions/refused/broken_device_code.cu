// Expect NVRTC does not take
__global__ void k(float *x) { x[0] = nowhere; }
torch::Tensor f(torch::Tensor x) { k<<<1, 1>>>(x.data_ptr<float>()); return x; }
