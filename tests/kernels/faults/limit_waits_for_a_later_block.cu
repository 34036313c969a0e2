// The first blocks wait for the last one, which cannot start before they end.
// run: wait<<<1000, 32>>>(flag)
// run mended: wait<<<10, 32>>>(flag)
// steps: 3000000
// arrays: flag = int[1]
// expect: limit, blocks have not started, cooperatively
__global__ void wait(int *flag) {
    if (threadIdx.x) return;
    if (blockIdx.x == gridDim.x / 2) atomicExch(flag, 1);
    while (atomicAdd(flag, 0) == 0) {}  // <- fault
}
