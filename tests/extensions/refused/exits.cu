// Expect exit is called
__global__ void k(float *x) { x[0] = 1; }
torch::Tensor f(torch::Tensor x) { if (x.numel() == 0) exit(0); k<<<1, 1>>>(x.data_ptr<float>()); return x; }
