// Composes the steps y = scale * y + shift of the block's threads in their order. Each thread gets the composition of
// the steps before it in (scale, shift) (thread 0: y = y), and all get that of the whole block.
__device__ void $name($type &scale, $type &shift, $type &total_scale, $type &total_shift) {
    __shared__ $type scales[2][$threads], shifts[2][$threads];
    int own = threadIdx.x, side = 0;
    scales[0][own] = scale;
    shifts[0][own] = shift;
    __syncthreads();
    for (int distance = 1; distance < $threads; distance *= 2) {
        $type a = scales[side][own], b = shifts[side][own];
        if (own >= distance) {
            b = a * shifts[side][own - distance] + b;
            a = a * scales[side][own - distance];
        }
        side = 1 - side;
        scales[side][own] = a;
        shifts[side][own] = b;
        __syncthreads();
    }
    total_scale = scales[side][$threads - 1];
    total_shift = shifts[side][$threads - 1];
    scale = own > 0 ? scales[side][own - 1] : 1;
    shift = own > 0 ? shifts[side][own - 1] : 0;
    __syncthreads();
}
