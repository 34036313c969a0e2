// Special registers, each read by inline assembly; test_simulator_predicates.py says what is in them.
#define READ(name) { unsigned d; asm volatile("mov.u32 %0, %%" name ";" : "=r"(d)); out[k++ * n + i] = d; }
#define READ64(name) { unsigned long long d; asm volatile("mov.u64 %0, %%" name ";" : "=l"(d)); out[k++ * n + i] = (unsigned)d; }

__global__ void registers(unsigned* out, int n) {
    __shared__ int used[3];
    extern __shared__ int dynamic[];
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int i = block * blockDim.x * blockDim.y * blockDim.z + thread, k = 0;
    if (i >= n) return;
    used[i % 3] = dynamic[0] = 0;
    READ("tid.x") READ("tid.y") READ("tid.z") READ("ntid.x") READ("ntid.y") READ("ntid.z")
    READ("ctaid.x") READ("ctaid.y") READ("ctaid.z") READ("nctaid.x") READ("nctaid.y") READ("nctaid.z")
    READ("laneid") READ("warpid") READ("lanemask_eq") READ("lanemask_lt") READ("lanemask_le") READ("lanemask_gt")
    READ("lanemask_ge") READ("dynamic_smem_size") READ("total_smem_size")
    READ("smid") READ("nsmid") READ("nwarpid") READ("clock") READ("clock_hi") READ64("clock64") READ64("globaltimer")
    READ("globaltimer_lo") READ("globaltimer_hi") READ64("gridid")
}

#if __CUDA_ARCH__ >= 900
__global__ void clusters(unsigned* out, int n) {
    int i = threadIdx.x, k = 0;
    if (i >= n || blockIdx.x) return;
    READ("cluster_ctarank") READ("cluster_nctarank") READ("cluster_ctaid.x") READ("cluster_nctaid.y")
    READ("clusterid.x") READ("nclusterid.x")
    unsigned d;
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(d));
    out[k++ * n + i] = d;
}
#endif
