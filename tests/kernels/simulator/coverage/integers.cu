// Integer and bit opcodes, one a line, by inline assembly; test_simulator_ptx.py reads the lines and has a reference for
// each opcode. Operands are x, y, z: of 16 (H), 32 (R) or 64 bits (L); the digit says how many. S: the second and third
// are of 32 bits and small; W: the last is twice as wide, and so is the result; N: the result is of 32 bits; C, F, T: a
// small last operand, one for fns, and an immediate one.
#define PUT(type, constraint, text, ...) { type d; asm(text : "=" constraint(d) : __VA_ARGS__); out[k++ * n + i] = d; }
#define H1(op) PUT(unsigned short, "h", op " %0, %1;", "h"(x))
#define H2(op) PUT(unsigned short, "h", op " %0, %1, %2;", "h"(x), "h"(y))
#define H3(op) PUT(unsigned short, "h", op " %0, %1, %2, %3;", "h"(x), "h"(y), "h"(z))
#define R1(op) PUT(unsigned, "r", op " %0, %1;", "r"(x))
#define R2(op) PUT(unsigned, "r", op " %0, %1, %2;", "r"(x), "r"(y))
#define R3(op) PUT(unsigned, "r", op " %0, %1, %2, %3;", "r"(x), "r"(y), "r"(z))
#define L1(op) PUT(unsigned long long, "l", op " %0, %1;", "l"(x))
#define L2(op) PUT(unsigned long long, "l", op " %0, %1, %2;", "l"(x), "l"(y))
#define L3(op) PUT(unsigned long long, "l", op " %0, %1, %2, %3;", "l"(x), "l"(y), "l"(z))
#define L1N(op) PUT(unsigned, "r", op " %0, %1;", "l"(x))
#define H2S(op) PUT(unsigned short, "h", op " %0, %1, %2;", "h"(x), "r"((unsigned)y & 63))
#define L2S(op) PUT(unsigned long long, "l", op " %0, %1, %2;", "l"(x), "r"((unsigned)y & 127))
#define L3S(op) PUT(unsigned long long, "l", op " %0, %1, %2, %3;", "l"(x), "r"((unsigned)y & 127), "r"((unsigned)z & 127))
#define R3S(op) PUT(unsigned, "r", op " %0, %1, %2, %3;", "r"(x), "r"(y & 63), "r"(z & 63))
#define R3C(op) PUT(unsigned, "r", op " %0, %1, %2, %3;", "r"(x), "r"(y), "r"(z & 63))
#define R3F(op) PUT(unsigned, "r", op " %0, %1, %2, %3;", "r"(x), "r"(y & 31), "r"((int)(z % 17) - 8))
#define R2S(op) PUT(unsigned, "r", op " %0, %1, %2;", "r"(x), "r"(y & 63))
#define R4S(op) PUT(unsigned, "r", op " %0, %1, %2, %3, %4;", "r"(x), "r"(y), "r"(z & 63), "r"(z >> 8 & 63))
#define L4S(op) PUT(unsigned long long, "l", op " %0, %1, %2, %3, %4;", "l"(x), "l"(y), "r"((unsigned)z & 127), "r"((unsigned)(z >> 8) & 127))
#define H2W(op) PUT(unsigned, "r", op " %0, %1, %2;", "h"(x), "h"(y))
#define H3W(op) PUT(unsigned, "r", op " %0, %1, %2, %3;", "h"(x), "h"(y), "r"((unsigned)z << 7))
#define R2W(op) PUT(unsigned long long, "l", op " %0, %1, %2;", "r"(x), "r"(y))
#define R3W(op) PUT(unsigned long long, "l", op " %0, %1, %2, %3;", "r"(x), "r"(y), "l"((unsigned long long)z << 9))
#define R3T(op, table) PUT(unsigned, "r", op " %0, %1, %2, %3, " table ";", "r"(x), "r"(y), "r"(z))

__global__ void halfwords(const unsigned short* a, const unsigned short* b, const unsigned short* c, unsigned long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    unsigned short x = a[i], y = b[i], z = c[i];
    H1("abs.s16");
    H1("neg.s16");
    H1("not.b16");
    H1("cnot.b16");
    H2("add.u16");
    H2("sub.s16");
    H2("mul.lo.u16");
    H2("mul.hi.u16");
    H2("mul.hi.s16");
    H2("div.u16");
    H2("div.s16");
    H2("rem.u16");
    H2("rem.s16");
    H2("min.u16");
    H2("min.s16");
    H2("max.u16");
    H2("max.s16");
    H2("and.b16");
    H2("or.b16");
    H2("xor.b16");
    H3("mad.lo.s16");
    H3("sad.u16");
    H3("sad.s16");
    H2S("shl.b16");
    H2S("shr.u16");
    H2S("shr.s16");
    H2W("mul.wide.u16");
    H2W("mul.wide.s16");
    H3W("mad.wide.u16");
    H3W("mad.wide.s16");
}

__global__ void words(const unsigned* a, const unsigned* b, const unsigned* c, unsigned long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    unsigned x = a[i], y = b[i], z = c[i];
    R1("abs.s32");
    R1("neg.s32");
    R1("not.b32");
    R1("cnot.b32");
    R1("popc.b32");
    R1("clz.b32");
    R1("bfind.u32");
    R1("bfind.s32");
    R1("bfind.shiftamt.u32");
    R1("bfind.shiftamt.s32");
    R1("brev.b32");
    R2("add.u32");
    R2("sub.s32");
    R2("mul.lo.u32");
    R2("mul.hi.u32");
    R2("mul.hi.s32");
    R2("div.u32");
    R2("div.s32");
    R2("rem.u32");
    R2("rem.s32");
    R2("min.u32");
    R2("min.s32");
    R2("max.u32");
    R2("max.s32");
    R2("and.b32");
    R2("or.b32");
    R2("xor.b32");
    R2("add.sat.s32");
    R2("sub.sat.s32");
    R2("mul24.lo.u32");
    R2("mul24.lo.s32");
    R2("mul24.hi.u32");
    R2("mul24.hi.s32");
    R2("vadd.s32.s32.s32.sat");
    R2("vmin.s32.s32.u32");
    R2("vset.s32.u32.lt");
    R2("vshl.u32.u32.u32.clamp");
    R2("vshr.s32.s32.u32.wrap");
    R3("mad.lo.s32");
    R3("sad.u32");
    R3("sad.s32");
    R3("mad.hi.u32");
    R3("mad.hi.s32");
    R3("mad.hi.sat.s32");
    R3("mad24.lo.u32");
    R3("mad24.lo.s32");
    R3("mad24.hi.u32");
    R3("mad24.hi.s32");
    R3("mad24.hi.sat.s32");
    R3("dp4a.u32.u32");
    R3("dp4a.u32.s32");
    R3("dp4a.s32.u32");
    R3("dp4a.s32.s32");
    R3("dp2a.lo.u32.u32");
    R3("dp2a.lo.u32.s32");
    R3("dp2a.lo.s32.u32");
    R3("dp2a.lo.s32.s32");
    R3("dp2a.hi.u32.u32");
    R3("dp2a.hi.u32.s32");
    R3("dp2a.hi.s32.u32");
    R3("dp2a.hi.s32.s32");
    R3("slct.u32.s32");
    R3("vadd.u32.u32.u32.max");
    R3("vsub.s32.s32.s32.min");
    R3("vsub.u32.u32.u32.add");
    R3("vabsdiff.u32.s32.s32.add");
    R3("vmax.u32.u32.s32.add");
    R3("vmad.s32.s32.s32");
    R3("vmad.u32.u32.u32.shr15");
    R3("vset.u32.u32.ge.add");
    R3("vadd2.u32.u32.u32.add");
    R3("vadd2.s32.s32.s32.sat");
    R3("vadd2.u32.u32.u32");
    R3("vadd4.u32.u32.u32.add");
    R3("vadd4.s32.s32.s32.sat");
    R3("vadd4.u32.u32.u32");
    R3("vsub2.u32.u32.u32.add");
    R3("vsub2.s32.s32.s32.sat");
    R3("vsub2.u32.u32.u32");
    R3("vsub4.u32.u32.u32.add");
    R3("vsub4.s32.s32.s32.sat");
    R3("vsub4.u32.u32.u32");
    R3("vabsdiff2.u32.u32.u32.add");
    R3("vabsdiff2.s32.s32.s32.sat");
    R3("vabsdiff2.u32.u32.u32");
    R3("vabsdiff4.u32.u32.u32.add");
    R3("vabsdiff4.s32.s32.s32.sat");
    R3("vabsdiff4.u32.u32.u32");
    R3("vmin2.u32.u32.u32.add");
    R3("vmin2.s32.s32.s32.sat");
    R3("vmin2.u32.u32.u32");
    R3("vmin4.u32.u32.u32.add");
    R3("vmin4.s32.s32.s32.sat");
    R3("vmin4.u32.u32.u32");
    R3("vmax2.u32.u32.u32.add");
    R3("vmax2.s32.s32.s32.sat");
    R3("vmax2.u32.u32.u32");
    R3("vmax4.u32.u32.u32.add");
    R3("vmax4.s32.s32.s32.sat");
    R3("vmax4.u32.u32.u32");
    R3("vavrg2.s32.s32.s32");
    R3("vavrg4.u32.u32.u32");
    R3("vset2.u32.u32.lt");
    R3("vset4.s32.s32.ge.add");
    R2S("shl.b32");
    R2S("shr.u32");
    R2S("shr.s32");
    R2S("shr.b32");
    R2S("bmsk.clamp.b32");
    R2S("bmsk.wrap.b32");
    R2S("szext.clamp.u32");
    R2S("szext.clamp.s32");
    R2S("szext.wrap.u32");
    R2S("szext.wrap.s32");
    R3("prmt.b32");
    R3("prmt.b32.f4e");
    R3("prmt.b32.b4e");
    R3("prmt.b32.rc8");
    R3("prmt.b32.ecl");
    R3("prmt.b32.ecr");
    R3("prmt.b32.rc16");
    R3("shf.l.wrap.b32");
    R3("shf.r.wrap.b32");
    R3S("bfe.u32");
    R3S("bfe.s32");
    R3C("shf.l.clamp.b32");
    R3C("shf.r.clamp.b32");
    R3F("fns.b32");
    R4S("bfi.b32");
    R2W("mul.wide.u32");
    R2W("mul.wide.s32");
    R3W("mad.wide.u32");
    R3W("mad.wide.s32");
    R3T("lop3.b32", "0x96");
    R3T("lop3.b32", "0xe8");
    R3T("lop3.b32", "0xca");
    R3T("lop3.b32", "0x1");
    R3T("lop3.b32", "0x80");
    R3T("lop3.b32", "0x5a");
}

__global__ void doublewords(const unsigned long long* a, const unsigned long long* b, const unsigned long long* c, unsigned long long* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    unsigned long long x = a[i], y = b[i], z = c[i];
    L1("abs.s64");
    L1("neg.s64");
    L1("not.b64");
    L1("cnot.b64");
    L1("brev.b64");
    L1N("popc.b64");
    L1N("clz.b64");
    L1N("bfind.u64");
    L1N("bfind.s64");
    L1N("bfind.shiftamt.u64");
    L2("add.u64");
    L2("sub.s64");
    L2("mul.lo.u64");
    L2("mul.hi.u64");
    L2("mul.hi.s64");
    L2("div.u64");
    L2("div.s64");
    L2("rem.u64");
    L2("rem.s64");
    L2("min.u64");
    L2("min.s64");
    L2("max.u64");
    L2("max.s64");
    L2("and.b64");
    L2("or.b64");
    L2("xor.b64");
    L3("mad.lo.s64");
    L3("sad.u64");
    L3("sad.s64");
    L3("mad.hi.u64");
    L3("mad.hi.s64");
    L2S("shl.b64");
    L2S("shr.u64");
    L2S("shr.s64");
    L3S("bfe.u64");
    L3S("bfe.s64");
    L4S("bfi.b64");
}

// Sums and products of 96 and 128 bits: the carry goes from one instruction to the next.
__global__ void carries(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    unsigned x = a[i], y = b[i], z = c[i], d, e, f, g;
    asm("add.cc.u32 %0, %3, %4; addc.cc.u32 %1, %4, %5; addc.u32 %2, %5, %3;" : "=r"(d), "=r"(e), "=r"(f)
        : "r"(x), "r"(y), "r"(z));
    out[k++ * n + i] = d, out[k++ * n + i] = e, out[k++ * n + i] = f;
    asm("sub.cc.u32 %0, %3, %4; subc.cc.u32 %1, %4, %5; subc.u32 %2, %5, %3;" : "=r"(d), "=r"(e), "=r"(f)
        : "r"(x), "r"(y), "r"(z));
    out[k++ * n + i] = d, out[k++ * n + i] = e, out[k++ * n + i] = f;
    asm("{ mul.lo.u32 %0, %4, %6; mul.hi.u32 %1, %4, %6; mad.lo.cc.u32 %1, %5, %6, %1; madc.hi.u32 %2, %5, %6, 0;"
        " mad.lo.cc.u32 %1, %4, %5, %1; madc.hi.cc.u32 %2, %4, %5, %2; addc.u32 %3, 0, 0;"
        " mad.lo.cc.u32 %2, %5, %5, %2; madc.hi.u32 %3, %5, %5, %3; }"
        : "=&r"(d), "=&r"(e), "=&r"(f), "=&r"(g) : "r"(x), "r"(y), "r"(z));
    out[k++ * n + i] = d, out[k++ * n + i] = e, out[k++ * n + i] = f, out[k++ * n + i] = g;
    unsigned long long p = (unsigned long long)x << 32 | y, q = (unsigned long long)z << 32 | x, r, s;
    asm("add.cc.u64 %0, %2, %3; addc.u64 %1, %3, %2;" : "=l"(r), "=l"(s) : "l"(p), "l"(q));
    out[k++ * n + i] = r, out[k++ * n + i] = r >> 32, out[k++ * n + i] = s, out[k++ * n + i] = s >> 32;
    unsigned __int128 w = ((unsigned __int128)p << 64 | q) * (((unsigned __int128)q << 64 | p) + x) - y;
    out[k++ * n + i] = w, out[k++ * n + i] = w >> 32, out[k++ * n + i] = w >> 64, out[k++ * n + i] = w >> 96;
    w = ((unsigned __int128)p << 64 | q) / (r | 1) >> (x & 31);
    out[k++ * n + i] = w, out[k++ * n + i] = w >> 32, out[k++ * n + i] = w >> 64, out[k++ * n + i] = w >> 96;
}
