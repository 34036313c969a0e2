// Runs $combine over the threads of the block in their order. Each gets the result over the threads before it
// (thread 0: nothing of use), and all get the result over the whole block in total.
__device__ $type $name($type value, $type &total) {
    __shared__ $type running[2][$threads];
    int own = threadIdx.x, side = 0;
    running[0][own] = value;
    __syncthreads();
    for (int distance = 1; distance < $threads; distance *= 2) {
        $type later = running[side][own];
        if (own >= distance) {
            $type earlier = running[side][own - distance];
            later = $ordered;
        }
        side = 1 - side;
        running[side][own] = later;
        __syncthreads();
    }
    total = running[side][$threads - 1];
    $type before = own > 0 ? running[side][own - 1] : value;
    __syncthreads();
    return before;
}
