#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void sum_tiles(const int *x, int *sums) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = x[i];
  // Add the values of the tile.
  if (tile.thread_rank() == 0) sums[i / 8] = value;
}
