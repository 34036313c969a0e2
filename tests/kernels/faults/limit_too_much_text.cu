// Every thread prints a long line, many times.
// run: talk<<<64, 64>>>(100)
// run mended: talk<<<1, 2>>>(1)
// arrays: x = int[1]
// expect: limit, prints more than, threadIdx.x == 0
#include <cstdio>
__global__ void talk(int times) {
    for (int i = 0; i < times; i++)
        printf("thread %d of block %d says that it is turn number %d of all\n", threadIdx.x, blockIdx.x, i);  // <- fault
}
