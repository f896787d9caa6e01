// Instruction forms that nvcc does not generate from source. Each thread executes them on its own
// words.

extern "C" __global__ void forms_video(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i], y = b[i], z = c[i], *r = out + 12 * i;
  asm("vabsdiff.u32.s32.u32.add %0, %1.b2, %2.h1, %3;" : "=r"(r[0]) : "r"(x), "r"(y), "r"(z));
  asm("vabsdiff.s32.s32.s32.sat.min %0, %1, %2, %3;" : "=r"(r[1]) : "r"(x), "r"(y), "r"(z));
  asm("vshr.u32.s32.u32.clamp.add %0, %1.h1, %2.b0, %3;" : "=r"(r[2]) : "r"(x), "r"(y), "r"(z));
  asm("vshr.s32.u32.u32.wrap %0.h0, %1, %2, %3;" : "=r"(r[3]) : "r"(x), "r"(y), "r"(z));
  asm("vset.s32.u32.lt.add %0, %1.b3, %2.h0, %3;" : "=r"(r[4]) : "r"(x), "r"(y), "r"(z));
  asm("vset.u32.u32.ge %0.b1, %1, %2, %3;" : "=r"(r[5]) : "r"(x), "r"(y), "r"(z));
  asm("vadd2.s32.u32.s32.sat %0.h10, %1, %2.h32, %3;" : "=r"(r[6]) : "r"(x), "r"(y), "r"(z));
  asm("vsub2.u32.s32.u32.add %0.h1, %1.h20, %2, %3;" : "=r"(r[7]) : "r"(x), "r"(y), "r"(z));
  asm("vabsdiff2.u32.s32.s32.add %0, %1, %2.h13, %3;" : "=r"(r[8]) : "r"(x), "r"(y), "r"(z));
  asm("vmin2.s32.s32.u32 %0, %1, %2, %3;" : "=r"(r[9]) : "r"(x), "r"(y), "r"(z));
  asm("vmax2.u32.u32.u32.add %0.h0, %1, %2, %3;" : "=r"(r[10]) : "r"(x), "r"(y), "r"(z));
  unsigned t;
  asm("vset2.s32.s32.le %0, %1, %2, %3;" : "=r"(t) : "r"(x), "r"(y), "r"(z));
  asm("vmin4.s32.u32.s32.add %0.b310, %1, %2.b4321, %3;" : "=r"(r[11]) : "r"(x), "r"(y), "r"(t));
}

extern "C" __global__ void forms_texture(cudaTextureObject_t image, const float2 *at, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = at[i].x, y = at[i].y;
  unsigned *r = out + 14 * i;
  asm volatile("tex.2d.v2.f16x2.f32 {%0, %1}, [%2, {%3, %4}];" : "=r"(r[0]), "=r"(r[1]) : "l"(image), "f"(x), "f"(y));
  asm volatile("tex.level.2d.v2.f16x2.f32 {%0, %1}, [%2, {%3, %4}], %5;" : "=r"(r[2]), "=r"(r[3]) : "l"(image), "f"(y), "f"(x), "f"(0.0f));
  asm volatile("tex.level.2d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7;" : "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(image), "f"(x), "f"(y), "f"(0.0f));
  asm volatile("tex.grad.2d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {%7, %8}, {%8, %7};" : "=r"(r[8]), "=r"(r[9]), "=r"(r[10]), "=r"(r[11]) : "l"(image), "f"(x), "f"(y), "f"(0.5f), "f"(0.25f));
  asm volatile("txq.level.width.b32 %0, [%1], 0;" : "=r"(r[12]) : "l"(image));
  asm volatile("txq.level.height.b32 %0, [%1], 0;" : "=r"(r[13]) : "l"(image));
}

/// A block of 64 threads. The barrier expects 66 arrivals in its first phase, and 64 in its second.
extern "C" __global__ void forms_mbarrier(const unsigned *in, unsigned *out) {
  __shared__ __align__(8) unsigned long long bar;
  __shared__ unsigned words[64];
  int t = threadIdx.x;
  unsigned at = (unsigned)__cvta_generic_to_shared(&bar), done, found = 0, left = 0;
  unsigned long long state;
  if (t == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 66;" ::"r"(at) : "memory");
    asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 2;" : "=l"(state) : "r"(at) : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(found) : "l"(state));
    asm volatile("mbarrier.arrive_drop.noComplete.shared.b64 %0, [%1], 1;" : "=l"(state) : "r"(at) : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(left) : "l"(state));
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 128;" ::"r"(at) : "memory");
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 128;" ::"r"(at) : "memory");
  }
  __syncthreads();
  words[t] = in[blockIdx.x * 64 + t];
  if (t < 62) asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
  if (t == 62) {
    asm volatile("mbarrier.arrive_drop.expect_tx.shared.b64 %0, [%1], 16;" : "=l"(state) : "r"(at) : "memory");
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 16;" ::"r"(at) : "memory");
  }
  // No thread reads thread 63's word before the second phase.
  do {
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");
  } while (!done);
  unsigned first = words[(t * 5 + 1) % 63];
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
  do {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at), "l"(state) : "memory");
  } while (!done);
  unsigned second = words[63 - t];
  __syncthreads();
  if (t == 0) asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at) : "memory");
  unsigned *r = out + 4 * (blockIdx.x * 64 + t);
  r[0] = first, r[1] = second, r[2] = found, r[3] = left;
}

/// Hints, which change nothing, around a copy of 16 bytes per thread.
extern "C" __global__ void forms_hints(const uint4 *in, uint4 *out) {
  __shared__ uint4 tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  unsigned long long policy;
  unsigned at = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %0, [%1], 512, 1024;" : "=l"(policy) : "l"(in));
  if (threadIdx.x == 0) {
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(in + blockIdx.x * 64));
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], 1024;" ::"l"(in + blockIdx.x * 64));
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(out + blockIdx.x * 64) : "memory");
  }
  __syncthreads();
  unsigned first;
  asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(first) : "l"(in + i), "l"(policy));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(at), "l"(in + i) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  uint4 word = tile[threadIdx.x];
  word.y += first;
  out[i] = word;
  asm volatile("griddepcontrol.launch_dependents;");
}

/// Every operand has few distinct values, so sums are exact in any order.
extern "C" __global__ void forms_mma(const unsigned *in, unsigned *out) {
  unsigned w[6], *r = out + 14 * threadIdx.x;
  for (int i = 0; i < 6; i++) w[i] = in[6 * threadIdx.x + i];
  unsigned h[4];
  for (int i = 0; i < 4; i++) h[i] = (w[i] & 0x82008200u) | 0x3c003c00u;
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %12, %12, %12, %12, %12, %12, %12};"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "r"(h[0]), "r"(h[1]), "r"(h[2]), "r"(h[3]), "r"(0x3f000000));
  unsigned e[6];
  for (int i = 0; i < 6; i++) e[i] = (w[i] & 0x84848484u) | 0x38383838u;
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
               : "=r"(r[8]), "=r"(r[9]), "=r"(r[10]), "=r"(r[11]) : "r"(e[0]), "r"(e[1]), "r"(e[2]), "r"(e[3]), "r"(e[4]), "r"(e[5]), "r"(0x40000000));
  asm volatile("mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32 {%0, %1}, {%2}, {%3}, {%4, %5};" : "=r"(r[12]), "=r"(r[13]) : "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]));
}
