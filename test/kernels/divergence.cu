// Warp instructions in divergent lanes.

/// Each arm of a branch has its own ballot and shuffle with its own mask.
extern "C" __global__ void arms_own_mask(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, v = in[i];
  int r;
  if (lane % 3 == 0) {
    unsigned high = __ballot_sync(0x49249249u, v > 0);
    r = __popc(high) * 1000 + __shfl_sync(0x49249249u, v, (lane + 3) % 33);
  } else {
    unsigned low = __ballot_sync(0xb6db6db6u, v < 10);
    r = -(int)__popc(low) * 1000 + __shfl_sync(0xb6db6db6u, v, lane % 3 == 1 && lane < 31 ? lane + 1 : lane);
  }
  out[i] = r;
}

/// Both arms vote with the full mask: the votes of the two arms are one vote (sm_70 and later).
extern "C" __global__ void arms_shared_vote(const int *in, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  unsigned r;
  if (v & 1) {
    int k = v * 3;
    r = __ballot_sync(0xffffffffu, k > 50) * 2 + 1;
  } else {
    int k = v + 9;
    r = __ballot_sync(0xffffffffu, k > 20) ^ (unsigned)k;
  }
  out[i] = r;
}

/// Both arms shuffle with the full mask, and values cross between the arms.
extern "C" __global__ void arms_shared_shuffle(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, v = in[i];
  int r;
  if (lane < 11) {
    r = __shfl_sync(0xffffffffu, v * 2, 31 - lane) + 1;
  } else {
    r = __shfl_sync(0xffffffffu, v ^ 0x55, (lane * 7) & 31) - 1;
    if (v > 0) r = r * 2;
  }
  out[i] = r;
}

/// Nested branches; the inner masks come from ballots taken before the branch.
extern "C" __global__ void nested_masks(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  bool a = v % 2 == 0, b = v % 3 == 0;
  unsigned live = __ballot_sync(0xffffffffu, true), outer = __ballot_sync(0xffffffffu, a);
  int r;
  if (a) {
    unsigned inner = __ballot_sync(outer, b);
    if (b) r = __reduce_add_sync(inner, v);
    else r = __reduce_max_sync(outer & ~inner, v);
  } else {
    r = __reduce_xor_sync(live & ~outer, (unsigned)v) & 0xffff;
  }
  int all = __reduce_min_sync(live, r);
  if (i < n) out[i] = r * 2 + (all == r);
}

/// Lanes leave a loop at different times; the mask shrinks with each ballot.
extern "C" __global__ void loop_shrinking_mask(const int *trips, const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned mask = __ballot_sync(0xffffffffu, i < n);
  if (i >= n) return;
  int limit = trips[i], v = in[i], sum = 0;
  for (int k = 0;; k++) {
    mask = __ballot_sync(mask, k < limit);
    if (k >= limit) break;
    int leader = __ffs(mask) - 1;
    sum += __shfl_sync(mask, v + k, leader) + (leader == lane ? 100000 : 0);
  }
  out[i] = sum;
}

/// Lanes exit one after another; the remaining lanes still name all 32 in their mask.
extern "C" __global__ void exits_in_loop(const int *in, unsigned *out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  unsigned fold = 0;
  for (int k = 0; k < rounds; k++) {
    if (v % rounds == k) return;
    unsigned odd = __ballot_sync(0xffffffffu, (v >> k) & 1);
    fold = fold * 31 + odd + __any_sync(0xffffffffu, v == k) + 2 * __all_sync(0xffffffffu, v > k);
    out[i] = fold;
  }
}

/// The peel loop of old code: the lanes with the leader's key add their values and leave.
extern "C" __global__ void peel_by_key(const int *in, int *sums, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  if (i >= n) return;
  int key = in[i] & 7, v = in[i] >> 3;
  while (true) {
    unsigned active = __activemask();
    int leader = __ffs(active) - 1;
    int wanted = __shfl_sync(active, key, leader);
    unsigned same = __ballot_sync(active, key == wanted);
    if (key == wanted) {
      int sum = __reduce_add_sync(same, v);
      if (lane == __ffs(same) - 1) {
        atomicAdd(&sums[key], sum);
        atomicAdd(&counts[key], __popc(same));
      }
      break;
    }
  }
}

/// Threads beyond n exit before the barrier; the rest of the block still synchronizes there.
extern "C" __global__ void exit_before_barrier(const int *in, int *out, int n) {
  __shared__ int line[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  line[threadIdx.x] = in[i];
  __syncthreads();
  int count = min((int)blockDim.x, n - (int)(blockIdx.x * blockDim.x));
  out[i] = line[count - 1 - threadIdx.x];
}

/// 2-D and 3-D blocks: warps are consecutive in the linear thread order, not in rows.
extern "C" __global__ void block_shape(int *lanes, unsigned *ballots, int *sums) {
  int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  int b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  int at = b * (blockDim.x * blockDim.y * blockDim.z) + t;
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  int threads = blockDim.x * blockDim.y * blockDim.z, rest = threads - (t & ~31);
  unsigned mask = rest >= 32 ? 0xffffffffu : (1u << rest) - 1;
  ballots[at] = __ballot_sync(mask, threadIdx.x > threadIdx.y + threadIdx.z);
  sums[at] = __reduce_add_sync(mask, (int)(threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z));
  lanes[at] = lane * 1000 + (int)__popc(mask);
}
