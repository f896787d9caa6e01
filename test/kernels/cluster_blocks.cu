// Clusters of several blocks: shared memory of other blocks, remote arrivals at mbarriers, the
// two-part barrier, special registers, and copies to other blocks.
#include <cooperative_groups.h>
#include <cuda.h>
namespace cg = cooperative_groups;

__device__ unsigned shared_address(const void *p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ unsigned map_shared(unsigned address, unsigned rank) {
  unsigned mapped;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

__device__ void init_barrier(unsigned bar, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ void wait_barrier(unsigned bar, unsigned parity) {
  unsigned done;
  do {
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(bar), "r"(parity) : "memory");
  } while (!done);
}

/// The sum of the words of each cluster, through the shared memory of its blocks.
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_reduce(const int *in, int *out, int n) {
  __shared__ int parts[4];
  auto cluster = cg::this_cluster();
  unsigned t = threadIdx.x;
  int value = 0;
  for (int i = cluster.block_rank() * blockDim.x + t; i < n; i += cluster.num_blocks() * blockDim.x) value += in[blockIdx.y * n + i];
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
  if ((t & 31) == 0) parts[t >> 5] = value;
  cluster.sync();
  if (cluster.block_rank() == 0 && t < 32) {
    int sum = 0;
    if (t < cluster.num_blocks()) {
      const int *remote = cluster.map_shared_rank(parts, t);
      for (unsigned warp = 0; warp < blockDim.x / 32; warp++) sum += remote[warp];
    }
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (t == 0) out[blockIdx.y] = sum;
  }
  cluster.sync();
}

/// Words travel around the blocks of a cluster. Each block arrives at the mbarrier of the next block
/// when its words are there, and at that of the previous block when it has read them.
extern "C" __global__ void __cluster_dims__(3, 1, 1) cluster_ring(const unsigned *in, unsigned *out, int rounds) {
  __shared__ __align__(8) unsigned long long full, empty;
  __shared__ unsigned cells[64];
  auto cluster = cg::this_cluster();
  unsigned t = threadIdx.x, size = cluster.num_blocks(), rank = cluster.block_rank();
  unsigned next = (rank + 1) % size, previous = (rank + size - 1) % size;
  if (t == 0) {
    init_barrier(shared_address(&full), blockDim.x);
    init_barrier(shared_address(&empty), blockDim.x);
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

/// The barrier in two parts, with other barriers and exits in between. The launch sets the size.
extern "C" __global__ void cluster_split(const int *in, int *out) {
  __shared__ int cells[128];
  __shared__ int total;
  auto cluster = cg::this_cluster();
  unsigned t = threadIdx.x, size = cluster.num_blocks(), rank = cluster.block_rank();
  unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  int value = in[block * blockDim.x + t];
  cells[t] = value;
  if (t == 0) total = 0;
  cluster.barrier_arrive();
  int scaled = value * 7;
  cluster.barrier_wait();
  for (unsigned other = 0; other < size; other++)
    if (rank != other) scaled += cluster.map_shared_rank(cells, other)[(t + other) % blockDim.x];
  // Blocks pass their own barrier a different number of times.
  for (unsigned round = 0; round <= rank; round++) {
    atomicAdd(&total, static_cast<int>(t + round));
    __syncthreads();
    scaled += total;
    __syncthreads();
  }
  scaled += __syncthreads_count(value > 0) * 1000;
  out[block * blockDim.x + t] = scaled;
  cluster.barrier_arrive();
  if (t % 3 == 0) out[block * blockDim.x + t] += 1;
  cluster.barrier_wait();
}

/// Counts in the shared memory of all blocks: each block has a part of the bins.
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_histogram(const unsigned *in, unsigned *bins, int n) {
  extern __shared__ unsigned counts[];
  auto cluster = cg::this_cluster();
  unsigned t = threadIdx.x, size = cluster.num_blocks(), rank = cluster.block_rank();
  const unsigned perBlock = 40;
  for (unsigned bin = t; bin < perBlock; bin += blockDim.x) counts[bin] = 0;
  cluster.sync();
  for (int i = cluster.thread_rank(); i < n; i += cluster.num_threads()) {
    unsigned bin = in[i] % (perBlock * size);
    atomicAdd(cluster.map_shared_rank(counts, bin / perBlock) + bin % perBlock, 1u);
  }
  cluster.sync();
  for (unsigned bin = t; bin < perBlock; bin += blockDim.x) atomicAdd(&bins[rank * perBlock + bin], counts[bin]);
}

/// Asynchronous stores, reductions and bulk copies to the other block.
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_send(const unsigned *in, unsigned *out) {
  __shared__ __align__(8) unsigned long long bar;
  __shared__ __align__(16) unsigned own[64], copied[64], sent[64], sums[4];
  auto cluster = cg::this_cluster();
  unsigned t = threadIdx.x, other = cluster.block_rank() ^ 1;
  if (t == 0) {
    init_barrier(shared_address(&bar), 1);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&bar)), "r"(64 * 4 * 2 + 64 * 4) : "memory");
  }
  if (t < 4) sums[t] = 7;
  own[t] = in[blockIdx.x * blockDim.x + t];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  cluster.sync();
  unsigned remote = map_shared(shared_address(&bar), other);
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(map_shared(shared_address(&sent[t ^ 1]), other)), "r"(own[t] ^ t), "r"(remote) : "memory");
  asm volatile("red.async.relaxed.cluster.mbarrier::complete_tx::bytes.shared::cluster.add.u32 [%0], %1, [%2];" ::"r"(map_shared(shared_address(&sums[t & 3]), other)), "r"(own[t]), "r"(remote) : "memory");
  if (t == 0)
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(map_shared(shared_address(copied), other)), "r"(shared_address(own)), "r"(256), "r"(remote) : "memory");
  wait_barrier(shared_address(&bar), 0);
  out[blockIdx.x * blockDim.x + t] = copied[t] + 3 * sent[t] + sums[t & 3];
  cluster.sync();
}

/// The special registers, and addresses of the own and the last block.
extern "C" __global__ void cluster_places(unsigned *out) {
  __shared__ unsigned cells[96];
  auto cluster = cg::this_cluster();
  unsigned t = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
  unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
  cells[t] = 1000 * block + t;
  unsigned f[16];
  asm volatile("mov.u32 %0, %%cluster_ctaid.x; mov.u32 %1, %%cluster_ctaid.y; mov.u32 %2, %%cluster_nctaid.x;" : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]));
  asm volatile("mov.u32 %0, %%cluster_nctaid.y; mov.u32 %1, %%cluster_ctarank; mov.u32 %2, %%cluster_nctarank;" : "=r"(f[3]), "=r"(f[4]), "=r"(f[5]));
  asm volatile("mov.u32 %0, %%clusterid.x; mov.u32 %1, %%clusterid.y; mov.u32 %2, %%nclusterid.x;" : "=r"(f[6]), "=r"(f[7]), "=r"(f[8]));
  asm volatile("mov.u32 %0, %%nclusterid.y; mov.u32 %1, %%ctaid.x; mov.u32 %2, %%nctaid.y;" : "=r"(f[9]), "=r"(f[10]), "=r"(f[11]));
  asm volatile("{.reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p;}" : "=r"(f[12]));
  unsigned last = map_shared(shared_address(&cells[threads - 1 - t]), cluster.num_blocks() - 1);
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(f[13]) : "r"(last));
  asm volatile("{.reg .b64 g; .reg .pred p, q; cvt.u64.u32 g, %1; cvta.shared::cluster.u64 g, g; isspacep.shared::cluster p, g; selp.u32 %0, 1, 0, p; mov.u64 g, %2; isspacep.shared::cta q, g; @q add.u32 %0, %0, 2;}" : "=r"(f[14]) : "r"(last), "l"(&cells[t]));
  cluster.sync();
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(f[15]) : "r"(last) : "memory");
  for (int k = 0; k < 16; k++) out[(block * threads + t) * 16 + k] = f[k];
  cluster.sync();
}

/// A box of a tensor reaches two blocks by one copy, and another box only its own block.
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_multicast(const __grid_constant__ CUtensorMap map, unsigned *out) {
  __shared__ __align__(1024) unsigned tile[2][128];
  __shared__ __align__(8) unsigned long long bar;
  auto cluster = cg::this_cluster();
  unsigned t = threadIdx.x, rank = cluster.block_rank();
  unsigned b = shared_address(&bar);
  if (t == 0) {
    init_barrier(b, 1);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(2 * 512) : "memory");
  }
  cluster.sync();
  if (t == 0) {
    // Each block sends the box with its own number to both.
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(tile[rank])), "l"(&map), "r"(static_cast<int>(16 * rank)), "r"(static_cast<int>(blockIdx.x / 2 * 4)), "r"(b), "h"(static_cast<unsigned short>(3)) : "memory");
  }
  wait_barrier(b, 0);
  for (unsigned k = t; k < 256; k += blockDim.x) out[blockIdx.x * 256 + k] = tile[k / 128][k % 128];
  cluster.sync();
}

/// The blocks exchange words of dynamic shared memory. The places of threads are bits of the address,
/// because the memory is aligned to more bytes than it has.
extern "C" __global__ void __cluster_dims__(3, 1, 1) cluster_aligned(const unsigned *in, unsigned *out) {
  extern __shared__ __align__(512) unsigned aligned_cells[];
  __shared__ unsigned number;
  auto cluster = cg::this_cluster();
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (t == 0) number = blockIdx.x;
  unsigned own = shared_address(aligned_cells) | t * 4, next = (cluster.block_rank() + 1) % cluster.num_blocks();
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(own), "r"(in[i]) : "memory");
  cluster.sync();
  unsigned far = map_shared(shared_address(aligned_cells), next) | (t ^ 5) * 4, value;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(far) : "memory");
  out[i] = value + number;
  cluster.sync();
}
