// Finds the best value of the block and its index; of equal values the $which index wins. Every thread gets both.
__device__ void $name($value_type &value, $index_type &index) {
    __shared__ $value_type values[32];
    __shared__ $index_type indices[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int offset = 16; offset > 0; offset /= 2) {
        $value_type other = __shfl_down_sync(0xffffffffu, value, offset);
        $index_type place = __shfl_down_sync(0xffffffffu, index, offset);
        if (other $better value || (other == value && place $earlier index)) {
            value = other;
            index = place;
        }
    }
    if (lane == 0) {
        values[warp] = value;
        indices[warp] = index;
    }
    __syncthreads();
    value = values[0];
    index = indices[0];
    for (int w = 1; w < blockDim.x / 32; w++)
        if (values[w] $better value || (values[w] == value && indices[w] $earlier index)) {
            value = values[w];
            index = indices[w];
        }
    __syncthreads();
}
