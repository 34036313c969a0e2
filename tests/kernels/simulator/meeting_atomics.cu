// 32 lanes that all meet at one address, or in pairs.
__global__ void whole_numbers_at_one_place(int *sum, const int *x) { atomicAdd(sum, x[threadIdx.x]); }

__global__ void long_numbers_at_one_place(unsigned long long *sum, const int *x) {
    atomicAdd(sum, (unsigned long long)x[threadIdx.x]);
}

__global__ void long_ones_at_one_place(unsigned long long *sum) { atomicAdd(sum, 1ull); }

__global__ void floats_at_one_place(float *sum) { atomicAdd(sum, 1.0f); }

__global__ void at_a_place_that_data_names(int *sums, const int *x) { atomicAdd(&sums[x[threadIdx.x]], 3); }

__global__ void at_the_place_of_the_block(int *sums, const int *x) { atomicMax(&sums[blockIdx.x], x[threadIdx.x]); }

__global__ void counted_in_shared(const int *x, int *y) {
    __shared__ int bins[64];
    bins[threadIdx.x] = 0;
    bins[threadIdx.x + 32] = 0;
    __syncwarp();
    atomicAdd(&bins[x[threadIdx.x]], 1);
    __syncwarp();
    y[threadIdx.x] = bins[threadIdx.x];
}

__global__ void weighed_in_shared(const int *x, int *y) {
    __shared__ int bins[64];
    bins[threadIdx.x] = 0;
    bins[threadIdx.x + 32] = 0;
    __syncwarp();
    atomicAdd(&bins[x[threadIdx.x]], 3);
    __syncwarp();
    y[threadIdx.x] = bins[threadIdx.x];
}
