// Products of f16 matrices by mma.sync.
#include <cuda_fp16.h>

__device__ unsigned sharedAddress(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

extern "C" __global__ void to_half(const float *in, __half *out, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = __float2half(in[i]);
}

__device__ void load4(unsigned (&r)[4], const __half *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(sharedAddress(row)));
}

__device__ void load4Transposed(unsigned (&r)[4], const __half *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(sharedAddress(row)));
}

/// C = A B, square, f16 in and f32 out. A block of 4 warps has 64 x 64 of C, a warp 32 x 32. The side is a multiple of 64.
extern "C" __global__ void matmul_f16(const __half *a, const __half *b, float *c, unsigned side) {
  const int gap = 8;
  __shared__ __align__(16) __half rows[64][32 + gap], columns[32][64 + gap];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp / 2 * 32, column = warp % 2 * 32;
  unsigned top = blockIdx.y * 64, left = blockIdx.x * 64;
  float sums[2][4][4] = {};
  for (unsigned step = 0; step < side; step += 32) {
    for (int i = threadIdx.x; i < 256; i += 128) {
      *(uint4 *)&rows[i / 4][i % 4 * 8] = *(const uint4 *)&a[(top + i / 4) * side + step + i % 4 * 8];
      *(uint4 *)&columns[i / 8][i % 8 * 8] = *(const uint4 *)&b[(step + i / 8) * side + left + i % 8 * 8];
    }
    __syncthreads();
    for (int part = 0; part < 32; part += 16) {
      unsigned x[2][4], y[2][4];
      for (int i = 0; i < 2; i++) load4(x[i], &rows[row + i * 16 + lane % 16][part + lane / 16 * 8]);
      for (int i = 0; i < 2; i++) load4Transposed(y[i], &columns[part + lane % 16][column + i * 16 + lane / 16 * 8]);
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++) {
          float(&d)[4] = sums[i][j];
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                       : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                       : "r"(x[i][0]), "r"(x[i][1]), "r"(x[i][2]), "r"(x[i][3]), "r"(y[j / 2][j % 2 * 2]), "r"(y[j / 2][j % 2 * 2 + 1]));
        }
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 4; j++)
      for (int half = 0; half < 2; half++) {
        float2 *to = (float2 *)&c[(top + row + i * 16 + half * 8 + lane / 4) * side + left + column + j * 8 + lane % 4 * 2];
        *to = make_float2(sums[i][j][half * 2], sums[i][j][half * 2 + 1]);
      }
}
