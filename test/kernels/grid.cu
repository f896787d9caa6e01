// The grid's barrier, and groups of several warps, which have barriers in shared memory of the run-time's own.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

/// Every thread reads in each round what another thread of the grid wrote.
extern "C" __global__ void grid_rounds(unsigned *numbers, unsigned *out, int rounds) {
  cg::grid_group grid = cg::this_grid();
  unsigned i = grid.thread_rank();
  unsigned n = grid.size();
  for (int round = 0; round < rounds; round++) {
    unsigned other = numbers[(i + 33) % n];
    grid.sync();
    numbers[i] = numbers[i] * 5 + other + round;
    grid.sync();
  }
  out[i] = numbers[(i * 7) % n] ^ i;
}

/// Places in groups of 64 threads. Making the groups sets their barriers in the run-time's memory; nobody waits there.
extern "C" __global__ void tile_pairs(const int *in, int *places) {
  cg::thread_block block = cg::this_thread_block();
  auto pair = cg::tiled_partition<64>(block);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  places[i] = in[i] * 10000 + pair.meta_group_rank() * 100 + pair.thread_rank();
}
