// Matrix products by mma.sync: fragments from shared memory by ldmatrix, and from registers.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ unsigned sharedAddress(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

/// Loads four 8x8 matrices. Lanes 8i to 8i + 7 have the row addresses of the i-th.
__device__ void load4(unsigned (&r)[4], const __half *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(sharedAddress(row)));
}

__device__ void load2Transposed(unsigned (&r)[2], const __half *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(sharedAddress(row)));
}

const int gap = 8; // between rows in shared memory, against bank conflicts

/// C = A B in f16 with f32 sums. A block of four warps has 32 rows and 32 columns, a warp 16 and
/// 16. n and k are multiples of 32.
extern "C" __global__ void gemm_f16(const __half *a, const __half *b, float *c, int n, int k) {
  __shared__ __align__(16) __half rows[32][32 + gap], columns[32][32 + gap];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int top = blockIdx.y * 32, left = blockIdx.x * 32, row = warp / 2 * 16, column = warp % 2 * 16;
  float sums[2][4] = {};
  for (int step = 0; step < k; step += 32) {
    int y = threadIdx.x / 4, x = threadIdx.x % 4 * 8;
    *(uint4 *)&rows[y][x] = *(const uint4 *)&a[(top + y) * k + step + x];
    *(uint4 *)&columns[y][x] = *(const uint4 *)&b[(step + y) * n + left + x];
    __syncthreads();
    for (int part = 0; part < 32; part += 16) {
      unsigned x4[4];
      load4(x4, &rows[row + lane % 16][part + lane / 16 * 8]);
      for (int tile = 0; tile < 2; tile++) {
        unsigned y2[2];
        load2Transposed(y2, &columns[part + lane % 16][column + tile * 8]);
        float(&d)[4] = sums[tile];
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(x4[0]), "r"(x4[1]), "r"(x4[2]), "r"(x4[3]), "r"(y2[0]), "r"(y2[1]));
      }
    }
    __syncthreads();
  }
  for (int tile = 0; tile < 2; tile++)
    for (int half = 0; half < 2; half++) {
      float *to = &c[(top + row + half * 8 + lane / 4) * n + left + column + tile * 8 + lane % 4 * 2];
      to[0] = sums[tile][half * 2];
      to[1] = sums[tile][half * 2 + 1];
    }
}

/// C = A B^T of bytes, saturated to 32 bits. A warp has 16 rows and 8 columns. k is a multiple of
/// 32.
extern "C" __global__ void gemm_s8(const unsigned *a, const unsigned *b, int *c, int n, int k) {
  int lane = threadIdx.x % 32, group = lane / 4, t = lane % 4;
  int top = blockIdx.y * 16, left = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 8;
  const unsigned *row = a + (top + group) * (k / 4), *column = b + (left + group) * (k / 4);
  int d[4] = {};
  for (int step = t; step < k / 4; step += 8)
    asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(row[step]), "r"(row[step + 2 * k]), "r"(row[step + 4]), "r"(row[step + 4 + 2 * k]), "r"(column[step]), "r"(column[step + 4]));
  for (int i = 0; i < 4; i++) c[(top + group + i / 2 * 8) * n + left + t * 2 + i % 2] = d[i];
}

/// C = A B in tf32. A warp has 16 rows and 8 columns. k is a multiple of 8.
extern "C" __global__ void gemm_tf32(const float *a, const float *b, float *c, int n, int k) {
  int lane = threadIdx.x % 32, group = lane / 4, t = lane % 4;
  int top = blockIdx.y * 16, left = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 8;
  float d[4] = {};
  auto at = [](float value) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
    return bits;
  };
  for (int step = t; step < k; step += 8) {
    const float *row = a + (top + group) * k + step, *column = b + step * n + left + group;
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(at(row[0])), "r"(at(row[8 * k])), "r"(at(row[4])), "r"(at(row[8 * k + 4])), "r"(at(column[0])), "r"(at(column[4 * n])));
  }
  for (int i = 0; i < 4; i++) c[(top + group + i / 2 * 8) * n + left + t * 2 + i % 2] = d[i];
}

/// The number of equal one-bits of rows of A and B, and of differing bits. A warp has 8 rows of
/// each. A row has k words, a multiple of 4.
extern "C" __global__ void compare_bits(const unsigned *a, const unsigned *b, int *common, int *different, int n, int k) {
  int lane = threadIdx.x % 32, group = lane / 4, t = lane % 4;
  int top = blockIdx.y * 8, left = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 8;
  int both[2] = {}, either[2] = {};
  for (int step = t; step < k; step += 4) {
    unsigned x = a[(top + group) * k + step], y = b[(left + group) * k + step];
    asm volatile("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {%0, %1}, {%2}, {%3}, {%0, %1};" : "+r"(both[0]), "+r"(both[1]) : "r"(x), "r"(y));
    asm volatile("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%0, %1}, {%2}, {%3}, {%0, %1};" : "+r"(either[0]), "+r"(either[1]) : "r"(x), "r"(y));
  }
  for (int i = 0; i < 2; i++) {
    common[(top + group) * n + left + t * 2 + i] = both[i];
    different[(top + group) * n + left + t * 2 + i] = either[i];
  }
}

/// Squared distances of bodies: |x|^2 + |y|^2 - 2 x y of points with four coordinates in f64. A
/// warp has 8 of each.
extern "C" __global__ void distances(const double *x, const double *y, double *out, int n) {
  int lane = threadIdx.x % 32, group = lane / 4, t = lane % 4;
  int top = blockIdx.y * 8, left = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 8;
  auto square = [](const double *p) { return p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]; };
  double d[2];
  for (int i = 0; i < 2; i++) d[i] = square(x + (top + group) * 4) + square(y + (left + t * 2 + i) * 4);
  double own = -2 * x[(top + group) * 4 + t], other = y[(left + group) * 4 + t];
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(d[0]), "+d"(d[1]) : "d"(own), "d"(other));
  for (int i = 0; i < 2; i++) out[(top + group) * n + left + t * 2 + i] = d[i];
}

/// Each 8x8 tile of 16-bit elements, transposed in registers, and again on the way to shared
/// memory. A warp has four tiles.
extern "C" __global__ void transpose_tiles(const unsigned *in, unsigned *once, unsigned *twice) {
  __shared__ __align__(16) unsigned tiles[4][32];
  int lane = threadIdx.x;
  unsigned words[4];
  for (int i = 0; i < 4; i++) {
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(words[i]) : "r"(in[blockIdx.x * 128 + i * 32 + lane]));
    once[blockIdx.x * 128 + i * 32 + lane] = words[i];
  }
  unsigned row = sharedAddress(&tiles[lane / 8][lane % 8 * 4]);
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]) : "memory");
  __syncwarp();
  for (int i = 0; i < 4; i++) twice[blockIdx.x * 128 + i * 32 + lane] = tiles[i][lane];
}

/// Rows of B weighted by A in bf16, with a sum of each row. Warps without work leave.
extern "C" __global__ void weigh_bf16(const unsigned *a, const unsigned *b, float *out, int rows) {
  int lane = threadIdx.x % 32, group = lane / 4, t = lane % 4, top = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 16;
  if (top >= rows) return;
  const unsigned *row = a + (top + group) * 8;
  float d[4] = {1, 2, 3, 4};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(row[t]), "r"(row[t + 64]), "r"(row[t + 4]), "r"(row[t + 68]), "r"(b[group * 8 + t]), "r"(b[group * 8 + t + 4]));
  for (int i = 0; i < 4; i++) out[(top + group + i / 2 * 8) * 8 + t * 2 + i % 2] = d[i];
}
