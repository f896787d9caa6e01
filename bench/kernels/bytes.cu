// Products of matrices of bytes by mma.sync.

__device__ unsigned sharedAddress(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void load4(unsigned (&r)[4], const signed char *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(sharedAddress(row)));
}

const int gap = 16;  // between rows in shared memory, against bank conflicts

/// C = A B, square: rows of A and columns of B are contiguous, s8 in and s32 out. A block of 4 warps
/// has 64 x 64 of C, a warp 32 x 32. The side is a multiple of 64.
extern "C" __global__ void __launch_bounds__(128) matmul_s8(const signed char *a, const signed char *b, int *c, unsigned side) {
  __shared__ __align__(16) signed char rows[64][64 + gap], columns[64][64 + gap];
  unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp / 2 * 32, column = warp % 2 * 32;
  unsigned top = blockIdx.y * 64, left = blockIdx.x * 64;
  int sums[2][4][4] = {};
  for (unsigned step = 0; step < side; step += 64) {
    #pragma unroll
    for (unsigned part = 0; part < 2; part++) {
      unsigned i = part * 128 + threadIdx.x;
      *(uint4 *)&rows[i / 4][i % 4 * 16] = *(const uint4 *)&a[(top + i / 4) * side + step + i % 4 * 16];
      *(uint4 *)&columns[i / 4][i % 4 * 16] = *(const uint4 *)&b[(left + i / 4) * side + step + i % 4 * 16];
    }
    __syncthreads();
    #pragma unroll
    for (int part = 0; part < 64; part += 32) {
      unsigned x[2][4], y[2][4];
      #pragma unroll
      for (int i = 0; i < 2; i++) load4(x[i], &rows[row + i * 16 + lane % 16][part + lane / 16 * 16]);
      #pragma unroll
      for (int i = 0; i < 2; i++) load4(y[i], &columns[column + i * 16 + lane / 16 * 8 + lane % 8][part + lane / 8 % 2 * 16]);
      #pragma unroll
      for (int i = 0; i < 2; i++)
        #pragma unroll
        for (int j = 0; j < 4; j++) {
          int(&d)[4] = sums[i][j];
          asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                       : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                       : "r"(x[i][0]), "r"(x[i][1]), "r"(x[i][2]), "r"(x[i][3]), "r"(y[j / 2][j % 2 * 2]), "r"(y[j / 2][j % 2 * 2 + 1]));
        }
    }
    __syncthreads();
  }
  #pragma unroll
  for (int i = 0; i < 2; i++)
    #pragma unroll
    for (int j = 0; j < 4; j++)
      #pragma unroll
      for (int half = 0; half < 2; half++) {
        int2 *to = (int2 *)&c[(top + row + i * 16 + half * 8 + lane / 4) * side + left + column + j * 8 + lane % 4 * 2];
        *to = make_int2(sums[i][j][half * 2], sums[i][j][half * 2 + 1]);
      }
}
