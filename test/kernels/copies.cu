// Asynchronous copies to shared memory, overlapped with work on earlier tiles.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

/// A moving sum over four neighbors of double-buffered tiles: one buffer is filled while the other
/// is read.
extern "C" __global__ void copy_two_tiles(const int4 *in, int4 *out, int tiles) {
  __shared__ int4 tile[2][64];
  int t = threadIdx.x, width = blockDim.x;
  const int4 *from = in + blockIdx.x * tiles * width;
  int4 *to = out + blockIdx.x * tiles * width;
  __pipeline_memcpy_async(&tile[0][t], from + t, 16);
  __pipeline_commit();
  #pragma unroll 1
  for (int i = 0; i < tiles; i++) {
    if (i + 1 < tiles) __pipeline_memcpy_async(&tile[(i + 1) & 1][t], from + (i + 1) * width + t, 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    int4 sum = make_int4(0, 0, 0, 0);
    for (int k = 0; k < 4; k++) {
      int4 v = tile[i & 1][(t + k) % width];
      sum.x += v.x;
      sum.y ^= v.y + k;
      sum.z = max(sum.z, v.z);
      sum.w += v.w * (k + 1);
    }
    to[i * width + t] = sum;
    __syncthreads();
  }
}

/// Pieces of 4, 8 and 16 bytes with zero-filled last bytes, four stages deep.
extern "C" __global__ void copy_pieces(const unsigned *in, unsigned *out, int n) {
  __shared__ unsigned buffer[4][8 * 32];
  int t = threadIdx.x;
  #pragma unroll 1
  for (int i = 0; i < 4; i++) {
    unsigned *to = &buffer[i][8 * t];
    int at = (blockIdx.x * 4 + i) * 32 * 8 + 8 * t;
    int left = max(0, min(4, n - at));
    __pipeline_memcpy_async(to, in + at, 16, 16 - 4 * left);
    __pipeline_memcpy_async(to + 4, in + at + 4, 8, t & 7);
    __pipeline_memcpy_async(to + 6, in + at + 6, 4, t & 3);
    __pipeline_memcpy_async(to + 7, in + at + 7, 4);
    __pipeline_commit();
  }
  for (int i = 0; i < 4; i++) {
    if (i == 0) __pipeline_wait_prior(3);
    else if (i == 1) __pipeline_wait_prior(2);
    else if (i == 2) __pipeline_wait_prior(1);
    else __pipeline_wait_prior(0);
    __syncwarp();
    for (int k = 0; k < 8; k++) out[(blockIdx.x * 4 + i) * 256 + k * 32 + t] = buffer[i][(k * 32 + t * 5) & 255];
  }
}

/// C = A B in 8x8 tiles, loaded by a pipeline per thread, three stages deep.
extern "C" __global__ void copy_matrices(const float *a, const float *b, float *c, int n) {
  __shared__ float ta[3][8][8], tb[3][8][8];
  auto pipe = cuda::make_pipeline();
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 8 + y, column = blockIdx.x * 8 + x;
  int steps = n / 8;
  auto fetch = [&](int step) {
    pipe.producer_acquire();
    if (step < steps) {
      cuda::memcpy_async(&ta[step % 3][y][x], a + row * n + step * 8 + x, sizeof(float), pipe);
      cuda::memcpy_async(&tb[step % 3][y][x], b + (step * 8 + y) * n + column, sizeof(float), pipe);
    }
    pipe.producer_commit();
  };
  fetch(0);
  fetch(1);
  float sum = 0;
  for (int step = 0; step < steps; step++) {
    fetch(step + 2);
    cuda::pipeline_consumer_wait_prior<2>(pipe);
    __syncthreads();
    for (int k = 0; k < 8; k++) sum += ta[step % 3][y][k] * tb[step % 3][k][x];
    __syncthreads();
    pipe.consumer_release();
  }
  c[row * n + column] = sum;
}

/// A block reverses its part, which its threads load together.
extern "C" __global__ void copy_together(const unsigned short *in, unsigned short *out, int n) {
  extern __shared__ unsigned short part[];
  auto block = cooperative_groups::this_thread_block();
  cooperative_groups::memcpy_async(block, part, in + blockIdx.x * n, cuda::aligned_size_t<16>(n * sizeof(unsigned short)));
  cooperative_groups::wait(block);
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = part[n - 1 - i];
}
