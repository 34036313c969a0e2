__global__ void votes(const int* x, unsigned* y) {
    int t = threadIdx.x;
    y[t] = __ballot_sync(~0u, x[t] > 3);
    y[32 + t] = __any_sync(~0u, x[t] == 31) + 2 * __all_sync(~0u, x[t] >= 0);
    y[64 + t] = __match_any_sync(~0u, x[t] % 4);
    y[96 + t] = __reduce_add_sync(~0u, x[t]);
    y[128 + t] = __shfl_up_sync(~0u, x[t], 3, 8);
    y[160 + t] = __popc(__activemask());
    y[192 + t] = __reduce_max_sync(~0u, x[t]);
    y[224 + t] = __syncthreads_count(x[t] % 2);
}
