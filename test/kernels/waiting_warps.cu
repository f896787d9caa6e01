// Warps that wait for each other through global memory, and execute a warp instruction in each
// iteration of the wait: a vote, a shuffle or a barrier of the warp. Each kernel is free of races,
// and its results do not depend on the order of the threads.

constexpr unsigned warp = 0xffffffff;

/// The second warp votes whether the first warp has stored all words.
extern "C" __global__ void wait_vote_words(const unsigned *in, unsigned *words, unsigned *out) {
  unsigned lane = threadIdx.x & 31;
  volatile unsigned *mine = words + lane;
  if (threadIdx.x < 32) {
    unsigned value = in[lane];
    for (unsigned i = in[lane] % 7; i > 0; i--) value = value * 3 + 1;
    *mine = value | 1;
  } else {
    unsigned seen;
    do seen = *mine; while (__any_sync(warp, seen == 0));
    out[lane] = seen + __reduce_add_sync(warp, seen);
  }
}

/// Two warps exchange a number repeatedly. One lane loads the flag, and a shuffle broadcasts it.
/// Each block has its own flags, at block scope.
extern "C" __global__ void wait_shuffled_flag(unsigned *words, unsigned *out, int rounds) {
  unsigned lane = threadIdx.x & 31, me = threadIdx.x / 32;
  unsigned *flag = words + 66 * blockIdx.x, *values = flag + 2;
  unsigned sum = lane;
  for (int r = 0; r < rounds; r++) {
    unsigned seen = 0;
    do {
      if (lane == 0) asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
      seen = __shfl_sync(warp, seen, 0);
    } while (seen != 2 * r + me);
    sum = sum * 3 + values[32 * (1 - me) + (lane + r) % 32];
    values[threadIdx.x] = sum + r;
    __syncwarp();
    if (lane == 0) asm volatile("st.release.cta.u32 [%0], %1;" :: "l"(flag), "r"(2 * r + me + 1) : "memory");
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Warps take turns by a ticket. All lanes load the number, and the barrier of the warp is in the loop.
extern "C" __global__ void wait_ticket_of_warp(unsigned *words, unsigned *out, int rounds) {
  unsigned lane = threadIdx.x & 31, me = threadIdx.x / 32, warps = blockDim.x / 32;
  unsigned *serving = words, *values = words + 1;
  for (int r = 0; r < rounds; r++) {
    unsigned seen;
    do {
      asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(serving) : "memory");
      __syncwarp();
    } while (seen != r * warps + me);
    unsigned value = values[lane];
    __syncwarp();
    values[(lane + 1) % 32] = value * 5 + me;
    out[threadIdx.x] = value;
    __syncwarp();
    if (lane == 0) asm volatile("st.release.gpu.u32 [%0], %1;" :: "l"(serving), "r"(seen + 1) : "memory");
  }
}

/// A lock that a warp acquires: one lane tries, and a vote informs the others. The sum does not
/// depend on the order.
extern "C" __global__ void wait_lock_of_warp(unsigned *words, int rounds) {
  unsigned lane = threadIdx.x & 31;
  for (int r = 0; r < rounds; r++) {
    bool taken;
    do taken = lane == r % 32 && atomicCAS(words, 0, 1) == 0; while (!__any_sync(warp, taken));
    __threadfence();
    words[1 + lane] += threadIdx.x + r;
    __threadfence();
    __syncwarp();
    if (lane == r % 32) atomicExch(words, 0);
  }
}

/// Warps wait for the previous one by a vote over two flags, both of which are needed.
extern "C" __global__ void wait_both_flags(const unsigned *in, unsigned *words, unsigned *out) {
  unsigned lane = threadIdx.x & 31, me = threadIdx.x / 32;
  volatile unsigned *flags = words;
  unsigned *values = words + 64;
  if (me > 0) {
    for (;;) {
      bool ready = flags[2 * me - 2 + (lane & 1)] == me;
      if (__all_sync(warp, ready)) break;
    }
    __threadfence_block();
  }
  unsigned value = in[threadIdx.x] + (me > 0 ? values[(lane + 7) % 32 + 32 * (me - 1)] : 0);
  values[threadIdx.x] = value;
  __threadfence_block();
  __syncwarp();
  if (lane < 2) flags[2 * me + lane] = me + 1;
  out[threadIdx.x] = value;
}
