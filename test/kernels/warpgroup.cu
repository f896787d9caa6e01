// Products of warpgroups (wgmma): operands in shared memory with each swizzling, or in registers.
#include <cuda_fp16.h>

__device__ unsigned sharedAddress(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

/// A matrix descriptor. Distances are in bytes; modes 1, 2 and 3 swizzle 128, 64 and 32 bytes.
__device__ unsigned long long descriptor(unsigned start, unsigned leading, unsigned stride, unsigned long long mode) {
  return (start & 0x3ffff) >> 4 | (unsigned long long)(leading >> 4) << 16 | (unsigned long long)(stride >> 4) << 32 | mode << 62;
}

/// The address of 16 bytes in rows of `pitch` bytes, which are swizzled if a row has more than that.
__device__ unsigned swizzled(unsigned address, unsigned pitch) { return address ^ (address >> 7 & (pitch / 16 - 1)) << 4; }

__device__ void begin() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

template <int kept>
__device__ void wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kept) : "memory");
}

/// C = A B in f16 with f32 sums. A block has 64 rows and 32 columns. k is a multiple of 64. Rows of
/// A have 128 bytes along K, and rows of B 64 bytes along N.
extern "C" __global__ void warpgroup_gemm(const __half *a, const __half *b, float *c, int n, int k) {
  __shared__ __align__(1024) unsigned char tiles[64 * 128 + 64 * 64];
  unsigned rows = sharedAddress(tiles), columns = rows + 64 * 128;
  int top = blockIdx.y * 64, left = blockIdx.x * 32, t = threadIdx.x;
  float d[16];
  for (int step = 0; step < k; step += 64) {
    for (int i = t; i < 64 * 8; i += 128)
      *(uint4 *)(tiles + swizzled(rows + i * 16, 128) - rows) = *(const uint4 *)&a[(top + i / 8) * k + step + i % 8 * 8];
    for (int i = t; i < 64 * 4; i += 128)
      *(uint4 *)(tiles + swizzled(columns + i * 16, 64) - rows) = *(const uint4 *)&b[(step + i / 4) * n + left + i % 4 * 8];
    begin();
    for (int part = 0; part < 4; part++) {
      // 16 columns of A are 32 bytes of each row, and 16 rows of B are two patterns of 512 bytes.
      unsigned long long x = descriptor(rows + part * 32, 16, 1024, 1), y = descriptor(columns + part * 1024, 0, 512, 2);
      asm volatile("{ .reg .pred p; setp.ne.b32 p, %18, 0;\n"
                   "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, %16, %17, p, 1, 1, 0, 1; }"
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
                   : "l"(x), "l"(y), "r"(step + part));
    }
    commit();
    wait<0>();
    __syncthreads();
  }
  float *to = c + (top + t / 32 * 16 + t % 32 / 4) * n + left + t % 4 * 2;
  for (int i = 0; i < 16; i++) to[(i / 2 % 2 * 8) * n + i / 4 * 8 + i % 2] = d[i];
}

/// C = C + A B^T of signed and unsigned bytes, saturated to 32 bits. A is in registers, and rows of
/// B have 32 bytes. A block has 64 rows and 24 columns. k is a multiple of 32.
extern "C" __global__ void warpgroup_bytes(const unsigned *a, const unsigned *b, int *c, int n, int k) {
  __shared__ __align__(256) unsigned char tile[24 * 32];
  unsigned columns = sharedAddress(tile);
  int t = threadIdx.x, row = blockIdx.y * 64 + t / 32 * 16 + t % 32 / 4, left = blockIdx.x * 24;
  int *to = c + row * n + left + t % 4 * 2;
  int d[12];
  for (int i = 0; i < 12; i++) d[i] = to[(i / 2 % 2 * 8) * n + i / 4 * 8 + i % 2];
  for (int step = 0; step < k / 4; step += 8) {
    for (int i = t; i < 24 * 2; i += 128)
      *(uint4 *)(tile + swizzled(columns + i * 16, 32) - columns) = *(const uint4 *)&b[(left + i / 2) * (k / 4) + step + i % 2 * 4];
    const unsigned *from = a + row * (k / 4) + step + t % 4;
    unsigned x[4] = {from[0], from[8 * (k / 4)], from[4], from[8 * (k / 4) + 4]};
    begin();
    asm volatile("{ .reg .pred p; setp.eq.b32 p, 0, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n24k32.s32.s8.u8.satfinite {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, %16, p; }"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]), "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(descriptor(columns, 16, 256, 3)));
    commit();
    wait<0>();
    __syncthreads();
  }
  for (int i = 0; i < 12; i++) to[(i / 2 % 2 * 8) * n + i / 4 * 8 + i % 2] = d[i];
}

/// D = A B^T and E = -A B^T of tf32, by two warpgroups, each with 64 rows and 8 columns. Two groups
/// are in flight. Nothing is swizzled.
extern "C" __global__ void warpgroup_signs(const uint4 *a, const uint4 *b, float *d, float *e) {
  __shared__ __align__(128) uint4 tile[128 * 2 + 8 * 2];
  int t = threadIdx.x, group = t / 128;
  // Units of eight rows are together: 128 bytes for each half along K.
  for (int i = t; i < 128 * 2; i += 256) tile[i / 16 * 16 + i % 2 * 8 + i / 2 % 8] = a[i];
  if (t < 16) tile[256 + t % 2 * 8 + t / 2] = b[t];
  begin();
  unsigned rows = sharedAddress(tile);
  unsigned long long x = descriptor(rows + group * 2048, 128, 256, 0), y = descriptor(rows + 4096, 128, 256, 0);
  float s[4], u[4];
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0, %1, %2, %3}, %4, %5, p, 1, 1; }"
               : "=f"(s[0]), "=f"(s[1]), "=f"(s[2]), "=f"(s[3])
               : "l"(x), "l"(y));
  commit();
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0, %1, %2, %3}, %4, %5, p, -1, 1; }"
               : "=f"(u[0]), "=f"(u[1]), "=f"(u[2]), "=f"(u[3])
               : "l"(x), "l"(y));
  commit();
  int place = (t / 32 * 16 + t % 32 / 4) * 8 + t % 4 * 2;
  wait<1>();
  for (int i = 0; i < 4; i++) d[place + i / 2 * 64 + i % 2] = s[i];
  wait<0>();
  for (int i = 0; i < 4; i++) e[place + i / 2 * 64 + i % 2] = u[i];
}

/// The fragment of D = A B of bytes, for a sparse A in registers. A column of B has 64 bytes along K: two
/// rows of 32 bytes, which are swizzled. The second rows of all columns follow the first ones. A block
/// has 64 rows and 24 columns.
extern "C" __global__ void warpgroup_sparse(const uint4 *a, const unsigned *metadata, const uint4 *b, int *d) {
  __shared__ __align__(256) unsigned char tile[2 * 24 * 32];
  unsigned columns = sharedAddress(tile);
  int t = threadIdx.x, thread = blockIdx.x * 128 + t;
  for (int i = t; i < 24 * 4; i += 128) {
    unsigned place = i % 4 / 2 * 24 * 32 + i / 4 * 32 + i % 2 * 16;
    *(uint4 *)(tile + swizzled(columns + place, 32) - columns) = b[blockIdx.x * 96 + i];
  }
  uint4 x = a[thread];
  int s[12];
  begin();
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0;\n"
               "wgmma.mma_async.sp.sync.aligned.m64n24k64.s32.s8.s8 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, %16, %17, 0, p; }"
               : "=r"(s[0]), "=r"(s[1]), "=r"(s[2]), "=r"(s[3]), "=r"(s[4]), "=r"(s[5]), "=r"(s[6]), "=r"(s[7]), "=r"(s[8]), "=r"(s[9]), "=r"(s[10]), "=r"(s[11])
               : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "l"(descriptor(columns, 24 * 32, 256, 3)), "r"(metadata[thread]));
  commit();
  wait<0>();
  for (int i = 0; i < 12; i++) d[thread * 12 + i] = s[i];
}
