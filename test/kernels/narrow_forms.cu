// 8-, 6- and 4-bit floats and f32 pairs of sm_100.
#include <cuda_fp16.h>

typedef unsigned u;
typedef unsigned short us;
typedef unsigned long long ull;

#define FROM_F32(at, form) asm("cvt." form " %0, %1, %2;" : "=h"(r[at]) : "f"(x), "f"(y))
#define FROM_PAIR(at, form) asm("cvt." form " %0, %1;" : "=h"(r[at]) : "r"(w))
#define FOUR(at, form, operands) asm("{ .reg .b8 t; cvt." form " t, " operands "; cvt.u16.u8 %0, t; }" : "=h"(r[at]) : "f"(x), "f"(y), "r"(w))
#define TO_PAIR(at, form) asm("cvt." form " %0, %1;" : "=r"(p[at]) : "h"(v))

extern "C" __global__ void narrow(const float2 *in, const u *words, us *out, u *pairs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i].x, y = in[i].y;
  u w = words[i];
  us v = (us)w, *r = out + 16 * i;
  u *p = pairs + 8 * i;
  FROM_F32(0, "rn.satfinite.e2m3x2.f32");
  FROM_F32(1, "rn.satfinite.relu.e2m3x2.f32");
  FROM_F32(2, "rn.satfinite.e3m2x2.f32");
  FROM_F32(3, "rn.satfinite.relu.e3m2x2.f32");
  FROM_F32(4, "rz.satfinite.ue8m0x2.f32");
  FROM_F32(5, "rp.satfinite.ue8m0x2.f32");
  FROM_F32(6, "rp.ue8m0x2.f32");
  FROM_PAIR(7, "rz.satfinite.ue8m0x2.bf16x2");
  FROM_PAIR(8, "rp.ue8m0x2.bf16x2");
  FOUR(9, "rn.satfinite.e2m1x2.f32", "%1, %2");
  FOUR(10, "rn.satfinite.relu.e2m1x2.f32", "%1, %2");
  FROM_F32(11, "rn.satfinite.e4m3x2.f32");
  FROM_F32(12, "rn.satfinite.relu.e5m2x2.f32");
  r[13] = r[14] = r[15] = 0;
  us six = v & 0x3f3f;
  asm("cvt.rn.f16x2.e2m3x2 %0, %1;" : "=r"(p[0]) : "h"(six));
  asm("cvt.rn.relu.f16x2.e2m3x2 %0, %1;" : "=r"(p[1]) : "h"(six));
  asm("cvt.rn.f16x2.e3m2x2 %0, %1;" : "=r"(p[2]) : "h"(six));
  asm("cvt.rn.relu.f16x2.e3m2x2 %0, %1;" : "=r"(p[3]) : "h"(six));
  asm("{ .reg .b8 t, s; mov.b16 {t, s}, %1; cvt.rn.f16x2.e2m1x2 %0, t; }" : "=r"(p[4]) : "h"(v));
  asm("{ .reg .b8 t, s; mov.b16 {t, s}, %1; cvt.rn.relu.f16x2.e2m1x2 %0, s; }" : "=r"(p[5]) : "h"(v));
  TO_PAIR(6, "rn.bf16x2.ue8m0x2");
  TO_PAIR(7, "rn.f16x2.e5m2x2");
}

/// Halves to 4 bits (and to 8), which later PTX versions added.
extern "C" __global__ void narrow_halves(const u *words, us *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  u w = words[i];
  us *r = out + 4 * i;
  asm("{ .reg .b8 t; cvt.rn.satfinite.e2m1x2.f16x2 t, %1; cvt.u16.u8 %0, t; }" : "=h"(r[0]) : "r"(w));
  asm("{ .reg .b8 t; cvt.rn.satfinite.relu.e2m1x2.f16x2 t, %1; cvt.u16.u8 %0, t; }" : "=h"(r[1]) : "r"(w));
  asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(r[2]) : "r"(w));
  asm("cvt.rn.satfinite.relu.e5m2x2.f16x2 %0, %1;" : "=h"(r[3]) : "r"(w));
}

extern "C" __global__ void float_pairs(const ull *in, ull *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  ull a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2], *r = out + 17 * i;
  asm("add.f32x2 %0, %1, %2;" : "=l"(r[0]) : "l"(a), "l"(b));
  asm("add.rz.ftz.f32x2 %0, %1, %2;" : "=l"(r[1]) : "l"(b), "l"(c));
  asm("sub.rm.f32x2 %0, %1, %2;" : "=l"(r[2]) : "l"(a), "l"(c));
  asm("sub.rn.ftz.f32x2 %0, %1, %2;" : "=l"(r[3]) : "l"(b), "l"(a));
  asm("mul.rp.f32x2 %0, %1, %2;" : "=l"(r[4]) : "l"(a), "l"(b));
  asm("mul.rn.f32x2 %0, %1, %2;" : "=l"(r[5]) : "l"(c), "l"(b));
  asm("fma.rn.f32x2 %0, %1, %2, %3;" : "=l"(r[6]) : "l"(a), "l"(b), "l"(c));
  asm("fma.rz.f32x2 %0, %1, %2, %3;" : "=l"(r[7]) : "l"(a), "l"(b), "l"(c));
  asm("fma.rm.ftz.f32x2 %0, %1, %2, %3;" : "=l"(r[8]) : "l"(c), "l"(b), "l"(a));
  asm("add.rn.f32x2 %0, %1, %2;" : "=l"(r[10]) : "l"(a), "l"(c));
  asm("add.rm.f32x2 %0, %1, %2;" : "=l"(r[11]) : "l"(b), "l"(c));
  asm("add.rp.ftz.f32x2 %0, %1, %2;" : "=l"(r[12]) : "l"(a), "l"(b));
  asm("sub.rz.f32x2 %0, %1, %2;" : "=l"(r[13]) : "l"(a), "l"(b));
  asm("sub.rp.f32x2 %0, %1, %2;" : "=l"(r[14]) : "l"(c), "l"(b));
  asm("mul.rz.ftz.f32x2 %0, %1, %2;" : "=l"(r[15]) : "l"(a), "l"(b));
  asm("mul.rm.f32x2 %0, %1, %2;" : "=l"(r[16]) : "l"(a), "l"(c));
  asm("fma.rp.f32x2 %0, %1, %2, %3;" : "=l"(r[9]) : "l"(c), "l"(a), "l"(b));
}
