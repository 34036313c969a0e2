// Combines one value of every thread of the block, halving the number of busy threads in each round.
__device__ $type $name($type value) {
    __shared__ $type partial[1024];
    partial[threadIdx.x] = value;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            $type other = partial[threadIdx.x + half];
            partial[threadIdx.x] = $combine_tree;
        }
        __syncthreads();
    }
    value = partial[0];
    __syncthreads();
    return value;
}
