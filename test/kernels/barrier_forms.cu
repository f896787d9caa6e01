// mbarriers in forms that no other kernel here has: orders and scopes of each instruction, cluster
// addresses, counts that complete no phase.

typedef unsigned u;
typedef unsigned long long ull;

#define ARRIVE(form) asm volatile("mbarrier.arrive" form : "=l"(state) : "r"(bar) : "memory")
#define FAR(form) asm volatile("mbarrier.arrive" form ::"r"(bar) : "memory")
#define WAIT(form, value, constraint)                                                                                                    \
  do asm volatile("{ .reg .pred p; mbarrier." form " p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(bar), constraint(value) : "memory"); \
  while (!done)

/// Thirteen phases of a block of 32. After each wait, a thread reads the word that its neighbor
/// wrote before it arrived.
extern "C" __global__ void __cluster_dims__(1, 1, 1) phases(const u *in, u *out) {
  __shared__ __align__(8) ull object;
  __shared__ u words[2][32];
  int t = threadIdx.x;
  u bar = (u)__cvta_generic_to_shared(&object), done, v = in[blockIdx.x * 32 + t];
  ull state;
  if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(bar) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  __syncthreads();
  int phase = 0;
#define TURN(arrive, wait)                           \
  words[phase & 1][t] = v;                           \
  arrive;                                            \
  wait;                                              \
  v = v * 5 + words[phase & 1][(t * 7 + phase) & 31]; \
  phase++;
  TURN(ARRIVE(".release.cta.shared::cta.b64 %0, [%1];"), WAIT("test_wait.acquire.cta.shared::cta.b64", state, "l"));
  TURN(ARRIVE(".release.cluster.shared.b64 %0, [%1], 1;"), WAIT("try_wait.acquire.cluster.shared.b64", state, "l"));
  TURN(FAR(".release.cluster.shared::cluster.b64 _, [%0];"), WAIT("test_wait.parity.acquire.cluster.shared::cta.b64", 0, "r"));
  TURN(FAR(".shared::cluster.b64 _, [%0], 1;"), WAIT("try_wait.parity.acquire.cta.shared::cta.b64", 1, "r"));
  TURN(ARRIVE(".shared.b64 %0, [%1];"), WAIT("try_wait.shared::cta.b64", state, "l"));
  TURN(FAR(".expect_tx.release.cluster.shared::cluster.b64 _, [%0], 0;"), WAIT("try_wait.parity.acquire.cluster.shared::cta.b64", 1, "r"));
  // These have no memory order.
#define QUIET(arrive, wait) \
  arrive;                   \
  wait;                     \
  phase++;
  QUIET(ARRIVE(".expect_tx.relaxed.cta.shared.b64 %0, [%1], 0;"), WAIT("test_wait.shared.b64", state, "l"));
  QUIET(ARRIVE(".relaxed.cta.shared::cta.b64 %0, [%1];"), WAIT("test_wait.relaxed.cta.shared::cta.b64", state, "l"));
  QUIET(FAR(".relaxed.cluster.shared::cluster.b64 _, [%0];"), WAIT("try_wait.parity.relaxed.cluster.shared.b64", 0, "r"));
  QUIET(ARRIVE(".relaxed.cta.shared.b64 %0, [%1], 1;"), WAIT("try_wait.relaxed.cluster.shared::cta.b64", state, "l"));
  QUIET(ARRIVE(".shared.b64 %0, [%1];"), WAIT("try_wait.acquire.cta.shared::cta.b64", state, "l"));
  QUIET(ARRIVE(".release.cluster.shared::cta.b64 %0, [%1];"), WAIT("test_wait.acquire.cluster.shared::cta.b64", state, "l"));
  QUIET(ARRIVE(".relaxed.cta.shared.b64 %0, [%1];"), WAIT("test_wait.parity.relaxed.cta.shared.b64", 0, "r"));
  out[blockIdx.x * 32 + t] = v;
}

/// Counts in every form: of arrivals that complete no phase, and of bytes. A thread leaves after
/// each phase. The kernel stores the last states.
extern "C" __global__ void __cluster_dims__(1, 1, 1) counts(const u *in, u *out) {
  __shared__ __align__(8) ull object;
  __shared__ u words[32];
  int t = threadIdx.x;
  u bar = (u)__cvta_generic_to_shared(&object), done, found[4] = {0, 0, 0, 0};
  ull state;
  if (t == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 40;" ::"r"(bar) : "memory");
    ARRIVE(".release.cta.noComplete.shared::cta.b64 %0, [%1], 3;");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(found[0]) : "l"(state));
    ARRIVE("_drop.release.cta.noComplete.shared::cta.b64 %0, [%1], 4;");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(found[1]) : "l"(state));
    asm volatile("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%0], 64;" ::"r"(bar) : "memory");
    asm volatile("mbarrier.complete_tx.shared::cluster.b64 [%0], 16;" ::"r"(bar) : "memory");
    asm volatile("mbarrier.expect_tx.shared.b64 [%0], 8;" ::"r"(bar) : "memory");
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared.b64 [%0], 40;" ::"r"(bar) : "memory");
    asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cta.b64 [%0], 16;" ::"r"(bar) : "memory");
    ARRIVE(".shared.b64 %0, [%1];");
  }
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  __syncthreads();
  words[t] = in[blockIdx.x * 32 + t];
  // 32 arrivals are pending: 40 - 3 - 4 - 1. Later phases expect 36, minus the threads that dropped
  // out.
  if (t < 28) ARRIVE(".shared::cta.b64 %0, [%1];");
  if (t == 28) ARRIVE("_drop.release.cta.shared::cta.b64 %0, [%1];");
  if (t == 29) FAR("_drop.release.cluster.shared::cluster.b64 _, [%0];");
  if (t == 30) ARRIVE("_drop.expect_tx.release.cta.shared::cta.b64 %0, [%1], 0;");
  if (t == 31) FAR("_drop.expect_tx.relaxed.cluster.shared::cluster.b64 _, [%0], 0;");
  WAIT("try_wait.parity.shared.b64", 0, "r");
  u sum = words[(t + 5) % 31];
  __syncthreads();
  // 32 in the second phase: all but one drop out, and the first thread drops out twice.
  if (t == 0) {
    ARRIVE("_drop.noComplete.shared.b64 %0, [%1], 2;");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(found[2]) : "l"(state));
  }
  __syncthreads();
  if (t > 0 && t < 30) ARRIVE("_drop.relaxed.cta.shared.b64 %0, [%1];");
  if (t == 30) ARRIVE(".relaxed.cta.shared.b64 %0, [%1];");
  WAIT("test_wait.parity.shared.b64", 1, "r");
  __syncthreads();
  if (t == 0) {
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(bar) : "memory");
    asm volatile("mbarrier.init.shared.b64 [%0], 2;" ::"r"(bar) : "memory");
    ARRIVE(".noComplete.shared.b64 %0, [%1], 1;");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(found[3]) : "l"(state));
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(bar) : "memory");
  }
  __syncthreads();
  WAIT("try_wait.parity.relaxed.cta.shared.b64", 0, "r");
  u *r = out + 5 * (blockIdx.x * 32 + t);
  r[0] = sum;
  for (int i = 0; i < 4; i++) r[i + 1] = found[i];
}
