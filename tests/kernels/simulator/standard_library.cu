// cuda::std and what cuda:: adds to it for threads: atomics, barriers, pipelines, latches, semaphores.
#pragma nv_diag_suppress static_var_with_dynamic_init
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/mdspan>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>

__global__ void vocabulary(const float* x, float* y, int n) {
    int t = threadIdx.x;
    cuda::std::array<float, 4> a{1, 2, 3, 4};
    cuda::std::span<const float> all(x, n);
    auto pair = cuda::std::make_tuple(t, all[t]);
    cuda::std::optional<float> maybe;
    if (t % 2) maybe = cuda::std::get<1>(pair);
    cuda::std::complex<float> z(x[t], 1.0f);
    auto w = z * cuda::std::complex<float>(2.0f, -1.0f);
    float sum = cuda::std::accumulate(a.begin(), a.end(), 0.0f);
    cuda::std::mdspan<const float, cuda::std::extents<int, 4, 8>> table(x);
    y[t] = maybe.value_or(-1.0f);
    y[32 + t] = w.real();
    y[64 + t] = w.imag();
    y[96 + t] = sum + cuda::std::popcount(unsigned(t)) + cuda::std::bit_ceil(unsigned(t + 1)) + cuda::std::countl_zero(unsigned(t));
    y[128 + t] = table(t % 4, t / 4);
    y[160 + t] = cuda::std::gcd(t, 12) + (all[t] < cuda::std::numeric_limits<float>::max());
}

__global__ void atomics(int* counts, float* sums, unsigned long long* wide, int* log) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    cuda::atomic_ref<int, cuda::thread_scope_device> count(counts[t % 4]);
    log[t] = count.fetch_add(1, cuda::std::memory_order_relaxed) >= 0;
    cuda::atomic_ref<float, cuda::thread_scope_device> sum(sums[t % 4]);
    sum.fetch_add(1.5f);
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> bits(wide[0]);
    bits.fetch_xor(1ull << (t % 64), cuda::std::memory_order_acq_rel);
    cuda::atomic_ref<unsigned long long> most(wide[1]);
    most.fetch_max((unsigned long long)t);
    cuda::atomic_ref<int, cuda::thread_scope_block> swapped(counts[4]);
    int old = swapped.load();
    while (!swapped.compare_exchange_weak(old, old + 2)) {
    }
    cuda::atomic_ref<unsigned long long> stored(wide[2]);
    stored.store(7, cuda::std::memory_order_release);
}

__global__ void handed_over(int* value, cuda::atomic<int, cuda::thread_scope_device>* flag, int* y) {
    if (blockIdx.x == 0) {
        value[threadIdx.x] = threadIdx.x * 3;
        __syncthreads();
        if (threadIdx.x == 0) flag->store(1, cuda::std::memory_order_release);
    } else {
        if (threadIdx.x == 0)
            while (flag->load(cuda::std::memory_order_acquire) == 0) {
            }
        __syncthreads();
        y[threadIdx.x] = value[threadIdx.x];
    }
}

__global__ void barrier(const int* x, int* y, int rounds) {
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    __shared__ int tile[128];
    int t = threadIdx.x;
    if (t == 0) init(&ready, blockDim.x);
    __syncthreads();
    int v = x[t];
    for (int k = 0; k < rounds; k++) {
        tile[t] = v;
        ready.arrive_and_wait();
        v += tile[(t + 1) % 128];
        auto token = ready.arrive();
        v *= 2;
        ready.wait(std::move(token));
    }
    y[t] = v;
}

__global__ void copied_to_a_barrier(const int* x, int* y) {
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    __shared__ alignas(16) int tile[512];
    int t = threadIdx.x;
    if (t == 0) init(&ready, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(tile + 4 * t, x + 4 * t, cuda::aligned_size_t<16>(16), ready);
    ready.arrive_and_wait();
    for (int i = 0; i < 4; i++) y[4 * t + i] = tile[511 - 4 * t - i];
}

__global__ void pipelined(const int* x, int* y, int batches) {
    __shared__ alignas(16) int stages[2][128];
    int t = threadIdx.x, sum = 0;
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&stages[0][t], x + t, sizeof(int), pipe);
    pipe.producer_commit();
    for (int k = 0; k < batches; k++) {
        if (k + 1 < batches) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stages[(k + 1) % 2][t], x + 128 * (k + 1) + t, sizeof(int), pipe);
            pipe.producer_commit();
            cuda::pipeline_consumer_wait_prior<1>(pipe);
        } else
            cuda::pipeline_consumer_wait_prior<0>(pipe);
        __syncthreads();
        sum += stages[k % 2][127 - t];
        __syncthreads();
        pipe.consumer_release();
    }
    y[t] = sum;
}

__global__ void shared_pipeline(const int* x, int* y, int batches) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ alignas(16) int stages[2][128];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int t = threadIdx.x, sum = 0, fetched = 0;
    for (int k = 0; k < batches; k++) {
        for (; fetched < batches && fetched < k + 2; fetched++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stages[fetched % 2], x + 128 * fetched, sizeof(int) * 128, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += stages[k % 2][127 - t];
        pipe.consumer_release();
    }
    y[t] = sum;
}

using Latch = cuda::latch<cuda::thread_scope_block>;
using Semaphore = cuda::counting_semaphore<cuda::thread_scope_block, 2>;

__global__ void latch_and_semaphore(int* y) {
    __shared__ alignas(Latch) unsigned char latch_room[sizeof(Latch)];
    __shared__ alignas(Semaphore) unsigned char semaphore_room[sizeof(Semaphore)];
    __shared__ int order;
    auto& together = *reinterpret_cast<Latch*>(latch_room);
    auto& room = *reinterpret_cast<Semaphore*>(semaphore_room);
    if (threadIdx.x == 0) {
        new (&together) Latch(blockDim.x);
        new (&room) Semaphore(2);
        order = 0;
    }
    __syncthreads();
    room.acquire();
    atomicAdd(&order, 1);
    room.release();
    together.arrive_and_wait();
    y[threadIdx.x] = atomicAdd(&order, 0);
}
