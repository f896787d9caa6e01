// Stores and reductions that signal an mbarrier or a bulk group: st.async, red.async,
// cp.reduce.async.bulk.

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

/// Threads send each other vectors and words, and count their values in bins of shared memory.
extern "C" __global__ void __cluster_dims__(1, 1, 1) send_and_count(const unsigned *in, unsigned *out) {
  __shared__ alignas(16) uint4 slots[64];
  __shared__ unsigned words[64];
  __shared__ unsigned long long sums[8];
  __shared__ unsigned bins[16];
  __shared__ alignas(8) unsigned long long object;
  unsigned t = threadIdx.x;
  unsigned value = in[blockIdx.x * 64 + t];
  unsigned barrier = shared_address(&object);
  if (t == 0) init(barrier, 64);
  if (t < 16) bins[t] = t * 3;
  if (t < 8) sums[t] = t;
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  expect(barrier, 16 + 4 + 8 + 3 * 4);
  unsigned remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(remote) : "r"(shared_address(&slots[t ^ 21])));
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(remote), "r"(value), "r"(t), "r"(value ^ t), "r"(~value), "r"(barrier) : "memory");
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(shared_address(&words[63 - t])), "r"(value * 3), "r"(barrier) : "memory");
  asm volatile("red.async.relaxed.cluster.mbarrier::complete_tx::bytes.shared::cluster.add.u64 [%0], %1, [%2];" ::"r"(shared_address(&sums[t & 7])), "l"((unsigned long long)value << 8), "r"(barrier) : "memory");
  asm volatile("red.async.relaxed.cluster.mbarrier::complete_tx::bytes.shared::cluster.inc.u32 [%0], %1, [%2];" ::"r"(shared_address(&bins[value & 3])), "r"(1000), "r"(barrier) : "memory");
  asm volatile("red.async.relaxed.cluster.mbarrier::complete_tx::bytes.shared::cluster.max.s32 [%0], %1, [%2];" ::"r"(shared_address(&bins[4 + (value & 3)])), "r"(value), "r"(barrier) : "memory");
  asm volatile("red.async.relaxed.cluster.mbarrier::complete_tx::bytes.shared::cluster.xor.b32 [%0], %1, [%2];" ::"r"(shared_address(&bins[8 + (value & 7)])), "r"(value), "r"(barrier) : "memory");
  wait(barrier, 0);
  uint4 slot = slots[t];
  unsigned *o = out + (blockIdx.x * 64 + t) * 8;
  o[0] = slot.x;
  o[1] = slot.y;
  o[2] = slot.z;
  o[3] = slot.w;
  o[4] = words[t];
  o[5] = (unsigned)sums[t & 7];
  o[6] = (unsigned)(sums[t & 7] >> 32);
  o[7] = bins[t & 15];
}

template <class T> __device__ void fill(T *tile, const T *in) {
  for (int i = threadIdx.x; i < 64; i += blockDim.x) tile[i] = in[blockIdx.x * 64 + i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}

#define REDUCE(op) asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." op " [%0], [%1], %2;" ::"l"(target), "r"(source), "r"(bytes) : "memory")

__device__ void finish() { asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory"); }

/// Blocks reduce their tiles into the same place, one operation after another.
extern "C" __global__ void bulk_reduce_words(const unsigned *in, unsigned *out) {
  __shared__ alignas(128) unsigned tile[64];
  fill(tile, in);
  if (threadIdx.x != 0) return;
  unsigned source = shared_address(tile);
  unsigned bytes = 256;
  unsigned *target = out;
  REDUCE("add.u32");
  target = out + 64;
  REDUCE("min.s32");
  target = out + 128;
  REDUCE("max.u32");
  target = out + 192;
  REDUCE("xor.b32");
  target = out + 256;
  REDUCE("and.b64");
  target = out + 320;
  REDUCE("add.u64");
  target = out + 384;
  REDUCE("max.s64");
  finish();
}

extern "C" __global__ void bulk_reduce_floats(const float *in, float *out, const double *doubles, double *sums) {
  __shared__ alignas(128) float tile[64];
  __shared__ alignas(128) double wide[64];
  fill(tile, in);
  fill(wide, doubles);
  if (threadIdx.x != 0) return;
  unsigned source = shared_address(tile);
  unsigned bytes = 256;
  void *target = out;
  REDUCE("add.f32");
  source = shared_address(wide);
  target = sums;
  bytes = 512;
  REDUCE("add.f64");
  finish();
}

extern "C" __global__ void bulk_reduce_halves(const unsigned short *in, unsigned short *out) {
  __shared__ alignas(128) unsigned short tile[64];
  fill(tile, in);
  if (threadIdx.x != 0) return;
  unsigned source = shared_address(tile);
  unsigned bytes = 128;
  unsigned short *target = out;
  REDUCE("add.noftz.f16");
  target = out + 64;
  REDUCE("min.f16");
  target = out + 128;
  REDUCE("max.bf16");
  target = out + 192;
  REDUCE("add.noftz.bf16");
  finish();
}
