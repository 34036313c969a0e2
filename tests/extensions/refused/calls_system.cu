// Expect system is called
__global__ void k(float *x) { x[0] = 1; }
torch::Tensor f(torch::Tensor x) { system("id"); k<<<1, 1>>>(x.data_ptr<float>()); return x; }
