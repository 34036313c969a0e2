// What a kernel prints, and how it ends early.
#include <assert.h>
#include <stdio.h>

typedef unsigned u32;

__global__ void formats(const char* name, float x) {
    printf("%d|%5d|%-5d|%05d|%+d|%u|%x|%X|%#x|%o\n", -7, 42, 42, 42, 42, 4000000000u, 255, 255, 255, 8);
    printf("%hd|%hhd|%ld|%lld|%llu|%llx|%zu\n", (short)-3, (signed char)-4, -5l, -6000000000ll, 18000000000000000000ull, 1ull << 40, sizeof(int));
    printf("%f|%.2f|%8.3f|%-8.1f|%e|%.3E|%g|%G|%a\n", 1.5, 2.345, 3.14159, 2.5, 12345.678, 0.00012, 1e-5, 1e10, 1.0);
    printf("%s|%10s|%-6s|%.2s|%c|%%|\n", "text", "right", "left", "cut", 'z');
    printf("%*d|%-*d|%.*f\n", 6, 42, 6, 42, 3, 2.0);
    printf("%f %f %f\n", x / (x - 2.0f), -x / (x - 2.0f), (double)x);
    printf("%p\n", (void*)0x1234);
    printf("%d %s %d %s %d %s %d %s %d %s %d %s\n", 1, "a", 2, "b", 3, "c", 4, "d", 5, "e", 6, "f");
}

__global__ void lines(const int* x) {
    if (threadIdx.x % 2) printf("thread %d of block %d has %d\n", threadIdx.x, blockIdx.x, x[threadIdx.x]);
}

__global__ void counted(int* y) {
    y[0] = printf("%d %d\n", 1, 2);
    y[1] = printf("nothing\n");
}

template <int way>
__device__ void leave(int v) {
    if constexpr (way == 0) assert(v != 5);  // the assertion
    if constexpr (way == 1) { if (v == 5) __trap(); }  // the trap
    if constexpr (way == 2) { if (v == 5) __brkpt(); }  // the breakpoint
    if constexpr (way == 3) asm volatile("{ .reg .pred p; setp.eq.s32 p, %0, 5; @p exit; }" ::"r"(v));
}

template <int way>
__global__ void ends(const int* x, int* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    leave<way>(x[i]);
    y[i] = 1;
}

// A jump by table, as a switch becomes one, and two more ends.
#define SET(number) asm volatile("mov.u32 %0, " #number ";" : "=r"(r))
__global__ void chosen(const int* x, int* y) {
    int v = x[threadIdx.x], r = 0;
    switch (v) {
        case 0: SET(10); break;
        case 1: SET(20); y[0] = 5; break;
        case 2: asm volatile("exit;"); break;
        case 3: SET(40); y[1] = 6; break;
        case 4: SET(50); break;
        case 5: SET(60); y[2] = 7; break;
        case 6: SET(70); break;
        case 7: SET(80); y[3] = 8; break;
    }
    u32 least = min(u32(v), 2u);
    asm volatile("{ table: .branchtargets a, b, c; brx.idx %1, table; a: add.s32 %0, %0, 1; bra.uni d;"
                 " b: add.s32 %0, %0, 2; bra.uni d; c: add.s32 %0, %0, 3; d: }" : "+r"(r) : "r"(least));
    if (v == 1000) __brkpt();
    y[8 + threadIdx.x] = r;
}
