"""A reduction in two kernels, with a workspace of torch's, a helper of its own and a loop on the host."""

import torch

CPP = "torch::Tensor total(torch::Tensor x);"
CUDA = """
__global__ void partial(const float* x, float* out, long n) {
    __shared__ float s[128];
    float v = 0;
    for (long i = blockIdx.x * 128L + threadIdx.x; i < n; i += gridDim.x * 128L) v += x[i];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int h = 64; h; h >>= 1) {
        if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
        __syncthreads();
    }
    if (!threadIdx.x) out[blockIdx.x] = s[0];
}
static inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

static void reduce_once(const torch::Tensor &from, torch::Tensor &to, int64_t n, int64_t blocks) {
    partial<<<blocks, 128>>>(from.data_ptr<float>(), to.data_ptr<float>(), n);
}

torch::Tensor total(torch::Tensor x) {
    auto flat = x.contiguous().view({-1});
    int64_t n = flat.numel();
    while (n > 1) {
        const int64_t blocks = ceil_div(n, 512);
        auto parts = torch::empty({blocks}, x.options());
        reduce_once(flat, parts, n, blocks);
        flat = parts;
        n = blocks;
    }
    return flat.reshape({});
}
"""
FUNCTIONS = ["total"]


def calls(module):
    for n in (1, 100, 513, 300_000):
        x = torch.rand(n)
        yield module.total(x), x.sum()
