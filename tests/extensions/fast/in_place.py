"""In place, several exported functions, one calling another; a bool and an int64_t from Python."""

import torch

CPP = """
torch::Tensor clamp_(torch::Tensor x, double low, double high);
torch::Tensor shift(torch::Tensor x, int64_t by, bool wraps);
"""
CUDA = """
__global__ void clamp_kernel(float *x, int n, float low, float high) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = fminf(fmaxf(x[i], low), high);
}
__global__ void shift_kernel(const float *x, float *y, int n, int by, bool wraps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int from = i - by;
    if (wraps) from = (from % n + n) % n;
    y[i] = from >= 0 && from < n ? x[from] : 0.0f;
}
torch::Tensor clamp_(torch::Tensor x, double low, double high) {
    if (x.numel() == 0) return x;
    clamp_kernel<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), x.numel(), low, high);
    return x;
}
torch::Tensor shift(torch::Tensor x, int64_t by, bool wraps) {
    auto y = torch::full({x.size(0)}, -1.0, x.options());
    shift_kernel<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel(), by, wraps);
    return clamp_(y, -1, 1);
}
"""
FUNCTIONS = ["clamp_", "shift"]


def calls(module):
    x = torch.randn(1000)
    expected = x.clamp(-0.5, 0.25)
    assert module.clamp_(x, -0.5, 0.25) is x
    yield x, expected
    assert module.clamp_(torch.empty(0), 0, 1).numel() == 0
    yield module.shift(x, 3, True), torch.roll(x, 3)
    yield module.shift(x, -3, False), torch.cat([x[3:], torch.zeros(3)])


FAILING = [
    (lambda m: m.shift(torch.ones(3), 1.5, True), TypeError, "argument 2"),
    (lambda m: m.shift(torch.ones(3), 1 << 70, True), TypeError, "argument 2"),
    (lambda m: m.shift(torch.ones(3), 1, 1), TypeError, "argument 3"),
]
