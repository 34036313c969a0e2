// In an anonymous namespace, with a using.
namespace {
constexpr float kFactor = 2.0f;
__global__ void k(int n, const float *__restrict__ x, float *__restrict__ y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = kFactor * x[i];
}
}  // namespace

void twice(int n, const float *x, float *y) {
    if (n > 0) k<<<(n + 255) / 256, 256>>>(n, x, y);
}
