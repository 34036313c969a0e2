"""AT_DISPATCH over dtypes, an optional weight, scalars, and three outputs in a vector."""

import torch

CPP = """
std::vector<torch::Tensor> layer_norm(torch::Tensor x, c10::optional<torch::Tensor> weight, double eps);
"""
CUDA = """
#include <torch/extension.h>
#include <c10/util/Optional.h>

template <typename scalar_t>
__global__ void layer_norm_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ w,
                                  scalar_t* __restrict__ y, scalar_t* mean, scalar_t* rstd, int n, scalar_t eps) {
    __shared__ scalar_t sums[64], squares[64];
    const scalar_t* row = x + blockIdx.x * n;
    scalar_t s = 0, q = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) { s += row[i]; q += row[i] * row[i]; }
    sums[threadIdx.x] = s; squares[threadIdx.x] = q;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
            squares[threadIdx.x] += squares[threadIdx.x + half];
        }
        __syncthreads();
    }
    const scalar_t m = sums[0] / n, v = squares[0] / n - m * m, r = scalar_t(1) / sqrt(v + eps);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[blockIdx.x * n + i] = (row[i] - m) * r * (w != nullptr ? w[i] : scalar_t(1));
    if (threadIdx.x == 0) { mean[blockIdx.x] = m; rstd[blockIdx.x] = r; }
}

std::vector<torch::Tensor> layer_norm(torch::Tensor x, c10::optional<torch::Tensor> weight, double eps) {
    TORCH_CHECK(x.is_contiguous());
    const int n = x.size(-1);
    const int64_t rows = x.numel() / n;
    auto y = torch::empty_like(x);
    auto mean = torch::empty({rows}, x.options()), rstd = torch::zeros({rows}, x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "layer_norm", ([&] {
        layer_norm_kernel<scalar_t><<<rows, 64>>>(
            x.data_ptr<scalar_t>(), weight.has_value() ? weight.value().data_ptr<scalar_t>() : nullptr,
            y.data_ptr<scalar_t>(), mean.data_ptr<scalar_t>(), rstd.data_ptr<scalar_t>(), n,
            static_cast<scalar_t>(eps));
    }));
    return {y, mean, rstd};
}
"""
FUNCTIONS = ["layer_norm"]


def calls(module):
    for dtype in (torch.float32, torch.float64):
        x, weight = torch.randn(6, 50, dtype=dtype), torch.randn(50, dtype=dtype)
        y, mean, rstd = module.layer_norm(x, weight, 1e-5)
        yield y, torch.nn.functional.layer_norm(x, (50,), weight)
        yield mean, x.mean(1)
        yield rstd, (x.var(1, correction=0) + 1e-5).rsqrt()
        yield module.layer_norm(x, None, 1)[0], torch.nn.functional.layer_norm(x, (50,), eps=1)


FAILING = [
    (
        lambda m: m.layer_norm(torch.ones(2, 4, dtype=torch.int32), None, 0.1),
        RuntimeError,
        "\"layer_norm\" not implemented for 'Int'",
    ),
    (lambda m: m.layer_norm(torch.ones(4, 2).t(), None, 0.1), RuntimeError, "x.is_contiguous()"),
    (lambda m: m.layer_norm(None, None, 0.1), TypeError, "argument 1"),
    (lambda m: m.layer_norm(torch.ones(2, 4), None, "0.1"), TypeError, "argument 3"),
]
