// The cvt instruction between all types, one form a line, by inline assembly; test_simulator_conversions.py reads the lines
// and has a reference for each. The two letters are the registers of source and result: halves and bfloat16 (H), 32 bits
// (R), 64 bits (L), floats (F), doubles (D). X: two floats into one register; Y: one register of two numbers; B: a byte.
#define PUT(type, constraint, text, ...) { type d; asm(text : "=" constraint(d) : __VA_ARGS__); store(out[k++ * n + i], d); }
__device__ void store(unsigned long long& to, unsigned short bits) { to = bits; }
__device__ void store(unsigned long long& to, unsigned bits) { to = bits; }
__device__ void store(unsigned long long& to, unsigned long long bits) { to = bits; }
__device__ void store(unsigned long long& to, float value) { to = __float_as_uint(value); }
__device__ void store(unsigned long long& to, double value) { to = __double_as_longlong(value); }
#define HH(op) PUT(unsigned short, "h", op " %0, %1;", "h"((unsigned short)x))
#define HR(op) PUT(unsigned, "r", op " %0, %1;", "h"((unsigned short)x))
#define HL(op) PUT(unsigned long long, "l", op " %0, %1;", "h"((unsigned short)x))
#define HF(op) PUT(float, "f", op " %0, %1;", "h"((unsigned short)x))
#define HD(op) PUT(double, "d", op " %0, %1;", "h"((unsigned short)x))
#define RH(op) PUT(unsigned short, "h", op " %0, %1;", "r"(x))
#define RR(op) PUT(unsigned, "r", op " %0, %1;", "r"(x))
#define RL(op) PUT(unsigned long long, "l", op " %0, %1;", "r"(x))
#define RF(op) PUT(float, "f", op " %0, %1;", "r"(x))
#define RD(op) PUT(double, "d", op " %0, %1;", "r"(x))
#define LH(op) PUT(unsigned short, "h", op " %0, %1;", "l"(x))
#define LR(op) PUT(unsigned, "r", op " %0, %1;", "l"(x))
#define LL(op) PUT(unsigned long long, "l", op " %0, %1;", "l"(x))
#define LF(op) PUT(float, "f", op " %0, %1;", "l"(x))
#define LD(op) PUT(double, "d", op " %0, %1;", "l"(x))
#define FH(op) PUT(unsigned short, "h", op " %0, %1;", "f"(x))
#define FR(op) PUT(unsigned, "r", op " %0, %1;", "f"(x))
#define FL(op) PUT(unsigned long long, "l", op " %0, %1;", "f"(x))
#define FF(op) PUT(float, "f", op " %0, %1;", "f"(x))
#define FD(op) PUT(double, "d", op " %0, %1;", "f"(x))
#define DH(op) PUT(unsigned short, "h", op " %0, %1;", "d"(x))
#define DR(op) PUT(unsigned, "r", op " %0, %1;", "d"(x))
#define DL(op) PUT(unsigned long long, "l", op " %0, %1;", "d"(x))
#define DF(op) PUT(float, "f", op " %0, %1;", "d"(x))
#define DD(op) PUT(double, "d", op " %0, %1;", "d"(x))
#define RR2(op) PUT(unsigned, "r", op " %0, %1, %2;", "r"(x), "r"((int)x >> 17))
#define RR3(op) PUT(unsigned, "r", op " %0, %1, %2, %3;", "r"((int)x >> 22), "r"((int)x >> 25), "r"(x))
#define XR(op) PUT(unsigned, "r", op " %0, %1, %2;", "f"(x), "f"(y))
#define XH(op) PUT(unsigned short, "h", op " %0, %1, %2;", "f"(x), "f"(y))
#define XB(op) PUT(unsigned, "r", "{ .reg .b8 t; " op " t, %1, %2; cvt.u32.u8 %0, t; }", "f"(x), "f"(y))
#define YH(op) PUT(unsigned short, "h", op " %0, %1;", "r"(x))
#define YB(op) PUT(unsigned, "r", "{ .reg .b8 t; " op " t, %1; cvt.u32.u8 %0, t; }", "r"(x))
#define HR2(op) PUT(unsigned, "r", op " %0, %1;", "h"(x))
#define BR2(op) PUT(unsigned, "r", "{ .reg .b8 t; cvt.u8.u16 t, %1; " op " %0, t; }", "h"(x))

__global__ void from_floats(const float* a, unsigned long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    float x = a[i];
    FR("cvt.rni.u8.f32");
    FR("cvt.rzi.u8.f32");
    FR("cvt.rmi.u8.f32");
    FR("cvt.rpi.u8.f32");
    FR("cvt.rni.s8.f32");
    FR("cvt.rzi.s8.f32");
    FR("cvt.rmi.s8.f32");
    FR("cvt.rpi.s8.f32");
    FR("cvt.rni.u16.f32");
    FR("cvt.rzi.u16.f32");
    FR("cvt.rmi.u16.f32");
    FR("cvt.rpi.u16.f32");
    FR("cvt.rni.s16.f32");
    FR("cvt.rzi.s16.f32");
    FR("cvt.rmi.s16.f32");
    FR("cvt.rpi.s16.f32");
    FR("cvt.rni.u32.f32");
    FR("cvt.rzi.u32.f32");
    FR("cvt.rmi.u32.f32");
    FR("cvt.rpi.u32.f32");
    FR("cvt.rni.s32.f32");
    FR("cvt.rzi.s32.f32");
    FR("cvt.rmi.s32.f32");
    FR("cvt.rpi.s32.f32");
    FL("cvt.rni.u64.f32");
    FL("cvt.rzi.u64.f32");
    FL("cvt.rmi.u64.f32");
    FL("cvt.rpi.u64.f32");
    FL("cvt.rni.s64.f32");
    FL("cvt.rzi.s64.f32");
    FL("cvt.rmi.s64.f32");
    FL("cvt.rpi.s64.f32");
    FR("cvt.rzi.ftz.s32.f32");
    FL("cvt.rpi.ftz.u64.f32");
    FF("cvt.rni.f32.f32");
    FF("cvt.rni.ftz.f32.f32");
    FF("cvt.rni.sat.f32.f32");
    FF("cvt.rzi.f32.f32");
    FF("cvt.rzi.ftz.f32.f32");
    FF("cvt.rzi.sat.f32.f32");
    FF("cvt.rmi.f32.f32");
    FF("cvt.rmi.ftz.f32.f32");
    FF("cvt.rmi.sat.f32.f32");
    FF("cvt.rpi.f32.f32");
    FF("cvt.rpi.ftz.f32.f32");
    FF("cvt.rpi.sat.f32.f32");
    FF("cvt.sat.f32.f32");
    FF("cvt.ftz.f32.f32");
    FD("cvt.f64.f32");
    FD("cvt.ftz.f64.f32");
#if __CUDA_ARCH__ >= 800
    FR("cvt.rna.tf32.f32");
#endif
    FH("cvt.rn.f16.f32");
    FH("cvt.rz.f16.f32");
    FH("cvt.rm.f16.f32");
    FH("cvt.rp.f16.f32");
    FH("cvt.rn.sat.f16.f32");
#if __CUDA_ARCH__ >= 800
    FH("cvt.rn.relu.f16.f32");
    FH("cvt.rn.bf16.f32");
    FH("cvt.rz.bf16.f32");
    FH("cvt.rn.relu.bf16.f32");
    FH("cvt.rz.relu.bf16.f32");
#endif
#if __CUDA_ARCH__ >= 900
    FH("cvt.rm.bf16.f32");
    FH("cvt.rp.bf16.f32");
    FR("cvt.rn.tf32.f32");
    FR("cvt.rz.tf32.f32");
    FR("cvt.rn.relu.tf32.f32");
#endif
}

__global__ void from_doubles(const double* a, unsigned long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    double x = a[i];
    DR("cvt.rni.u8.f64");
    DR("cvt.rzi.u8.f64");
    DR("cvt.rmi.u8.f64");
    DR("cvt.rpi.u8.f64");
    DR("cvt.rni.s8.f64");
    DR("cvt.rzi.s8.f64");
    DR("cvt.rmi.s8.f64");
    DR("cvt.rpi.s8.f64");
    DR("cvt.rni.u16.f64");
    DR("cvt.rzi.u16.f64");
    DR("cvt.rmi.u16.f64");
    DR("cvt.rpi.u16.f64");
    DR("cvt.rni.s16.f64");
    DR("cvt.rzi.s16.f64");
    DR("cvt.rmi.s16.f64");
    DR("cvt.rpi.s16.f64");
    DR("cvt.rni.u32.f64");
    DR("cvt.rzi.u32.f64");
    DR("cvt.rmi.u32.f64");
    DR("cvt.rpi.u32.f64");
    DR("cvt.rni.s32.f64");
    DR("cvt.rzi.s32.f64");
    DR("cvt.rmi.s32.f64");
    DR("cvt.rpi.s32.f64");
    DL("cvt.rni.u64.f64");
    DL("cvt.rzi.u64.f64");
    DL("cvt.rmi.u64.f64");
    DL("cvt.rpi.u64.f64");
    DL("cvt.rni.s64.f64");
    DL("cvt.rzi.s64.f64");
    DL("cvt.rmi.s64.f64");
    DL("cvt.rpi.s64.f64");
    DD("cvt.rni.f64.f64");
    DD("cvt.rzi.f64.f64");
    DD("cvt.rmi.f64.f64");
    DD("cvt.rpi.f64.f64");
    DD("cvt.sat.f64.f64");
    DF("cvt.rn.f32.f64");
    DF("cvt.rn.ftz.f32.f64");
    DF("cvt.rn.sat.f32.f64");
    DF("cvt.rz.f32.f64");
    DF("cvt.rz.ftz.f32.f64");
    DF("cvt.rz.sat.f32.f64");
    DF("cvt.rm.f32.f64");
    DF("cvt.rm.ftz.f32.f64");
    DF("cvt.rm.sat.f32.f64");
    DF("cvt.rp.f32.f64");
    DF("cvt.rp.ftz.f32.f64");
    DF("cvt.rp.sat.f32.f64");
    DH("cvt.rn.f16.f64");
    DH("cvt.rz.f16.f64");
    DH("cvt.rm.f16.f64");
    DH("cvt.rp.f16.f64");
#if __CUDA_ARCH__ >= 900
    DH("cvt.rn.bf16.f64");
    DH("cvt.rz.bf16.f64");
#endif
}

__global__ void from_halves(const unsigned short* a, unsigned long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    unsigned short x = a[i];
    HR("cvt.rni.u8.f16");
    HR("cvt.rzi.u8.f16");
    HR("cvt.rmi.u8.f16");
    HR("cvt.rpi.u8.f16");
    HR("cvt.rni.s8.f16");
    HR("cvt.rzi.s8.f16");
    HR("cvt.rmi.s8.f16");
    HR("cvt.rpi.s8.f16");
    HR("cvt.rni.u16.f16");
    HR("cvt.rzi.u16.f16");
    HR("cvt.rmi.u16.f16");
    HR("cvt.rpi.u16.f16");
    HR("cvt.rni.s16.f16");
    HR("cvt.rzi.s16.f16");
    HR("cvt.rmi.s16.f16");
    HR("cvt.rpi.s16.f16");
    HR("cvt.rni.u32.f16");
    HR("cvt.rzi.u32.f16");
    HR("cvt.rmi.u32.f16");
    HR("cvt.rpi.u32.f16");
    HR("cvt.rni.s32.f16");
    HR("cvt.rzi.s32.f16");
    HR("cvt.rmi.s32.f16");
    HR("cvt.rpi.s32.f16");
    HL("cvt.rni.u64.f16");
    HL("cvt.rzi.u64.f16");
    HL("cvt.rmi.u64.f16");
    HL("cvt.rpi.u64.f16");
    HL("cvt.rni.s64.f16");
    HL("cvt.rzi.s64.f16");
    HL("cvt.rmi.s64.f16");
    HL("cvt.rpi.s64.f16");
    HH("cvt.rni.f16.f16");
    HH("cvt.rzi.f16.f16");
    HH("cvt.rmi.f16.f16");
    HH("cvt.rpi.f16.f16");
    HF("cvt.f32.f16");
    HD("cvt.f64.f16");
    HF("cvt.sat.f32.f16");
    HH("cvt.sat.f16.f16");
}

#if __CUDA_ARCH__ >= 900
__global__ void from_bfloats(const unsigned short* a, unsigned long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    unsigned short x = a[i];
    HH("cvt.rni.u16.bf16");
    HH("cvt.rzi.u16.bf16");
    HH("cvt.rmi.u16.bf16");
    HH("cvt.rpi.u16.bf16");
    HH("cvt.rni.s16.bf16");
    HH("cvt.rzi.s16.bf16");
    HH("cvt.rmi.s16.bf16");
    HH("cvt.rpi.s16.bf16");
    HR("cvt.rni.u32.bf16");
    HR("cvt.rzi.u32.bf16");
    HR("cvt.rmi.u32.bf16");
    HR("cvt.rpi.u32.bf16");
    HR("cvt.rni.s32.bf16");
    HR("cvt.rzi.s32.bf16");
    HR("cvt.rmi.s32.bf16");
    HR("cvt.rpi.s32.bf16");
    HL("cvt.rni.u64.bf16");
    HL("cvt.rzi.u64.bf16");
    HL("cvt.rmi.u64.bf16");
    HL("cvt.rpi.u64.bf16");
    HL("cvt.rni.s64.bf16");
    HL("cvt.rzi.s64.bf16");
    HL("cvt.rmi.s64.bf16");
    HL("cvt.rpi.s64.bf16");
    HH("cvt.rni.bf16.bf16");
    HH("cvt.rzi.bf16.bf16");
    HH("cvt.rmi.bf16.bf16");
    HH("cvt.rpi.bf16.bf16");
    HF("cvt.f32.bf16");
    HD("cvt.f64.bf16");
}
#endif

__global__ void from_words(const unsigned* a, unsigned long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    unsigned x = a[i];
    RH("cvt.rn.f16.u8");
    RH("cvt.rz.f16.u8");
    RH("cvt.rm.f16.u8");
    RH("cvt.rp.f16.u8");
    RF("cvt.rn.f32.u8");
    RF("cvt.rz.f32.u8");
    RF("cvt.rm.f32.u8");
    RF("cvt.rp.f32.u8");
    RD("cvt.rn.f64.u8");
    RD("cvt.rz.f64.u8");
    RD("cvt.rm.f64.u8");
    RD("cvt.rp.f64.u8");
    RR("cvt.s8.u8");
    RR("cvt.u16.u8");
    RR("cvt.s16.u8");
    RR("cvt.u32.u8");
    RR("cvt.s32.u8");
    RL("cvt.u64.u8");
    RL("cvt.s64.u8");
    RR("cvt.sat.s8.u8");
    RH("cvt.rn.f16.s8");
    RH("cvt.rz.f16.s8");
    RH("cvt.rm.f16.s8");
    RH("cvt.rp.f16.s8");
    RF("cvt.rn.f32.s8");
    RF("cvt.rz.f32.s8");
    RF("cvt.rm.f32.s8");
    RF("cvt.rp.f32.s8");
    RD("cvt.rn.f64.s8");
    RD("cvt.rz.f64.s8");
    RD("cvt.rm.f64.s8");
    RD("cvt.rp.f64.s8");
    RR("cvt.u8.s8");
    RR("cvt.u16.s8");
    RR("cvt.s16.s8");
    RR("cvt.u32.s8");
    RR("cvt.s32.s8");
    RL("cvt.u64.s8");
    RL("cvt.s64.s8");
    RR("cvt.sat.u8.s8");
    RR("cvt.sat.u16.s8");
    RR("cvt.sat.u32.s8");
    RL("cvt.sat.u64.s8");
    RH("cvt.rn.f16.u16");
    RH("cvt.rz.f16.u16");
    RH("cvt.rm.f16.u16");
    RH("cvt.rp.f16.u16");
    RF("cvt.rn.f32.u16");
    RF("cvt.rz.f32.u16");
    RF("cvt.rm.f32.u16");
    RF("cvt.rp.f32.u16");
    RD("cvt.rn.f64.u16");
    RD("cvt.rz.f64.u16");
    RD("cvt.rm.f64.u16");
    RD("cvt.rp.f64.u16");
#if __CUDA_ARCH__ >= 900
    HH("cvt.rn.bf16.u16");
    HH("cvt.rz.bf16.u16");
    HH("cvt.rm.bf16.u16");
    HH("cvt.rp.bf16.u16");
#endif
    RR("cvt.u8.u16");
    RR("cvt.s8.u16");
    RR("cvt.s16.u16");
    RR("cvt.u32.u16");
    RR("cvt.s32.u16");
    RL("cvt.u64.u16");
    RL("cvt.s64.u16");
    RR("cvt.sat.u8.u16");
    RR("cvt.sat.s8.u16");
    RR("cvt.sat.s16.u16");
    RH("cvt.rn.f16.s16");
    RH("cvt.rz.f16.s16");
    RH("cvt.rm.f16.s16");
    RH("cvt.rp.f16.s16");
    RF("cvt.rn.f32.s16");
    RF("cvt.rz.f32.s16");
    RF("cvt.rm.f32.s16");
    RF("cvt.rp.f32.s16");
    RD("cvt.rn.f64.s16");
    RD("cvt.rz.f64.s16");
    RD("cvt.rm.f64.s16");
    RD("cvt.rp.f64.s16");
#if __CUDA_ARCH__ >= 900
    HH("cvt.rn.bf16.s16");
    HH("cvt.rz.bf16.s16");
    HH("cvt.rm.bf16.s16");
    HH("cvt.rp.bf16.s16");
#endif
    RR("cvt.u8.s16");
    RR("cvt.s8.s16");
    RR("cvt.u16.s16");
    RR("cvt.u32.s16");
    RR("cvt.s32.s16");
    RL("cvt.u64.s16");
    RL("cvt.s64.s16");
    RR("cvt.sat.u8.s16");
    RR("cvt.sat.s8.s16");
    RR("cvt.sat.u16.s16");
    RR("cvt.sat.u32.s16");
    RL("cvt.sat.u64.s16");
    RH("cvt.rn.f16.u32");
    RH("cvt.rz.f16.u32");
    RH("cvt.rm.f16.u32");
    RH("cvt.rp.f16.u32");
    RF("cvt.rn.f32.u32");
    RF("cvt.rz.f32.u32");
    RF("cvt.rm.f32.u32");
    RF("cvt.rp.f32.u32");
    RD("cvt.rn.f64.u32");
    RD("cvt.rz.f64.u32");
    RD("cvt.rm.f64.u32");
    RD("cvt.rp.f64.u32");
#if __CUDA_ARCH__ >= 900
    RH("cvt.rn.bf16.u32");
    RH("cvt.rz.bf16.u32");
    RH("cvt.rm.bf16.u32");
    RH("cvt.rp.bf16.u32");
#endif
    RR("cvt.u8.u32");
    RR("cvt.s8.u32");
    RR("cvt.u16.u32");
    RR("cvt.s16.u32");
    RR("cvt.s32.u32");
    RL("cvt.u64.u32");
    RL("cvt.s64.u32");
    RR("cvt.sat.u8.u32");
    RR("cvt.sat.s8.u32");
    RR("cvt.sat.u16.u32");
    RR("cvt.sat.s16.u32");
    RR("cvt.sat.s32.u32");
    RH("cvt.rn.f16.s32");
    RH("cvt.rz.f16.s32");
    RH("cvt.rm.f16.s32");
    RH("cvt.rp.f16.s32");
    RF("cvt.rn.f32.s32");
    RF("cvt.rz.f32.s32");
    RF("cvt.rm.f32.s32");
    RF("cvt.rp.f32.s32");
    RD("cvt.rn.f64.s32");
    RD("cvt.rz.f64.s32");
    RD("cvt.rm.f64.s32");
    RD("cvt.rp.f64.s32");
#if __CUDA_ARCH__ >= 900
    RH("cvt.rn.bf16.s32");
    RH("cvt.rz.bf16.s32");
    RH("cvt.rm.bf16.s32");
    RH("cvt.rp.bf16.s32");
#endif
    RR("cvt.u8.s32");
    RR("cvt.s8.s32");
    RR("cvt.u16.s32");
    RR("cvt.s16.s32");
    RR("cvt.u32.s32");
    RL("cvt.u64.s32");
    RL("cvt.s64.s32");
    RR("cvt.sat.u8.s32");
    RR("cvt.sat.s8.s32");
    RR("cvt.sat.u16.s32");
    RR("cvt.sat.s16.s32");
    RR("cvt.sat.u32.s32");
    RL("cvt.sat.u64.s32");
    RR2("cvt.pack.sat.u16.s32");
    RR2("cvt.pack.sat.s16.s32");
    RR3("cvt.pack.sat.u8.s32.b32");
    RR3("cvt.pack.sat.s8.s32.b32");
}

__global__ void from_doublewords(const unsigned long long* a, unsigned long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    unsigned long long x = a[i];
    LH("cvt.rn.f16.u64");
    LH("cvt.rz.f16.u64");
    LH("cvt.rm.f16.u64");
    LH("cvt.rp.f16.u64");
    LF("cvt.rn.f32.u64");
    LF("cvt.rz.f32.u64");
    LF("cvt.rm.f32.u64");
    LF("cvt.rp.f32.u64");
    LD("cvt.rn.f64.u64");
    LD("cvt.rz.f64.u64");
    LD("cvt.rm.f64.u64");
    LD("cvt.rp.f64.u64");
#if __CUDA_ARCH__ >= 900
    LH("cvt.rn.bf16.u64");
    LH("cvt.rz.bf16.u64");
    LH("cvt.rm.bf16.u64");
    LH("cvt.rp.bf16.u64");
#endif
    LR("cvt.u8.u64");
    LR("cvt.s8.u64");
    LR("cvt.u16.u64");
    LR("cvt.s16.u64");
    LR("cvt.u32.u64");
    LR("cvt.s32.u64");
    LL("cvt.s64.u64");
    LR("cvt.sat.u8.u64");
    LR("cvt.sat.s8.u64");
    LR("cvt.sat.u16.u64");
    LR("cvt.sat.s16.u64");
    LR("cvt.sat.u32.u64");
    LR("cvt.sat.s32.u64");
    LL("cvt.sat.s64.u64");
    LH("cvt.rn.f16.s64");
    LH("cvt.rz.f16.s64");
    LH("cvt.rm.f16.s64");
    LH("cvt.rp.f16.s64");
    LF("cvt.rn.f32.s64");
    LF("cvt.rz.f32.s64");
    LF("cvt.rm.f32.s64");
    LF("cvt.rp.f32.s64");
    LD("cvt.rn.f64.s64");
    LD("cvt.rz.f64.s64");
    LD("cvt.rm.f64.s64");
    LD("cvt.rp.f64.s64");
#if __CUDA_ARCH__ >= 900
    LH("cvt.rn.bf16.s64");
    LH("cvt.rz.bf16.s64");
    LH("cvt.rm.bf16.s64");
    LH("cvt.rp.bf16.s64");
#endif
    LR("cvt.u8.s64");
    LR("cvt.s8.s64");
    LR("cvt.u16.s64");
    LR("cvt.s16.s64");
    LR("cvt.u32.s64");
    LR("cvt.s32.s64");
    LL("cvt.u64.s64");
    LR("cvt.sat.u8.s64");
    LR("cvt.sat.s8.s64");
    LR("cvt.sat.u16.s64");
    LR("cvt.sat.s16.s64");
    LR("cvt.sat.u32.s64");
    LR("cvt.sat.s32.s64");
    LL("cvt.sat.u64.s64");
}

__global__ void pairs_from_floats(const float* a, const float* b, unsigned long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    float x = a[i], y = b[i];
#if __CUDA_ARCH__ >= 800
    XR("cvt.rn.f16x2.f32");
    XR("cvt.rn.relu.f16x2.f32");
    XR("cvt.rz.f16x2.f32");
    XR("cvt.rz.relu.f16x2.f32");
    XR("cvt.rn.bf16x2.f32");
    XR("cvt.rn.relu.bf16x2.f32");
    XR("cvt.rz.bf16x2.f32");
    XR("cvt.rz.relu.bf16x2.f32");
#endif
#if __CUDA_ARCH__ >= 890
    XH("cvt.rn.satfinite.e4m3x2.f32");
    XH("cvt.rn.satfinite.relu.e4m3x2.f32");
    XH("cvt.rn.satfinite.e5m2x2.f32");
    XH("cvt.rn.satfinite.relu.e5m2x2.f32");
#endif
#if defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM120_ALL)
    XH("cvt.rn.satfinite.e2m3x2.f32");
    XH("cvt.rn.satfinite.relu.e2m3x2.f32");
    XH("cvt.rn.satfinite.e3m2x2.f32");
    XH("cvt.rn.satfinite.relu.e3m2x2.f32");
    XB("cvt.rn.satfinite.e2m1x2.f32");
    XB("cvt.rn.satfinite.relu.e2m1x2.f32");
    XH("cvt.rz.ue8m0x2.f32");
    XH("cvt.rz.satfinite.ue8m0x2.f32");
    XH("cvt.rp.ue8m0x2.f32");
    XH("cvt.rp.satfinite.ue8m0x2.f32");
#endif
}

#if __CUDA_ARCH__ >= 890
__global__ void pairs_from_pairs(const unsigned* a, unsigned long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    unsigned x = a[i];
    YH("cvt.rn.satfinite.e4m3x2.f16x2");
    YH("cvt.rn.satfinite.relu.e4m3x2.f16x2");
    YH("cvt.rn.satfinite.e5m2x2.f16x2");
    YH("cvt.rn.satfinite.relu.e5m2x2.f16x2");
#if defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM120_ALL)
    YH("cvt.rn.satfinite.e4m3x2.bf16x2");
    YH("cvt.rn.satfinite.e5m2x2.bf16x2");
    YH("cvt.rn.satfinite.e2m3x2.bf16x2");
    YH("cvt.rn.satfinite.e3m2x2.bf16x2");
    YH("cvt.rn.satfinite.e2m3x2.f16x2");
    YH("cvt.rn.satfinite.e3m2x2.f16x2");
    YB("cvt.rn.satfinite.e2m1x2.f16x2");
    YB("cvt.rn.satfinite.e2m1x2.bf16x2");
    YH("cvt.rz.ue8m0x2.bf16x2");
    YH("cvt.rz.satfinite.ue8m0x2.bf16x2");
    YH("cvt.rp.ue8m0x2.bf16x2");
    YH("cvt.rp.satfinite.ue8m0x2.bf16x2");
#endif
}

__global__ void pairs_of_halves(const unsigned short* a, unsigned long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    unsigned short x = a[i];
    HR2("cvt.rn.f16x2.e4m3x2");
    HR2("cvt.rn.relu.f16x2.e4m3x2");
    HR2("cvt.rn.f16x2.e5m2x2");
    HR2("cvt.rn.relu.f16x2.e5m2x2");
#if defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM120_ALL)
    HR2("cvt.rn.f16x2.e2m3x2");
    HR2("cvt.rn.relu.f16x2.e2m3x2");
    HR2("cvt.rn.f16x2.e3m2x2");
    HR2("cvt.rn.relu.f16x2.e3m2x2");
    BR2("cvt.rn.f16x2.e2m1x2");
    BR2("cvt.rn.relu.f16x2.e2m1x2");
    HR2("cvt.rn.bf16x2.ue8m0x2");
    HR2("cvt.rn.bf16x2.e4m3x2");
    HR2("cvt.rn.bf16x2.e5m2x2");
    HR2("cvt.rn.bf16x2.e2m3x2");
    HR2("cvt.rn.bf16x2.e3m2x2");
#endif
}
#endif
