// Reductions within shared memory that signal an mbarrier: cp.reduce.async.bulk.

__device__ unsigned shared_address(const void *pointer) { return static_cast<unsigned>(__cvta_generic_to_shared(pointer)); }

__device__ void init(unsigned barrier, unsigned count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory"); }

__device__ void expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ void wait(unsigned barrier, unsigned parity) {
  unsigned done;
  do {
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(barrier), "r"(parity) : "memory");
  } while (!done);
}

template <class T> __device__ void fill(T *tile, const T *in) {
  for (int i = threadIdx.x; i < 64; i += blockDim.x) tile[i] = in[blockIdx.x * 64 + i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}

/// The reduction signals its bytes to the mbarrier. An H200 rejects the instruction in a kernel
/// without a cluster size.
extern "C" __global__ void __cluster_dims__(1, 1, 1) bulk_reduce_shared(const int *in, int *out) {
  __shared__ alignas(128) int tile[64];
  __shared__ alignas(128) int totals[64];
  __shared__ alignas(8) unsigned long long object;
  unsigned barrier = shared_address(&object);
  if (threadIdx.x == 0) init(barrier, 1);
  for (int i = threadIdx.x; i < 64; i += blockDim.x) totals[i] = i;
  fill(tile, in);
  if (threadIdx.x == 0) {
    expect(barrier, 256 + 128 + 64);
    asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.s32 [%0], [%1], 256, [%2];" ::"r"(shared_address(totals)), "r"(shared_address(tile)), "r"(barrier) : "memory");
    asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], 128, [%2];" ::"r"(shared_address(totals)), "r"(shared_address(tile + 16)), "r"(barrier) : "memory");
    asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u64 [%0], [%1], 64, [%2];" ::"r"(shared_address(totals + 32)), "r"(shared_address(tile)), "r"(barrier) : "memory");
  }
  wait(barrier, 0);
  for (int i = threadIdx.x; i < 64; i += blockDim.x) out[blockIdx.x * 64 + i] = totals[i];
}
