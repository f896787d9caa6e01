// Clusters of one block: special registers, the two-part barrier, and shared memory through cluster
// addresses.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

/// Sums of blocks, each in its own cluster, added in the memory of the block with the last rank,
/// which is the block itself.
extern "C" __global__ void __cluster_dims__(1, 1, 1) cluster_sum(const int *in, int *out, int n) {
  __shared__ int parts[8];
  __shared__ int total;
  auto cluster = cg::this_cluster();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : 0;
  int sum = value;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (threadIdx.x == 0) total = 0;
  if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = sum;
  cluster.sync();
  int *remote = cluster.map_shared_rank(&total, cluster.num_blocks() - 1 - cluster.block_rank());
  if ((threadIdx.x & 31) == 0) atomicAdd(remote, parts[threadIdx.x >> 5]);
  cluster.barrier_arrive();
  int scaled = value * 3;
  cluster.barrier_wait();
  if (i < n) out[i] = scaled + total + cluster.query_shared_rank(&total) + cluster.dim_blocks().x + cluster.block_index().x;
}

__device__ unsigned map_shared(unsigned address, unsigned rank) {
  unsigned mapped;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

/// A kernel without cluster attributes: special registers, address spaces, and accesses through
/// mapped addresses.
extern "C" __global__ void cluster_facts(unsigned *out, const unsigned *in) {
  __shared__ unsigned cells[32];
  unsigned t = threadIdx.x;
  unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(&cells[t]));
  unsigned mapped = map_shared(own, 0);
  unsigned f[16];
  asm volatile("mov.u32 %0, %%cluster_ctaid.x; mov.u32 %1, %%cluster_ctaid.z; mov.u32 %2, %%cluster_nctaid.y;" : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]));
  asm volatile("mov.u32 %0, %%cluster_ctarank; mov.u32 %1, %%cluster_nctarank;" : "=r"(f[3]), "=r"(f[4]));
  asm volatile("mov.u32 %0, %%clusterid.x; mov.u32 %1, %%clusterid.y; mov.u32 %2, %%nclusterid.x;" : "=r"(f[5]), "=r"(f[6]), "=r"(f[7]));
  asm volatile("{.reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p;}" : "=r"(f[8]));
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(f[9]) : "r"(mapped));
  asm volatile("{.reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(f[10]) : "l"(&cells[t]));
  asm volatile("{.reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(f[11]) : "l"(in));
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(mapped), "r"(in[t]) : "memory");
  asm volatile("atom.relaxed.cluster.shared::cluster.add.u32 %0, [%1], 5;" : "=r"(f[12]) : "r"(mapped) : "memory");
  asm volatile("red.shared::cluster.xor.b32 [%0], %1;" ::"r"(mapped), "r"(t) : "memory");
  __syncthreads();
  unsigned other = map_shared(static_cast<unsigned>(__cvta_generic_to_shared(&cells[t ^ 1])), 0);
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(f[13]) : "r"(other) : "memory");
  f[14] = mapped - own;
  asm volatile("{.reg .b64 g; cvt.u64.u32 g, %1; cvta.shared::cluster.u64 g, g; ld.u32 %0, [g];}" : "=r"(f[15]) : "r"(mapped) : "memory");
  unsigned base = (blockIdx.x * gridDim.y + blockIdx.y) * blockDim.x + t;
  for (int k = 0; k < 16; k++) out[base * 16 + k] = f[k];
}

/// The same for a kernel with a cluster size.
extern "C" __global__ void __cluster_dims__(1, 1, 1) cluster_explicit(unsigned *out) {
  unsigned told;
  asm volatile("{.reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p;}" : "=r"(told));
  if (threadIdx.x == 0) out[blockIdx.x] = told + 10;
}

/// Warps reach the two parts of the barrier at different places and times. Half of the first warp
/// has exited.
extern "C" __global__ void cluster_phases(const int *in, int *out, int rounds) {
  __shared__ int cells[2][128];
  int t = threadIdx.x;
  int value = in[t];
  if (t >= 16 && t < 32) {
    out[t] = -1;
    return;
  }
  for (int k = 0; k < rounds; k++) {
    cells[k & 1][t] = value;
    if (t & 1) {
      asm volatile("barrier.cluster.arrive;" ::: "memory");
    } else {
      value += k;
      asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    }
    int mine = value * 5;
    // A warp may execute another barrier between the two parts.
    if (t >= 64) asm volatile("bar.sync 3, 64;" ::: "memory");
    asm volatile("barrier.cluster.wait;" ::: "memory");
    value = mine + cells[k & 1][(t + 37) % 128 < 16 || (t + 37) % 128 >= 32 ? (t + 37) % 128 : t];
  }
  out[t] = value;
}
