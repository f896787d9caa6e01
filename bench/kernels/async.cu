// Asynchronous copies from global to shared memory.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

const int COPIES = 4;

/// Chunks of 512 vectors, which divide n. While one is written, the next is being copied. Each
/// thread has its own places in shared memory, so no thread waits for another. Blocks of 128
/// threads, any grid.
extern "C" __global__ void __launch_bounds__(128) copy_async(const uint4 *in, uint4 *out, unsigned n) {
  __shared__ uint4 places[2][COPIES][128];
  unsigned side = 0, chunks = n / (COPIES * 128);
  auto start = [&](unsigned chunk, unsigned to) {
#pragma unroll
    for (int i = 0; i < COPIES; i++) __pipeline_memcpy_async(&places[to][i][threadIdx.x], &in[(chunk * COPIES + i) * 128 + threadIdx.x], 16);
  };
  if (blockIdx.x < chunks) start(blockIdx.x, side);
  __pipeline_commit();
  for (unsigned chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
    if (chunk + gridDim.x < chunks) start(chunk + gridDim.x, side ^ 1);
    __pipeline_commit();
    __pipeline_wait_prior(1);
#pragma unroll
    for (int i = 0; i < COPIES; i++) out[(chunk * COPIES + i) * 128 + threadIdx.x] = places[side][i][threadIdx.x];
    side ^= 1;
  }
}

__device__ unsigned sharedAddress(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void load4(unsigned (&r)[4], const __half *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(sharedAddress(row)));
}

__device__ void load4Transposed(unsigned (&r)[4], const __half *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(sharedAddress(row)));
}

const int gap = 8;  // between rows in shared memory, against bank conflicts

struct Step {
  __half a[64][32 + gap];
  __half b[32][64 + gap];
};

/// Starts the copies of a step's 64 x 32 of A and 32 x 64 of B. Each of 128 threads copies two
/// pieces of 16 bytes of each matrix.
__device__ void fetch(Step &to, const __half *a, const __half *b, unsigned side) {
  #pragma unroll
  for (unsigned part = 0; part < 2; part++) {
    unsigned i = part * 128 + threadIdx.x;
    __pipeline_memcpy_async(&to.a[i / 4][i % 4 * 8], a + i / 4 * side + i % 4 * 8, 16);
    __pipeline_memcpy_async(&to.b[i / 8][i % 8 * 8], b + i / 8 * side + i % 8 * 8, 16);
  }
  __pipeline_commit();
}

/// C = A B, square, f16 in and f32 out. A block of 4 warps has 64 x 64 of C, a warp 32 x 32. The
/// side is a multiple of 64. The next step is copied while one is multiplied.
extern "C" __global__ void __launch_bounds__(128) matmul_async(const __half *a, const __half *b, float *c, unsigned side) {
  __shared__ __align__(16) Step steps[2];
  unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp / 2 * 32, column = warp % 2 * 32;
  unsigned top = blockIdx.y * 64, left = blockIdx.x * 64;
  a += top * side;
  b += left;
  float sums[2][4][4] = {};
  fetch(steps[0], a, b, side);
  for (unsigned step = 0; step < side / 32; step++) {
    a += 32;
    b += 32 * side;
    if (step + 1 < side / 32) {
      fetch(steps[(step + 1) % 2], a, b, side);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    const Step &now = steps[step % 2];
    #pragma unroll
    for (int part = 0; part < 32; part += 16) {
      unsigned x[2][4], y[2][4];
      #pragma unroll
      for (int i = 0; i < 2; i++) load4(x[i], &now.a[row + i * 16 + lane % 16][part + lane / 16 * 8]);
      #pragma unroll
      for (int i = 0; i < 2; i++) load4Transposed(y[i], &now.b[part + lane % 16][column + i * 16 + lane / 16 * 8]);
      #pragma unroll
      for (int i = 0; i < 2; i++)
        #pragma unroll
        for (int j = 0; j < 4; j++) {
          float(&d)[4] = sums[i][j];
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                       : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
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
        float2 *to = (float2 *)&c[(top + row + i * 16 + half * 8 + lane / 4) * side + left + column + j * 8 + lane % 4 * 2];
        *to = make_float2(sums[i][j][half * 2], sums[i][j][half * 2 + 1]);
      }
}
