// The grid's barrier in several blocks, which must all be resident at the same time.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

/// Two phases: each block sums its part of the numbers, then each thread reads all sums. A third
/// phase reads the words of other blocks.
extern "C" __global__ void grid_totals(const unsigned *numbers, unsigned *sums, unsigned *out, int n) {
  __shared__ unsigned total;
  cg::grid_group grid = cg::this_grid();
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  unsigned own = 0;
  for (unsigned i = grid.thread_rank(); i < n; i += grid.size()) own += numbers[i] * (i + 1);
  atomicAdd(&total, own);
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
  grid.sync();
  unsigned all = 0;
  for (unsigned block = 0; block < gridDim.x; block++) all = all * 31 + sums[block];
  grid.sync();
  if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = all ^ blockIdx.x;
  grid.sync();
  out[grid.thread_rank()] = all + sums[(blockIdx.x + threadIdx.x) % gridDim.x] + threadIdx.x;
}
