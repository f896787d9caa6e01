// The group of a cluster's threads: blocks that share their memory (sm_90).
#pragma once
#include "block.h"

namespace cooperative_groups {

#define LANEWISE_CLUSTER_WORD(name, expression)                        \
  __device__ static unsigned int name() {                              \
    unsigned int value;                                                \
    asm("mov.u32 %0, %%" expression ";" : "=r"(value));                \
    return value;                                                      \
  }
class cluster_group {
  LANEWISE_CLUSTER_WORD(index_x, "cluster_ctaid.x")
  LANEWISE_CLUSTER_WORD(index_y, "cluster_ctaid.y")
  LANEWISE_CLUSTER_WORD(index_z, "cluster_ctaid.z")
  LANEWISE_CLUSTER_WORD(dim_x, "cluster_nctaid.x")
  LANEWISE_CLUSTER_WORD(dim_y, "cluster_nctaid.y")
  LANEWISE_CLUSTER_WORD(dim_z, "cluster_nctaid.z")

 public:
  LANEWISE_CLUSTER_WORD(block_rank, "cluster_ctarank")
  LANEWISE_CLUSTER_WORD(num_blocks, "cluster_nctarank")
  __device__ static dim3 block_index() { return dim3(index_x(), index_y(), index_z()); }
  __device__ static dim3 dim_blocks() { return dim3(dim_x(), dim_y(), dim_z()); }
  __device__ static unsigned int num_threads() { return num_blocks() * thread_block::size(); }
  __device__ static unsigned int size() { return num_threads(); }
  __device__ static unsigned int thread_rank() { return block_rank() * thread_block::size() + thread_block::thread_rank(); }
  __device__ static void barrier_arrive() { asm volatile("barrier.cluster.arrive;" : : : "memory"); }
  __device__ static void barrier_wait() { asm volatile("barrier.cluster.wait;" : : : "memory"); }
  __device__ static void sync() {
    barrier_arrive();
    barrier_wait();
  }
  // Returns the address of a shared variable in the memory of another block.
  template <typename T>
  __device__ static T *map_shared_rank(T *p, int rank) {
    T *mapped;
    asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(p), "r"(rank));
    return mapped;
  }
  // Returns the rank of the block whose memory has the address.
  __device__ static unsigned int query_shared_rank(const void *p) {
    unsigned int rank;
    asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(p));
    return rank;
  }
};
#undef LANEWISE_CLUSTER_WORD
__device__ inline cluster_group this_cluster() { return {}; }

}  // namespace cooperative_groups
