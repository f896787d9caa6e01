// Bulk copies to several blocks of a cluster.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ unsigned shared_address(const void *p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

/// The first block sends words to blocks 0, 1 and 3, and the last block sends words to all blocks.
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_bulk(const unsigned *in, unsigned *out) {
  __shared__ __align__(16) unsigned tile[2][128];
  __shared__ __align__(8) unsigned long long bar;
  auto cluster = cg::this_cluster();
  unsigned t = threadIdx.x, rank = cluster.block_rank(), b = shared_address(&bar);
  for (unsigned k = t; k < 256; k += blockDim.x) tile[k / 128][k % 128] = 7;
  if (t == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(rank == 2 ? 512 : 1024) : "memory");
  }
  asm volatile("fence.proxy.async;" ::: "memory");
  cluster.sync();
  const unsigned *from = in + blockIdx.x / 4 * 256;
  if (t == 0 && rank == 0)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 512, [%2], %3;" ::"r"(shared_address(tile[0])), "l"(from), "r"(b), "h"(static_cast<unsigned short>(11)) : "memory");
  if (t == 0 && rank == 3)
    asm volatile("{.reg .b64 policy; createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%0], [%1], 512, [%2], %3, policy;}" ::"r"(shared_address(tile[1])), "l"(from + 128), "r"(b), "h"(static_cast<unsigned short>(15)) : "memory");
  unsigned done;
  do {
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(b) : "memory");
  } while (!done);
  for (unsigned k = t; k < 256; k += blockDim.x) out[blockIdx.x * 256 + k] = tile[k / 128][k % 128];
  cluster.sync();
}
