"""A direct convolution with stride and padding as int64_t parameters."""

import torch

CPP = """torch::Tensor conv2d(torch::Tensor x, torch::Tensor w, int64_t stride, int64_t padding);"""
CUDA = """
#include <torch/extension.h>
__global__ void conv_kernel(const float* x, const float* w, float* y, int channels, int height, int width, int filters,
                            int size, int out_height, int out_width, int stride, int padding, int total) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= total) return;
    int column = at % out_width, row = at / out_width % out_height;
    int filter = at / (out_width * out_height) % filters, image = at / (out_width * out_height * filters);
    float sum = 0.0f;
    for (int c = 0; c < channels; c++)
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++) {
                int r = row * stride + i - padding, s = column * stride + j - padding;
                if (r >= 0 && r < height && s >= 0 && s < width)
                    sum += x[((image * channels + c) * height + r) * width + s] *
                           w[((filter * channels + c) * size + i) * size + j];
            }
    y[at] = sum;
}
torch::Tensor conv2d(torch::Tensor x, torch::Tensor w, int64_t stride, int64_t padding) {
    const int images = x.size(0), channels = x.size(1), height = x.size(2), width = x.size(3);
    const int filters = w.size(0), size = w.size(2);
    const int out_height = (height + 2 * padding - size) / stride + 1;
    const int out_width = (width + 2 * padding - size) / stride + 1;
    auto y = torch::empty({images, filters, out_height, out_width}, x.options());
    const int total = y.numel(), threads = 256;
    conv_kernel<<<(total + threads - 1) / threads, threads>>>(
        x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), channels, height, width, filters, size,
        out_height, out_width, stride, padding, total);
    return y;
}
"""
FUNCTIONS = ["conv2d"]


def calls(module):
    x, w = torch.randn(2, 3, 9, 8), torch.randn(4, 3, 3, 3)
    yield module.conv2d(x, w, 2, 1), torch.nn.functional.conv2d(x, w, stride=2, padding=1)
