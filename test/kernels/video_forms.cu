// Video instructions and pairs of halves, in types and second operations that no other kernel here
// has.

typedef unsigned u;
#define FORM(form) asm(form ";" : "=r"(r[k++]) : "r"(x), "r"(y), "r"(z))

extern "C" __global__ void parts(const u *a, const u *b, const u *c, u *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
  if (i >= n) return;
  u x = a[i], y = b[i], z = c[i], *r = out + 26 * i;
  FORM("vadd.s32.u32.s32.add %0, %1.b1, %2.h0, %3");
  FORM("vadd.u32.s32.u32.sat.min %0, %1.h0, %2.b2, %3");
  FORM("vadd.s32.s32.s32.sat.max %0, %1, %2.h1, %3");
  FORM("vsub.u32.u32.u32.add %0, %1.b3, %2.b0, %3");
  FORM("vsub.s32.u32.s32.sat.max %0, %1.h1, %2.h1, %3");
  FORM("vsub.s32.s32.u32.min %0, %1.b0, %2, %3");
  FORM("vabsdiff.u32.u32.u32.max %0, %1.b2, %2.b1, %3");
  FORM("vmin.u32.u32.u32.add %0, %1.h0, %2.h1, %3");
  FORM("vmin.s32.s32.u32.min %0, %1.b1, %2.b0, %3");
  FORM("vmin.s32.u32.s32.max %0, %1.b1, %2.b0, %3");
  FORM("vmax.u32.u32.u32.add %0, %1.h0, %2.h1, %3");
  FORM("vmax.s32.u32.s32.min %0, %1.b3, %2.h0, %3");
  FORM("vmax.s32.s32.u32.max %0, %1.b3, %2.h0, %3");
  FORM("vshl.u32.u32.u32.clamp.add %0, %1.b1, %2.b0, %3");
  FORM("vshl.u32.s32.u32.wrap.min %0, %1.h1, %2.b2, %3");
  FORM("vshl.s32.u32.u32.sat.clamp.max %0, %1.h0, %2.b0, %3");
  FORM("vshr.s32.s32.u32.wrap.min %0, %1.h0, %2.b1, %3");
  FORM("vshr.u32.u32.u32.clamp.max %0, %1, %2.b3, %3");
  FORM("vmad.s32.s32.u32.shr15 %0, %1.h1, %2.h0, %3");
  FORM("vmad.u32.u32.u32.sat.shr7 %0, %1.h0, %2.h1, %3");
  FORM("vset.u32.s32.eq.max %0, %1.b1, %2.b1, %3");
  FORM("vset.s32.s32.ne.min %0, %1.h0, %2.h0, %3");
  FORM("vset.s32.u32.le %0.h1, %1.b0, %2.h1, %3");
  FORM("vset.u32.u32.gt.add %0, %1.b2, %2.b3, %3");
  FORM("vset.u32.u32.lt %0.b3, %1.b2, %2.b3, %3");
  FORM("vmax.u32.s32.u32 %0.b2, %1.h1, %2.b0, %3");
}

extern "C" __global__ void halves(const u *a, const u *b, const u *c, u *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
  if (i >= n) return;
  u x = a[i], y = b[i], z = c[i], *r = out + 22 * i;
  FORM("vadd2.u32.s32.u32.sat %0, %1.h31, %2.h02, %3");
  FORM("vsub2.s32.u32.s32.sat %0, %1, %2, %3");
  FORM("vavrg2.u32.u32.u32 %0.h1, %1.h20, %2.h13, %3");
  FORM("vavrg2.s32.u32.s32.add %0, %1, %2, %3");
  FORM("vabsdiff2.s32.u32.u32 %0, %1, %2, %3");
  FORM("vmin2.u32.u32.s32 %0, %1, %2.h01, %3");
  FORM("vmax2.s32.s32.s32 %0.h0, %1.h33, %2, %3");
  FORM("vset2.u32.u32.eq %0, %1.h11, %2.h32, %3");
  FORM("vset2.s32.u32.ne.add %0, %1, %2, %3");
  FORM("vset2.u32.s32.lt %0.h1, %1, %2, %3");
  FORM("vset2.s32.s32.gt.add %0, %1, %2, %3");
  FORM("vset2.u32.u32.ge %0, %1, %2.h20, %3");
  asm("add.s16x2 %0, %1, %2;" : "=r"(r[12]) : "r"(x), "r"(y));
  asm("max.u16x2 %0, %1, %2;" : "=r"(r[13]) : "r"(x), "r"(y));
  asm("min.u16x2 %0, %1, %2;" : "=r"(r[14]) : "r"(z), "r"(y));
  asm("max.relu.s16x2 %0, %1, %2;" : "=r"(r[15]) : "r"(x), "r"(z));
  asm("min.s16x2 %0, %1, %2;" : "=r"(r[16]) : "r"(x), "r"(z));
  asm("add.u16x2 %0, %1, %2;" : "=r"(r[17]) : "r"(x), "r"(z));
  asm("min.relu.s16x2 %0, %1, %2;" : "=r"(r[18]) : "r"(x), "r"(y));
  k = 19;
  FORM("vadd2.u32.u32.u32.add %0, %1, %2, %3");
  FORM("vsub2.s32.s32.u32.add %0.h0, %1, %2, %3");
  FORM("vabsdiff2.u32.u32.s32.add %0, %1, %2, %3");
}

extern "C" __global__ void bytes(const u *a, const u *b, const u *c, u *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
  if (i >= n) return;
  u x = a[i], y = b[i], z = c[i], *r = out + 14 * i;
  FORM("vadd4.s32.s32.u32.sat %0, %1.b7310, %2.b0246, %3");
  FORM("vsub4.u32.s32.u32 %0.b31, %1, %2, %3");
  FORM("vavrg4.u32.s32.u32 %0, %1, %2, %3");
  FORM("vabsdiff4.s32.s32.s32 %0.b210, %1, %2.b5500, %3");
  FORM("vmin4.u32.s32.u32 %0, %1, %2, %3");
  FORM("vmax4.s32.s32.s32.sat %0, %1.b7654, %2, %3");
  FORM("vset4.s32.s32.eq %0, %1, %2, %3");
  FORM("vset4.u32.u32.ne.add %0, %1, %2, %3");
  FORM("vset4.s32.u32.lt %0.b2, %1, %2, %3");
  FORM("vset4.s32.s32.le.add %0, %1, %2, %3");
  FORM("vset4.u32.s32.ge %0.b30, %1.b6420, %2, %3");
  FORM("vmax4.u32.u32.u32.add %0, %1, %2, %3");
  FORM("vadd4.u32.u32.s32.add %0, %1, %2, %3");
  FORM("vsub4.s32.s32.s32.sat %0.b20, %1, %2.b0123, %3");
}
