// Asynchronous copies and related instructions in forms that no other kernel here has: cache
// policies, prefetch sizes, bulk copies within shared memory, reductions by every operation.

typedef unsigned u;
typedef unsigned long long ull;
__device__ u at(const void *pointer) { return (u)__cvta_generic_to_shared(pointer); }

/// Policies of every kind at loads, stores, reductions and copies. They change no result.
extern "C" __global__ void policies(const uint4 *in, uint4 *out, u *sums) {
  __shared__ uint4 tile[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  ull p[9];
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0;" : "=l"(p[0]));
  asm volatile("createpolicy.fractional.L2::evict_normal.b64 %0, 0.5;" : "=l"(p[1]));
  asm volatile("createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %0, 0.25;" : "=l"(p[2]));
  asm volatile("createpolicy.fractional.L2::evict_unchanged.L2::evict_first.b64 %0, 1.0;" : "=l"(p[3]));
  asm volatile("createpolicy.range.L2::evict_normal.b64 %0, [%1], 4096, 8192;" : "=l"(p[4]) : "l"(in));
  asm volatile("createpolicy.range.global.L2::evict_first.L2::evict_unchanged.b64 %0, [%1], 128, 128;" : "=l"(p[5]) : "l"(in));
  asm volatile("createpolicy.range.global.L2::evict_unchanged.L2::evict_first.b64 %0, [%1], 0x100000, 0x200000;" : "=l"(p[6]) : "l"(in));
  asm volatile("createpolicy.range.L2::evict_last.b64 %0, [%1], 512, 1024;" : "=l"(p[7]) : "l"(in));
  // The property behind the policy of cudaAccessPropertyStreaming.
  asm volatile("createpolicy.cvt.L2.b64 %0, 0x12f0000000000000;" : "=l"(p[8]));
  u to = at(tile + t);
  asm volatile("cp.async.cg.shared::cta.global.L2::cache_hint.L2::256B [%0], [%1], 16, %2;" ::"r"(to), "l"(in + i), "l"(p[0]) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  uint4 v = tile[t], w, x;
  asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], 8, 5, %2;" ::"r"(to), "l"(in + i), "l"(p[1]) : "memory");
  asm volatile("cp.async.ca.shared::cta.global.L2::64B [%0 + 8], [%1], 4;" ::"r"(to), "l"(in + i) : "memory");
  asm volatile("cp.async.ca.shared.global.L2::128B [%0 + 12], [%1], 4, %2;" ::"r"(to), "l"(in + i), "r"(t & 3) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  w = tile[t];
  asm volatile("cp.async.ca.shared.global.L2::256B [%0], [%1], 4;" ::"r"(to), "l"(in + (i ^ 3)) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  w.y += tile[t].x;
  asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(in + (i ^ 2)), "l"(p[7]) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  w.w += tile[t].z;
  asm volatile("cp.async.ca.shared.global.L2::cache_hint.L2::64B [%0], [%1], 8, %2;" ::"r"(to), "l"(in + (i ^ 5)), "l"(p[8]) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  w.w ^= tile[t].y;
  asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;" : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "l"(in + (i ^ 1)), "l"(p[2]));
  v.x += x.y, v.y ^= w.x, v.z += w.y + w.z, v.w -= w.w;
  asm volatile("st.global.L2::cache_hint.v4.u32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(out + i), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w), "l"(p[3]) : "memory");
  u old;
  asm volatile("atom.global.add.L2::cache_hint.u32 %0, [%1], %2, %3;" : "=r"(old) : "l"(sums + t), "r"(v.x), "l"(p[4]) : "memory");
  asm volatile("red.global.xor.L2::cache_hint.b32 [%0], %1, %2;" ::"l"(sums + 64), "r"(v.y), "l"(p[5]) : "memory");
  asm volatile("prefetch.global.L1 [%0]; prefetch.global.L2::evict_last [%0]; prefetch.global.L2::evict_normal [%0]; prefetch.L2 [%0];" ::"l"(in + i));
  if (t == 0) {
    asm volatile("cp.async.bulk.prefetch.L2.global.L2::cache_hint [%0], 256, %1;" ::"l"(in + i), "l"(p[6]));
    asm volatile("applypriority.L2::evict_normal [%0], 128;" ::"l"(in + i));
  }
}

/// Tiles are copied in, moved within shared memory, and copied out, with policies. The copies
/// signal their bytes to mbarriers.
extern "C" __global__ void __cluster_dims__(1, 1, 1) bulk_moves(const u *in, u *out) {
  __shared__ __align__(128) u first[64], second[64];
  __shared__ __align__(8) ull bars[2];
  int t = threadIdx.x;
  ull policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(policy));
  u bar = at(bars), next = at(bars + 1), done;
  if (t == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1; mbarrier.init.shared.b64 [%1], 1;" ::"r"(bar), "r"(next) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(bar) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], 128, [%2], %3;" ::"r"(at(first)), "l"(in + blockIdx.x * 64), "r"(bar), "l"(policy) : "memory");
    asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(at(first + 32)), "l"(in + blockIdx.x * 64 + 32), "r"(bar) : "memory");
  }
  __syncthreads();
  do asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(bar) : "memory");
  while (!done);
  first[t] += t;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (t == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(next) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 192, [%2];" ::"r"(at(second)), "r"(at(first + 16)), "r"(next) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 64, [%2];" ::"r"(at(second + 48)), "r"(at(first)), "r"(next) : "memory");
  }
  do asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0, 1000; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(next) : "memory");
  while (!done);
  second[t] ^= 0x55;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (t == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], 256, %2;" ::"l"(out + blockIdx.x * 64), "r"(at(second)), "l"(policy) : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

#define MOVE(op, k) \
  asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." op " [%0], [%1], 64, [%2];" ::"r"(at(totals + 16 * k)), "r"(at(tile + 16 * k)), "r"(bar) : "memory")
#define SEND(op, k) asm volatile("red.async.relaxed.cluster.mbarrier::complete_tx::bytes.shared::cluster." op " [%0], %1, [%2];" ::"r"(at(cells + 4 * k + (t & 3))), "r"(v), "r"(bar) : "memory")

/// Each operation on separate tiles, and on words that many threads reduce.
extern "C" __global__ void __cluster_dims__(1, 1, 1) reductions(const u *in, u *out) {
  __shared__ __align__(128) u tile[128], totals[128];
  __shared__ __align__(16) u cells[16];
  __shared__ __align__(16) ull wide[4], slots[256];
  __shared__ __align__(8) ull object;
  int t = threadIdx.x;
  u bar = at(&object), done, v = in[t] >> 3;
  for (int i = t; i < 128; i += 32) tile[i] = in[i], totals[i] = in[127 - i];
  if (t < 16) cells[t] = in[t + 32];
  if (t < 4) wide[t] = in[t];
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 33;" ::"r"(bar) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (t == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 512;" ::"r"(bar) : "memory");
    MOVE("min.s32", 0);
    MOVE("max.u32", 1);
    MOVE("inc.u32", 2);
    MOVE("dec.u32", 3);
    MOVE("and.b32", 4);
    MOVE("or.b32", 5);
    MOVE("xor.b32", 6);
    MOVE("min.u32", 7);
  }
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(4 * 4 + 8 + 24 + 5 * 8) : "memory");
  SEND("min.u32", 0);
  SEND("and.b32", 1);
  SEND("or.b32", 2);
  SEND("dec.u32", 3);
  asm volatile("red.async.relaxed.cluster.mbarrier::complete_tx::bytes.shared::cluster.add.s64 [%0], %1, [%2];" ::"r"(at(wide + (t & 3))), "l"((long long)(int)in[t]), "r"(bar) : "memory");
  asm volatile("st.async.weak.mbarrier::complete_tx::bytes.shared::cluster.v2.b64 [%0], {%1, %2}, [%3];" ::"r"(at(slots + 2 * t)), "l"((ull)v << 7), "l"(~(ull)v), "r"(bar) : "memory");
  asm volatile("st.async.mbarrier::complete_tx::bytes.shared::cluster.v2.f32 [%0], {%1, %2}, [%3];" ::"r"(at(slots + 64 + t)), "f"((float)t), "f"(-1.5f), "r"(bar) : "memory");
  asm volatile("st.async.mbarrier::complete_tx::bytes.shared::cluster.u64 [%0], %1, [%2];" ::"r"(at(slots + 96 + t)), "l"((ull)v * v), "r"(bar) : "memory");
  asm volatile("st.async.mbarrier::complete_tx::bytes.shared::cluster.s64 [%0], %1, [%2];" ::"r"(at(slots + 128 + t)), "l"(-(long long)v), "r"(bar) : "memory");
  asm volatile("st.async.mbarrier::complete_tx::bytes.shared::cluster.f64 [%0], %1, [%2];" ::"r"(at(slots + 160 + t)), "d"((double)t), "r"(bar) : "memory");
  asm volatile("st.async.mbarrier::complete_tx::bytes.shared::cluster.v2.s32 [%0], {%1, %2}, [%3];" ::"r"(at(slots + 192 + t)), "r"(-t), "r"(t), "r"(bar) : "memory");
  asm volatile("st.async.mbarrier::complete_tx::bytes.shared::cluster.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(at(slots + 224 + t)), "r"(-t), "r"(t), "r"(bar) : "memory");
  do asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(bar) : "memory");
  while (!done);
  for (int i = t; i < 128; i += 32) out[i] = totals[i];
  if (t < 16) out[128 + t] = t < 12 ? cells[t] : 0;
  if (t < 4) out[144 + 2 * t] = (u)wide[t], out[145 + 2 * t] = (u)(wide[t] >> 32);
  for (int i = t; i < 256; i += 32) out[152 + 2 * i] = (u)slots[i], out[153 + 2 * i] = (u)(slots[i] >> 32);
}

/// Reductions of global memory that no other kernel here has, one of them under a policy.
extern "C" __global__ void group_reductions(const u *in, u *sums) {
  __shared__ __align__(128) u tile[64];
  int t = threadIdx.x;
  for (int i = t; i < 64; i += 32) tile[i] = in[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  ull policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0;" : "=l"(policy));
  if (t == 0) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.inc.u32 [%0], [%1], 64, %2;" ::"l"(sums), "r"(at(tile)), "l"(policy) : "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.dec.u32 [%0], [%1], 64;" ::"l"(sums + 16), "r"(at(tile + 16)) : "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b64 [%0], [%1], 64;" ::"l"(sums + 32), "r"(at(tile + 32)) : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

/// Warps reallocate registers, elect leaders, and use the instructions for dependent launches. Only
/// the leaders affect the results.
extern "C" __global__ void __launch_bounds__(256, 2) registers(const u *in, u *out) {
  int t = threadIdx.x;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  u v = in[blockIdx.x * 256 + t], leader, lane;
  if (t < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    v = v * 3 + 1;
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 208;");
    v ^= v >> 7;
  }
  asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
  asm volatile("{ .reg .pred p; elect.sync %0|p, 0xffffffff; selp.u32 %1, 1, 0, p; }" : "=r"(lane), "=r"(leader));
  out[blockIdx.x * 256 + t] = v + (leader << 31) + lane;
  asm volatile("griddepcontrol.launch_dependents;");
}

/// All but the last four words of each line are written again after the line was discarded.
extern "C" __global__ void give_up(const u *in, u *out) {
  int i = blockIdx.x * 32 + threadIdx.x;
  if (threadIdx.x == 0) asm volatile("discard.L2 [%0], 128;" ::"l"(out + i) : "memory");
  __syncwarp();
  out[i] = in[i] + 7;
}
