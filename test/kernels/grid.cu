// The grid's barrier, and groups of several warps, whose barriers are in shared memory of the CUDA
// runtime.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

/// In each round every thread reads a word that another thread of the grid wrote.
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

/// Ranks in groups of 64 threads. Creating the groups initializes their barriers in the runtime's
/// memory, but no thread waits there.
extern "C" __global__ void tile_pairs(const int *in, int *places) {
  cg::thread_block block = cg::this_thread_block();
  auto pair = cg::tiled_partition<64>(block);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  places[i] = in[i] * 10000 + pair.meta_group_rank() * 100 + pair.thread_rank();
}
