// Services of the CUDA runtime for kernels: printf and assert.
#include <cassert>
#include <cstdio>

struct Row {
  long long wide;
  unsigned short narrow;
  signed char tiny;
  char letter;
};

/// Divergent threads print different formats, in loops of different lengths.
extern "C" __global__ void print_lines(const int *in, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int value = in[i];
  int printed = 0;
  if (value < 0) {
    printed = printf("thread %d of block %u: negative %d, %#x\n", threadIdx.x, blockIdx.x, value, value);
  } else {
    for (int k = 0; k < value % 4; k++)
      printed += printf("thread %d: step %d of %-5d| %s%c\n", i, k, value, value & 1 ? "odd" : "even", '0' + k);
  }
  if (i == 0) printf("done, %d%%\n", 100);
  counts[i] = printed;
}

/// Integers of all sizes, and doubles as bits.
extern "C" __global__ void print_numbers(const Row *rows, const double *values, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  const Row row = rows[i];
  printf("%d: %lld %llx %hu %d %c %p %s\n", i, row.wide, row.wide, row.narrow, row.tiny, row.letter, (void *)0, "text");
  printf("%d: %f %.3e %g %+012.4f %a %*.2f|\n", i, values[i], values[i], values[i], values[i], values[i], 14, values[i]);
}

/// Every lane of a warp prints the value from a shuffle.
extern "C" __global__ void print_shuffled(const int *in) {
  int lane = threadIdx.x & 31;
  int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int step = 16; step > 4; step /= 2) {
    int other = __shfl_xor_sync(0xffffffff, value, step);
    if ((other & 3) == 0) printf("block %d lane %2d step %2d: %08x\n", blockIdx.x, lane, step, other);
    value += other;
  }
}

__device__ int checked(const int *in, int i, int n, int limit) {
  assert(i < n);
  int value = in[i];
  assert(value < limit && "too large");
  return value;
}

/// Sums a block's numbers, with an assertion for each.
extern "C" __global__ void assert_sum(const int *in, int *out, int n, int limit) {
  __shared__ int sums[8];
  int lane = threadIdx.x & 31;
  int value = checked(in, blockIdx.x * blockDim.x + threadIdx.x, n, limit);
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
  if (lane == 0) sums[threadIdx.x >> 5] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (unsigned warp = 0; warp < blockDim.x / 32; warp++) sum += sums[warp];
    out[blockIdx.x] = sum;
  }
}

/// Without collective operations.
extern "C" __global__ void assert_each(const int *in, int *out, int n, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * checked(in, i, n, limit);
}
