// Wrong answers to the lessons about cooperative groups.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Every thread of a tile stores, but only the first has the sum.
__global__ void sum_of_every_rank(const int *x, int *sums) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = x[i];
  for (int distance = tile.size() / 2; distance > 0; distance /= 2) value += tile.shfl_down(value, distance);
  sums[i / 8] = value;
}

__global__ void count_by_every_thread(int n, int limit, const int *x, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > limit) atomicAdd(count, cg::coalesced_threads().size());
}
