// Two stages of cp.async: the next tile is on its way while this one is summed. 128 threads a block, a tile of 512 floats.
__device__ void fetch(float *to, const float *from) {
    unsigned where = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(where), "l"(from) : "memory");
}

__global__ void double_buffered(const float *in, float *out, int tiles) {
    __shared__ __align__(16) float stage[2][512];
    const float *mine = in + (long long)blockIdx.x * tiles * 512 + threadIdx.x * 4;
    float sum = 0.0f;
    fetch(&stage[0][threadIdx.x * 4], mine);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles) fetch(&stage[(k + 1) % 2][threadIdx.x * 4], mine + (k + 1) * 512);
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        for (int j = 0; j < 4; j++) sum += stage[k % 2][j * 128 + threadIdx.x];
        __syncthreads();
    }
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}
