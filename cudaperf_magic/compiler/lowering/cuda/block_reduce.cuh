// Combines one value of every thread of the block; every thread gets the result.
__device__ $type $name($type value) {
    __shared__ $type partial[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int offset = 16; offset > 0; offset /= 2) {
        $type other = __shfl_down_sync(0xffffffffu, value, offset);
        value = $combine;
    }
    if (lane == 0)
        partial[warp] = value;
    __syncthreads();
    value = partial[0];
    for (int w = 1; w < blockDim.x / 32; w++) {
        $type other = partial[w];
        value = $combine;
    }
    __syncthreads();
    return value;
}
