// Integer intrinsics, one row of results per thread.

#define PUT(value) out[(row++) * n + i] = (unsigned)(value)

/// Bits: counting, finding, reversing, permuting, funnel shifts, fields.
extern "C" __global__ void intrinsics_bits(const unsigned *a, const unsigned *b, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, row = 0;
  if (i >= n) return;
  unsigned x = a[i], y = b[i], s = y >> 16 & 63, r;
  PUT(__popc(x));
  PUT(__clz((int)x));
  PUT(__ffs((int)x));
  PUT(__brev(x));
  PUT(__byte_perm(x, y, y >> 8));
  PUT(__byte_perm(x, y, 0x1032));
  PUT(__funnelshift_l(x, y, s));
  PUT(__funnelshift_r(x, y, s));
  PUT(__funnelshift_lc(x, y, s));
  PUT(__funnelshift_rc(x, y, s));
  PUT(__fns(x, s & 31, (int)(y & 7) - 3));
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(s), "r"(y & 63));
  PUT(r);
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y & 31), "r"(s));
  PUT(r);
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(x), "r"(y), "r"(s), "r"(y & 31));
  PUT(r);
  asm("bfind.s32 %0, %1;" : "=r"(r) : "r"(x));
  PUT(r);
  asm("shl.b32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(s));
  PUT(r);
  asm("shr.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(s));
  PUT(r);
}

/// Arithmetic: high products, 24-bit products, absolute differences, averages, dot products, saturation.
extern "C" __global__ void intrinsics_arithmetic(const unsigned *a, const unsigned *b, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, row = 0;
  if (i >= n) return;
  unsigned x = a[i], y = b[i], c = x ^ y << 3, r;
  int sx = (int)x, sy = (int)y;
  PUT(__mulhi(sx, sy));
  PUT(__umulhi(x, y));
  PUT(__mul24(sx, sy));
  PUT(__umul24(x, y));
  PUT(__sad(sx, sy, c));
  PUT(__usad(x, y, c));
  PUT(__hadd(sx, sy));
  PUT(__rhadd(sx, sy));
  PUT(__uhadd(x, y));
  PUT(__dp4a(sx, sy, (int)c));
  PUT(__dp4a(x, y, c));
  PUT(__dp2a_lo(sx, sy, (int)c));
  PUT(__dp2a_hi(x, y, c));
  asm("add.sat.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
  PUT(r);
  asm("sub.sat.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
  PUT(r);
  asm("mad.hi.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(c));
  PUT(r);
  PUT(abs(sx / 2) - abs(sy / 2));
  PUT(y ? x / y : x);
  PUT(y ? x % y : y);
  PUT(sy != 0 && sy != -1 ? sx / sy : sx);
  PUT(sy != 0 && sy != -1 ? sx % sy : sy);
}

/// lop3 with several truth tables, and the pairs of halves and bytes of the SIMD intrinsics.
extern "C" __global__ void intrinsics_logic(const unsigned *a, const unsigned *b, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, row = 0;
  if (i >= n) return;
  unsigned x = a[i], y = b[i], z = x * 2654435761u, r;
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
  PUT(r);
  asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
  PUT(r);
  asm("lop3.b32 %0, %1, %2, %3, 0x1b;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
  PUT(r);
  PUT((x & y) | (~x & z));
  PUT(__vadd2(x, y));
  PUT(__vsub4(x, y));
  PUT(__vmaxs2(x, y));
  PUT(__vminu4(x, y));
  PUT(__vcmpgtu4(x, y));
  PUT(__vaddus4(x, y));
  PUT(__vavgu4(x, y));
}

/// 16-bit arithmetic that nvcc keeps in 16 bits.
extern "C" __global__ void intrinsics_short(const short *a, const unsigned short *b, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, row = 0;
  if (i >= n) return;
  short x = a[i], y = (short)b[i];
  unsigned short u = b[i], v = (unsigned short)x;
  PUT((unsigned short)(u + v));
  PUT((short)(x * y));
  PUT((short)(x - y) >> 3);
  PUT((unsigned short)(u << 5) >> 2);
  PUT((int)x * (int)y);
  PUT((unsigned)u * v);
  PUT(u ? v / u : 1);
  PUT(u ? v % u : 2);
  PUT(y != 0 && y != -1 ? x / y : 3);
  PUT(min(x, y) ^ max(u, v));
  PUT((x < y) | (u < v) << 1);
  unsigned short h;
  asm("mul.hi.u16 %0, %1, %2;" : "=h"(h) : "h"(u), "h"(v));
  PUT(h);
  asm("mad.lo.s16 %0, %1, %2, %1;" : "=h"(h) : "h"(u), "h"(v));
  PUT(h);
  asm("abs.s16 %0, %1;" : "=h"(h) : "h"(x));
  PUT(h);
  asm("cnot.b16 %0, %1;" : "=h"(h) : "h"((short)(x & 3)));
  PUT(h);
}

/// Carry chains: a 128-bit product of 64-bit halves in 32-bit pieces.
extern "C" __global__ void intrinsics_carry(const uint2 *a, const uint2 *b, uint4 *product, uint2 *difference) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint2 x = a[i], y = b[i], d;
  uint4 p;
  asm("{\n\t"
      "mul.lo.u32 %0, %4, %6;\n\t"
      "mul.hi.u32 %1, %4, %6;\n\t"
      "mad.lo.cc.u32 %1, %4, %7, %1;\n\t"
      "madc.hi.u32 %2, %4, %7, 0;\n\t"
      "mad.lo.cc.u32 %1, %5, %6, %1;\n\t"
      "madc.hi.cc.u32 %2, %5, %6, %2;\n\t"
      "addc.u32 %3, 0, 0;\n\t"
      "mad.lo.cc.u32 %2, %5, %7, %2;\n\t"
      "madc.hi.u32 %3, %5, %7, %3;\n\t}"
      : "=&r"(p.x), "=&r"(p.y), "=&r"(p.z), "=&r"(p.w)
      : "r"(x.x), "r"(x.y), "r"(y.x), "r"(y.y));
  asm("sub.cc.u32 %0, %2, %4;\n\tsubc.u32 %1, %3, %5;" : "=&r"(d.x), "=r"(d.y) : "r"(x.x), "r"(x.y), "r"(y.x), "r"(y.y));
  product[i] = p;
  difference[i] = d;
}
