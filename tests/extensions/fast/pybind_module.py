"""PYBIND11_MODULE instead of a list of functions, with words of documentation."""

import torch

CPP = """"""
CUDA = """
#include <torch/extension.h>
__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
torch::Tensor add(torch::Tensor a, torch::Tensor b) {
    auto c = torch::empty_like(a);
    const int n = a.numel();
    add_kernel<<<(n + 255) / 256, 256>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), n);
    return c;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("add", &add, "a sum of two tensors");
    m.def("plus", &add);
}
"""
FUNCTIONS = None


def calls(module):
    a, b = torch.randn(33, 5), torch.randn(33, 5)
    yield module.add(a, b), a + b
    yield module.plus(a, b), a + b
