// Clusters of more threads than a block can have. The launch sets the size of the clusters.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ unsigned shared_address(const void *p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ unsigned map_shared(unsigned address, unsigned rank) {
  unsigned mapped;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

__device__ void wait_barrier(unsigned bar, unsigned parity) {
  unsigned done;
  do {
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(bar), "r"(parity) : "memory");
  } while (!done);
}

/// Each thread adds words of all blocks, in several rounds, and votes of its warp.
extern "C" __global__ void cluster_exchange(const unsigned *in, unsigned *out, int rounds) {
  __shared__ unsigned cells[1024];
  auto cluster = cg::this_cluster();
  unsigned threads = blockDim.x * blockDim.y, t = threadIdx.y * blockDim.x + threadIdx.x;
  unsigned index = (blockIdx.y * gridDim.x + blockIdx.x) * threads + t;
  unsigned value = in[index];
  for (int round = 0; round < rounds; round++) {
    cells[t] = value;
    cluster.sync();
    for (unsigned rank = 0; rank < cluster.num_blocks(); rank++)
      value = value * 3 + cluster.map_shared_rank(cells, rank)[(t * 5 + rank + round) % threads];
    value ^= __ballot_sync(__activemask(), value & 4);
    cluster.sync();
  }
  out[index] = value;
}

/// Words travel around the blocks of a cluster, with arrivals at the mbarriers of other blocks.
extern "C" __global__ void cluster_turns(const unsigned *in, unsigned *out, int rounds) {
  __shared__ __align__(8) unsigned long long full, empty;
  __shared__ unsigned cells[1024];
  auto cluster = cg::this_cluster();
  unsigned t = threadIdx.x, size = cluster.num_blocks(), rank = cluster.block_rank();
  unsigned next = (rank + 1) % size, previous = (rank + size - 1) % size;
  if (t == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&full)), "r"(blockDim.x) : "memory");
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&empty)), "r"(blockDim.x) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cluster.sync();
  unsigned value = in[blockIdx.x * blockDim.x + t];
  unsigned to = map_shared(shared_address(&cells[t]), next);
  unsigned there = map_shared(shared_address(&full), next), back = map_shared(shared_address(&empty), previous);
  for (int round = 0; round < rounds; round++) {
    if (round > 0) wait_barrier(shared_address(&empty), (round - 1) & 1);
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(to), "r"(value) : "memory");
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
    wait_barrier(shared_address(&full), round & 1);
    value = cells[(t + 5) % blockDim.x] * 3 + rank;
    // All threads must have read their cells before one of them says so.
    __syncthreads();
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(back) : "memory");
  }
  out[blockIdx.x * blockDim.x + t] = value;
  cluster.sync();
}

/// Counts in the shared memory of all blocks: each block has 40 of the bins.
extern "C" __global__ void cluster_counts(const unsigned *in, unsigned *bins, int n) {
  __shared__ unsigned counts[40];
  auto cluster = cg::this_cluster();
  unsigned t = threadIdx.x, size = cluster.num_blocks(), rank = cluster.block_rank();
  if (t < 40) counts[t] = 0;
  cluster.sync();
  for (int i = cluster.thread_rank(); i < n; i += cluster.num_threads()) {
    unsigned bin = in[i] % (40 * size);
    atomicAdd(cluster.map_shared_rank(counts, bin / 40) + bin % 40, 1u);
  }
  cluster.sync();
  if (t < 40) atomicAdd(&bins[rank * 40 + t], counts[t]);
}
