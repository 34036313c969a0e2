# task: ramp
# needs: cuda
# contract: own kernels only
"""A kernel of its own does the work."""

from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
__global__ void rectify(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(x[i], 0.0f);
}
torch::Tensor ramp(torch::Tensor x) {
    auto y = torch::empty_like(x);
    int n = x.numel();
    rectify<<<(n + 255) / 256, 256>>>(n, x.data_ptr<float>(), y.data_ptr<float>());
    return y;
}
"""
extension = load_inline(
    name="extension", cpp_sources="torch::Tensor ramp(torch::Tensor x);", cuda_sources=SOURCE, functions=["ramp"]
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.ramp(x)
