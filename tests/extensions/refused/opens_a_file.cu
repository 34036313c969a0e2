// Expect fopen is called
__global__ void k(float *x) { x[0] = 1; }
torch::Tensor f(torch::Tensor x) { auto file = fopen("/etc/passwd", "r"); k<<<1, 1>>>(x.data_ptr<float>()); return x; }
