#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void count_greater(int n, int limit, const int *x, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > limit) {
    auto group = cg::coalesced_threads();
    if (group.thread_rank() == 0) atomicAdd(count, group.size());
  }
}
