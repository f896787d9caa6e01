// mma.sync products of shapes and types that no other kernel here has, on small integers, so sums
// are exact in any order.

typedef unsigned u;

/// Halves of 1 or -1, likewise bf16, tf32 and fp8 bytes: the sign of each element is random.
__device__ u halves(u w) { return (w & 0x80008000u) | 0x3c003c00u; }
__device__ u bfloats(u w) { return (w & 0x80008000u) | 0x3f803f80u; }
__device__ u single(u w) { return (w & 0x80000000u) | 0x3f800000u; }
/// 1 or -1 in e5m2; the same bytes are 1.5 or -1.5 in e4m3.
__device__ u eights(u w) { return (w & 0x80808080u) | 0x3c3c3c3cu; }

#define LOAD                             \
  u w[8], *r = out + 32 * threadIdx.x;   \
  for (int i = 0; i < 8; i++) w[i] = in[8 * threadIdx.x + i];

/// `%0` to `%3` are the sum, `%4` to `%7` A, `%8` and `%9` B, `%10` C in each place.
#define PRODUCT_4(at, form, a, b, c)                                                                                              \
  asm volatile("mma.sync.aligned." form " {%0, %1, %2, %3}, " a ", " b ", " c ";"                                                 \
               : "=r"(r[at]), "=r"(r[at + 1]), "=r"(r[at + 2]), "=r"(r[at + 3])                                                   \
               : "r"(e[0]), "r"(e[1]), "r"(e[2]), "r"(e[3]), "r"(e[4]), "r"(e[5]), "r"(e[6]), "r"(e[7]))
#define PRODUCT_2(at, form, a, b, c)                                       \
  asm volatile("mma.sync.aligned." form " {%0, %1}, " a ", " b ", " c ";"  \
               : "=r"(r[at]), "=r"(r[at + 1])                              \
               : "r"(e[0]), "r"(e[1]), "r"(e[2]), "r"(e[3]), "r"(e[4]), "r"(e[5]), "r"(e[6]), "r"(e[7]))

extern "C" __global__ void products_f16(const u *in, u *out) {
  LOAD;
  u e[8];
  for (int i = 0; i < 8; i++) e[i] = halves(w[i]);
  PRODUCT_4(0, "m8n8k4.col.row.f16.f16.f16.f16", "{%4, %5}", "{%6, %7}", "{%8, %9, %10, %11}");
  PRODUCT_2(4, "m16n8k8.row.col.f16.f16.f16.f16", "{%2, %3}", "{%4}", "{%5, %6}");
  PRODUCT_2(6, "m16n8k16.row.col.f16.f16.f16.f16", "{%2, %3, %4, %5}", "{%6, %7}", "{%8, %9}");
  for (int i = 0; i < 8; i++) e[i] = i < 3 ? halves(w[i]) : single(w[i]);
  PRODUCT_4(8, "m16n8k8.row.col.f32.f16.f16.f32", "{%4, %5}", "{%6}", "{%7, %8, %9, %10}");
  for (int i = 0; i < 3; i++) e[i] = bfloats(w[i]);
  PRODUCT_4(12, "m16n8k8.row.col.f32.bf16.bf16.f32", "{%4, %5}", "{%6}", "{%7, %8, %9, %10}");
  for (int i = 0; i < 3; i++) e[i] = single(w[i]);
  PRODUCT_4(16, "m16n8k4.row.col.f32.tf32.tf32.f32", "{%4, %5}", "{%6}", "{%7, %8, %9, %10}");
}

extern "C" __global__ void products_quad(const u *in, u *out) {
  LOAD;
  u e[4];
  for (int i = 0; i < 4; i++) e[i] = halves(w[i]);
#define QUAD(at, layouts, ctype, c, constraint)                                                                                                                      \
  asm volatile("mma.sync.aligned.m8n8k4." layouts ".f32.f16.f16." ctype " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, " c ";"                            \
               : "=r"(r[at]), "=r"(r[at + 1]), "=r"(r[at + 2]), "=r"(r[at + 3]), "=r"(r[at + 4]), "=r"(r[at + 5]), "=r"(r[at + 6]), "=r"(r[at + 7])                   \
               : "r"(e[0]), "r"(e[1]), "r"(e[2]), "r"(e[3]), "r"(constraint))
  QUAD(0, "row.row", "f32", "{%12, %12, %12, %12, %12, %12, %12, %12}", 0x40000000);
  QUAD(8, "col.col", "f32", "{%12, %12, %12, %12, %12, %12, %12, %12}", 0xbf800000);
  QUAD(16, "col.row", "f16", "{%12, %12, %12, %12}", 0x3c004000);
}

extern "C" __global__ void products_f8(const u *in, u *out) {
  LOAD;
  u e[8];
  for (int i = 0; i < 8; i++) e[i] = i < 6 ? eights(w[i]) : halves(w[i]);
  PRODUCT_2(0, "m16n8k16.row.col.f16.e4m3.e5m2.f16", "{%2, %3}", "{%4}", "{%8, %9}");
  PRODUCT_2(2, "m16n8k32.row.col.f16.e5m2.e4m3.f16", "{%2, %3, %4, %5}", "{%6, %7}", "{%8, %9}");
  for (int i = 3; i < 8; i++) e[i] = single(w[i]);
  PRODUCT_4(4, "m16n8k16.row.col.f32.e5m2.e5m2.f32", "{%4, %5}", "{%6}", "{%7, %8, %9, %10}");
}

extern "C" __global__ void products_bytes(const u *in, u *out) {
  LOAD;
  u *e = w;
  PRODUCT_2(0, "m8n8k16.row.col.s32.u8.s8.s32", "{%2}", "{%3}", "{%4, %5}");
  PRODUCT_2(2, "m8n8k16.row.col.satfinite.s32.s8.s8.s32", "{%2}", "{%3}", "{%4, %5}");
  PRODUCT_4(4, "m16n8k16.row.col.satfinite.s32.u8.u8.s32", "{%4, %5}", "{%6}", "{%7, %8, %9, %10}");
  PRODUCT_2(8, "m8n8k32.row.col.s32.u4.s4.s32", "{%2}", "{%3}", "{%4, %5}");
  PRODUCT_4(10, "m16n8k32.row.col.s32.s4.s4.s32", "{%4, %5}", "{%6}", "{%7, %8, %9, %10}");
  PRODUCT_4(14, "m16n8k64.row.col.satfinite.s32.u4.u4.s32", "{%4, %5, %6, %7}", "{%8, %9}", "{%10, %11, %10, %11}");
  PRODUCT_2(18, "m8n8k128.row.col.s32.b1.b1.s32.and.popc", "{%2}", "{%3}", "{%4, %5}");
  PRODUCT_4(20, "m16n8k128.row.col.s32.b1.b1.s32.xor.popc", "{%4, %5}", "{%6}", "{%7, %8, %9, %10}");
  PRODUCT_4(24, "m16n8k256.row.col.s32.b1.b1.s32.and.popc", "{%4, %5, %6, %7}", "{%8, %9}", "{%10, %11, %10, %11}");
}

extern "C" __global__ void products_f64(const double *in, double *out) {
  double e[8], *r = out + 22 * threadIdx.x;
  for (int i = 0; i < 8; i++) e[i] = in[8 * threadIdx.x + i];
#define OPERANDS : "d"(e[0]), "d"(e[1]), "d"(e[2]), "d"(e[3]), "d"(e[4]), "d"(e[5]), "d"(e[6]), "d"(e[7])
#define SUM_4(at) "=d"(r[at]), "=d"(r[at + 1]), "=d"(r[at + 2]), "=d"(r[at + 3])
#define SUM_2(at) "=d"(r[at]), "=d"(r[at + 1])
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};" : SUM_4(0) OPERANDS);
  asm volatile("mma.sync.aligned.m16n8k8.row.col.rn.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %4, %5};" : SUM_4(4) OPERANDS);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.rz.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%5, %7, %9, %11}, {%10, %11, %4, %5};" : SUM_4(8) OPERANDS);
  asm volatile("mma.sync.aligned.m8n8k4.row.col.rm.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};" : SUM_2(12) OPERANDS);
  asm volatile("mma.sync.aligned.m8n8k4.row.col.rp.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};" : SUM_2(14) OPERANDS);
  asm volatile("wmma.mma.sync.aligned.row.col.m8n8k4.rz.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};" : SUM_2(16) OPERANDS);
  asm volatile("wmma.mma.sync.aligned.col.row.m8n8k4.rm.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};" : SUM_2(18) OPERANDS);
  asm volatile("wmma.mma.sync.aligned.row.row.m8n8k4.rp.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};" : SUM_2(20) OPERANDS);
}

/// Tiles of 8 rows of 8 halves, by every supported count, loaded and stored.
extern "C" __global__ void matrix_places(const u *in, u *out) {
  __shared__ __align__(16) u tile[2][128];
  int t = threadIdx.x;
  for (int i = 0; i < 4; i++) tile[0][4 * t + i] = in[4 * t + i], tile[1][4 * t + i] = 0;
  __syncwarp();
  u from = (u)__cvta_generic_to_shared(&tile[0][4 * t]), to = (u)__cvta_generic_to_shared(&tile[1][4 * t]), a, b, c;
  u *r = out + 12 * t;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared::cta.b16 {%0}, [%1];" : "=r"(a) : "r"(from) : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared::cta.b16 [%0], {%1};" ::"r"(to), "r"(a) : "memory");
  __syncwarp();
  for (int i = 0; i < 4; i++) r[i] = tile[1][4 * t + i];
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(from) : "memory");
  __syncwarp();
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(to), "r"(a), "r"(b) : "memory");
  __syncwarp();
  for (int i = 0; i < 4; i++) r[4 + i] = tile[1][4 * t + i];
  asm volatile("wmma.load.a.sync.aligned.row.m8n8k32.shared::cta.s4 {%0}, [%1], 32;" : "=r"(c) : "r"((u)__cvta_generic_to_shared(tile[0])) : "memory");
  asm volatile("wmma.load.c.sync.aligned.row.m8n8k32.shared::cta.s32 {%0, %1}, [%2], 8;" : "=r"(a), "=r"(b) : "r"((u)__cvta_generic_to_shared(tile[0])) : "memory");
  __syncwarp();
  asm volatile("wmma.store.d.sync.aligned.col.m8n8k32.shared::cta.s32 [%0], {%1, %2}, 8;" ::"r"((u)__cvta_generic_to_shared(tile[1])), "r"(a), "r"(b) : "memory");
  __syncwarp();
  r[8] = c, r[9] = tile[1][t], r[10] = tile[1][32 + t], r[11] = tile[1][64 + t];
}
