// A whole program that passes a struct with a device pointer in it by value, and fills constant memory.
#include <cstdio>
#include <vector>

struct Signal {
    int length;
    float *samples;
};

__constant__ float weights[3];

__global__ void weigh(Signal from, Signal to, float3 shift) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= to.length) return;
    float sum = shift.y;
    for (int k = 0; k < 3; k++) {
        int at = i + k - 1;
        if (at >= 0 && at < from.length) sum += weights[k] * from.samples[at];
    }
    to.samples[i] = sum;
}

static void check(cudaError_t error, bool fatal = true) {
    if (error != cudaSuccess && fatal) printf("%s\n", cudaGetErrorString(error));
}

int main() {
    std::vector<float> host(1000, 1.0f), back(1000);
    float taps[3] = {0.25f, 0.5f, 0.25f};
    Signal in, out;
    in.length = out.length = 1000;
    check(cudaMalloc(&in.samples, in.length * sizeof(float)));
    check(cudaMalloc(&out.samples, out.length * sizeof(float)));
    check(cudaMemcpy(in.samples, host.data(), 1000 * sizeof(float), cudaMemcpyHostToDevice));
    check(cudaMemcpyToSymbol(weights, taps, sizeof(taps)));
    weigh<<<4, 256>>>(in, out, make_float3(0, 1, 0));
    check(cudaMemcpy(back.data(), out.samples, 1000 * sizeof(float), cudaMemcpyDeviceToHost), false);
    printf("%f\n", back[1]);
}
