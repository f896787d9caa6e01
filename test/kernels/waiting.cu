// Lanes and warps that wait for each other through memory: locks, tickets, semaphores, rings,
// flags. Every thread makes progress on its own from sm_70 on, and these kernels depend on it.
// Each of them is free of races, and its results do not depend on the order of the threads.

/// How a flag is accessed.
/// - Volatile: volatile loads and stores, atomics without an order, fences
/// - Relaxed: relaxed loads, stores and atomics at the block's scope, fences
/// - Acquire: acquire loads, release stores, and atomics of either order, at the GPU's scope
enum Form { Volatile, Relaxed, Acquire };

/// Which addresses the accesses have. Generic ones point to shared memory in even blocks and to
/// global memory in odd blocks.
enum Space { Shared, Global, Generic };

#define IN_SPACE(op, rest, outputs, ...)                                                                                  \
  if constexpr (space == Shared)                                                                                          \
    asm volatile(op ".shared" rest : outputs : "r"((unsigned)__cvta_generic_to_shared(at)), ##__VA_ARGS__ : "memory");    \
  else if constexpr (space == Global)                                                                                     \
    asm volatile(op ".global" rest : outputs : "l"(__cvta_generic_to_global(at)), ##__VA_ARGS__ : "memory");              \
  else                                                                                                                    \
    asm volatile(op rest : outputs : "l"(at), ##__VA_ARGS__ : "memory")

/// A word that threads wait for.
template <Form form, Space space> struct Flag {
  unsigned *at;

  static __device__ void fence() {
    if constexpr (form == Volatile) space == Shared ? __threadfence_block() : __threadfence();
    if constexpr (form == Relaxed) asm volatile("fence.acq_rel.cta;" ::: "memory");
  }

  __device__ unsigned load() const {
    unsigned value;
    if constexpr (form == Volatile) IN_SPACE("ld.volatile", ".u32 %0, [%1];", "=r"(value));
    if constexpr (form == Relaxed) IN_SPACE("ld.relaxed.cta", ".u32 %0, [%1];", "=r"(value));
    if constexpr (form == Acquire) IN_SPACE("ld.acquire.gpu", ".u32 %0, [%1];", "=r"(value));
    return value;
  }

  /// Publishes what this thread did before.
  __device__ void release(unsigned value) const {
    fence();
    if constexpr (form == Volatile) IN_SPACE("st.volatile", ".u32 [%0], %1;", , "r"(value));
    if constexpr (form == Relaxed) IN_SPACE("st.relaxed.cta", ".u32 [%0], %1;", , "r"(value));
    if constexpr (form == Acquire) IN_SPACE("st.release.gpu", ".u32 [%0], %1;", , "r"(value));
  }

  __device__ void wait_for(unsigned value) const {
    while (load() != value) {}
    fence();
  }

  /// Stores `value` if the word is `expected`. Returns whether it was.
  __device__ bool replace(unsigned expected, unsigned value) const {
    unsigned old;
    if constexpr (form == Volatile) IN_SPACE("atom", ".cas.b32 %0, [%1], %2, %3;", "=r"(old), "r"(expected), "r"(value));
    if constexpr (form == Relaxed) IN_SPACE("atom.relaxed.cta", ".cas.b32 %0, [%1], %2, %3;", "=r"(old), "r"(expected), "r"(value));
    if constexpr (form == Acquire) IN_SPACE("atom.acquire.gpu", ".cas.b32 %0, [%1], %2, %3;", "=r"(old), "r"(expected), "r"(value));
    return old == expected;
  }

  /// Publishes what this thread did before, and acquires what others published here.
  __device__ unsigned add(unsigned value) const {
    unsigned old;
    fence();
    if constexpr (form == Volatile) IN_SPACE("atom", ".add.u32 %0, [%1], %2;", "=r"(old), "r"(value));
    if constexpr (form == Relaxed) IN_SPACE("atom.relaxed.cta", ".add.u32 %0, [%1], %2;", "=r"(old), "r"(value));
    if constexpr (form == Acquire) IN_SPACE("atom.acq_rel.gpu", ".add.u32 %0, [%1], %2;", "=r"(old), "r"(value));
    fence();
    return old;
  }

  __device__ void lock() const {
    while (!replace(0, 1)) {}
    fence();
  }

  __device__ void unlock() const { release(0); }
};

/// A block's own words, initially 0.
template <Space space, int count> __device__ unsigned *words_of(unsigned *global) {
  global += blockIdx.x * count;
  if constexpr (space == Global) {
    return global;
  } else {
    __shared__ unsigned shared[count];
    for (int i = threadIdx.x; i < count; i += blockDim.x) shared[i] = 0;
    __syncthreads();
    return space == Generic && (blockIdx.x & 1) ? global : shared;
  }
}

/// Every thread takes the lock and updates words with ordinary accesses.
template <Form form, Space space> __device__ void lock(unsigned *global, unsigned *out, int rounds) {
  unsigned *words = words_of<space, 3>(global);
  Flag<form, space> flag{words};
  for (int r = 0; r < rounds; r++) {
    flag.lock();
    words[1] += 1;
    words[2] += (threadIdx.x + 1) * (r + 1);
    flag.unlock();
  }
  __syncthreads();
  if (threadIdx.x < 3) out[3 * blockIdx.x + threadIdx.x] = words[threadIdx.x];
}

extern "C" __global__ void wait_lock_lanes_shared(unsigned *words, unsigned *out, int rounds) { lock<Volatile, Shared>(words, out, rounds); }
extern "C" __global__ void wait_lock_lanes_global(unsigned *words, unsigned *out, int rounds) { lock<Acquire, Global>(words, out, rounds); }
extern "C" __global__ void wait_lock_block_global(unsigned *words, unsigned *out, int rounds) { lock<Relaxed, Global>(words, out, rounds); }
extern "C" __global__ void wait_lock_block_generic(unsigned *words, unsigned *out, int rounds) { lock<Acquire, Generic>(words, out, rounds); }

/// Tests the lock before it tries to take it, and works inside the loop.
extern "C" __global__ void wait_lock_tested(unsigned *global, unsigned *out, int rounds) {
  unsigned *words = words_of<Shared, 2>(global);
  Flag<Volatile, Shared> flag{words};
  for (int done = 0; done < rounds;) {
    if (flag.load() == 0 && flag.replace(0, 1)) {
      flag.fence();
      words[1] += threadIdx.x + done;
      flag.unlock();
      done++;
    }
  }
  __syncthreads();
  if (threadIdx.x < 2) out[2 * blockIdx.x + threadIdx.x] = words[threadIdx.x];
}

/// Every thread moves amounts between two of eight accounts and holds both accounts' locks.
extern "C" __global__ void wait_lock_pairs(const unsigned *moves, unsigned *out, int rounds) {
  unsigned *words = words_of<Shared, 16>(out);
  for (int r = 0; r < rounds; r++) {
    unsigned move = moves[r * blockDim.x + threadIdx.x];
    unsigned from = move & 7, to = (move >> 3) & 7;
    if (from == to) continue;
    Flag<Relaxed, Shared> low{words + min(from, to)}, high{words + max(from, to)};
    low.lock();
    high.lock();
    words[8 + from] -= move >> 6;
    words[8 + to] += move >> 6;
    high.unlock();
    low.unlock();
  }
  __syncthreads();
  if (threadIdx.x < 16) out[threadIdx.x] = words[threadIdx.x];
}

/// The first lane of each warp takes the lock; then all of its lanes update words of their own.
extern "C" __global__ void wait_lock_warps(unsigned *global, unsigned *out, int rounds) {
  unsigned *words = words_of<Shared, 33>(global);
  Flag<Acquire, Shared> flag{words + 32};
  unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int r = 0; r < rounds; r++) {
    if (lane == 0) flag.lock();
    __syncwarp();
    words[lane] += lane * (warp + 1) + r;
    __syncwarp();
    if (lane == 0) flag.unlock();
  }
  __syncthreads();
  if (threadIdx.x < 33) out[threadIdx.x] = words[threadIdx.x];
}

__device__ __noinline__ void take(unsigned *lock) {
  while (atomicCAS(lock, 0u, 1u) != 0) __nanosleep(20);
  __threadfence();
}

__device__ __noinline__ void give(unsigned *lock) {
  __threadfence();
  *(volatile unsigned *)lock = 0;
}

/// The lock is in two functions that do not know its address space.
extern "C" __global__ void wait_lock_called(unsigned *global, unsigned *out, int rounds) {
  unsigned *words = words_of<Generic, 3>(global);
  for (int r = 0; r < rounds; r++) {
    take(words);
    words[1] += threadIdx.x;
    words[2] ^= 1u << (threadIdx.x & 31);
    give(words);
  }
  __syncthreads();
  if (threadIdx.x < 3) out[3 * blockIdx.x + threadIdx.x] = words[threadIdx.x];
}

/// Every thread draws tickets and waits until they are served.
template <Form form, Space space> __device__ void tickets(unsigned *global, unsigned *out, int rounds) {
  unsigned *words = words_of<space, 4>(global);
  Flag<form, space> next{words}, serving{words + 1};
  for (int r = 0; r < rounds; r++) {
    unsigned mine = next.add(1);
    serving.wait_for(mine);
    words[2] = words[2] * 5 + 1;
    words[3] += threadIdx.x ^ r;
    serving.release(mine + 1);
  }
  __syncthreads();
  if (threadIdx.x < 4) out[4 * blockIdx.x + threadIdx.x] = words[threadIdx.x];
}

extern "C" __global__ void wait_ticket_lanes_shared(unsigned *words, unsigned *out, int rounds) { tickets<Volatile, Shared>(words, out, rounds); }
extern "C" __global__ void wait_ticket_block_global(unsigned *words, unsigned *out, int rounds) { tickets<Acquire, Global>(words, out, rounds); }

/// A ticket a warp, drawn and awaited by its first lane.
extern "C" __global__ void wait_ticket_warps_generic(unsigned *global, unsigned *out, int rounds) {
  unsigned *words = words_of<Generic, 34>(global);
  Flag<Relaxed, Generic> next{words + 32}, serving{words + 33};
  unsigned lane = threadIdx.x & 31;
  for (int r = 0; r < rounds; r++) {
    unsigned mine = 0;
    if (lane == 0) {
      mine = next.add(1);
      serving.wait_for(mine);
    }
    __syncwarp();
    words[lane] = words[lane] * 3 + lane;
    __syncwarp();
    if (lane == 0) serving.release(mine + 1);
  }
  __syncthreads();
  if (threadIdx.x < 34) out[34 * blockIdx.x + threadIdx.x] = words[threadIdx.x];
}

/// Threads take turns from the last to the first. Each one changes the value of the previous one.
template <Form form, Space space> __device__ void turns(unsigned *global, unsigned *out, int rounds) {
  unsigned *words = words_of<space, 2>(global);
  Flag<form, space> turn{words};
  for (int r = 0; r < rounds; r++) {
    turn.wait_for(r * blockDim.x + blockDim.x - 1 - threadIdx.x);
    words[1] = words[1] * 3 + threadIdx.x;
    out[(blockIdx.x * rounds + r) * blockDim.x + threadIdx.x] = words[1];
    turn.release(r * blockDim.x + blockDim.x - threadIdx.x);
  }
}

extern "C" __global__ void wait_turns_shared(unsigned *words, unsigned *out, int rounds) { turns<Relaxed, Shared>(words, out, rounds); }
extern "C" __global__ void wait_turns_generic(unsigned *words, unsigned *out, int rounds) { turns<Volatile, Generic>(words, out, rounds); }

template <Form form, Space space> __device__ void down(Flag<form, space> semaphore) {
  for (;;) {
    unsigned left = semaphore.load();
    if (left > 0 && semaphore.replace(left, left - 1)) break;
  }
  semaphore.fence();
}

/// At most three threads are inside at a time. The second word counts them, the third every excess.
extern "C" __global__ void wait_semaphore(unsigned *global, unsigned *out, int rounds) {
  unsigned *words = words_of<Shared, 4>(global);
  Flag<Volatile, Shared> semaphore{words}, inside{words + 1}, excess{words + 2}, sum{words + 3};
  if (threadIdx.x == 0) semaphore.release(3);
  __syncthreads();
  for (int r = 0; r < rounds; r++) {
    down(semaphore);
    if (inside.add(1) >= 3) excess.add(1);
    sum.add(threadIdx.x * (r + 1));
    inside.add(~0u);
    semaphore.add(1);
  }
  __syncthreads();
  if (threadIdx.x < 4) out[4 * blockIdx.x + threadIdx.x] = words[threadIdx.x];
}

/// Lanes of the first warp put items into four places, lanes of the second take them out. One
/// semaphore counts free places, one counts items, and a lock guards the places.
extern "C" __global__ void wait_semaphore_bounded(unsigned *words, unsigned *taken, int rounds) {
  Flag<Acquire, Global> free{words}, items{words + 1}, guard{words + 2};
  unsigned *head = words + 3, *tail = words + 4, *places = words + 5;
  if (threadIdx.x == 0) free.release(4);
  __syncthreads();
  bool puts = threadIdx.x < 32;
  for (int r = 0; r < rounds; r++) {
    down(puts ? free : items);
    guard.lock();
    if (puts) places[(*tail)++ & 3] = threadIdx.x * rounds + r;
    else taken[places[(*head)++ & 3]] += 1;
    guard.unlock();
    (puts ? items : free).add(1);
  }
  __syncthreads();
  if (threadIdx.x < 4) places[threadIdx.x] = 0;
}

/// The first warp puts rows into a ring of four, the second takes them out; every lane waits.
extern "C" __global__ void wait_ring_shared(const unsigned *in, unsigned *out, int rows) {
  __shared__ unsigned ring[4][32];
  __shared__ unsigned counts[64];
  unsigned lane = threadIdx.x & 31;
  Flag<Volatile, Shared> put{counts + lane}, taken{counts + 32 + lane};
  counts[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int r = 0; r < rows; r++) {
      while (r - (int)taken.load() >= 4) {}
      taken.fence();
      ring[r & 3][lane] = in[r * 32 + lane] * 3;
      put.release(r + 1);
    }
  } else {
    unsigned sum = 0;
    for (int r = 0; r < rows; r++) {
      while ((int)put.load() <= r) {}
      put.fence();
      sum += ring[r & 3][lane] ^ r;
      taken.release(r + 1);
      out[r * 32 + lane] = sum;
    }
  }
}

/// As above in global memory. Only the first lane of a warp waits, and lanes take other lanes' words.
extern "C" __global__ void wait_ring_global(const unsigned *in, unsigned *words, unsigned *out, int rows) {
  unsigned *ring = words + 2;
  Flag<Acquire, Global> put{words}, taken{words + 1};
  unsigned lane = threadIdx.x & 31;
  if (threadIdx.x < 32) {
    for (int r = 0; r < rows; r++) {
      if (lane == 0)
        while (r - (int)taken.load() >= 4) {}
      __syncwarp();
      ring[(r & 3) * 32 + lane] = in[r * 32 + lane];
      __syncwarp();
      if (lane == 0) put.release(r + 1);
    }
  } else {
    for (int r = 0; r < rows; r++) {
      if (lane == 0)
        while ((int)put.load() <= r) {}
      __syncwarp();
      out[r * 32 + lane] = ring[(r & 3) * 32 + (lane ^ 5)] + r;
      __syncwarp();
      if (lane == 0) taken.release(r + 1);
    }
  }
}

/// A ring between two lanes of one warp: the higher lane puts, the lower one takes.
extern "C" __global__ void wait_ring_lanes(const unsigned *in, unsigned *global, unsigned *out, int items) {
  unsigned *words = words_of<Generic, 4>(global);
  Flag<Relaxed, Generic> put{words}, taken{words + 1};
  if (threadIdx.x == 21) {
    for (int r = 0; r < items; r++) {
      while (r - (int)taken.load() >= 2) {}
      taken.fence();
      words[2 + (r & 1)] = in[r] + blockIdx.x;
      put.release(r + 1);
    }
  } else if (threadIdx.x == 3) {
    for (int r = 0; r < items; r++) {
      while ((int)put.load() <= r) {}
      put.fence();
      out[blockIdx.x * items + r] = words[2 + (r & 1)] * 7;
      taken.release(r + 1);
    }
  }
}

/// Four warps fill a mailbox each; the fifth empties them in turn.
extern "C" __global__ void wait_producers_warps(const unsigned *in, unsigned *out, int rounds) {
  __shared__ unsigned boxes[4][32];
  unsigned *full = words_of<Shared, 4>(out);
  unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (warp < 4) {
    Flag<Acquire, Shared> mine{full + warp};
    for (int r = 0; r < rounds; r++) {
      if (lane == 0) mine.wait_for(0);
      __syncwarp();
      boxes[warp][lane] = in[(r * 4 + warp) * 32 + lane];
      __syncwarp();
      if (lane == 0) mine.release(1);
    }
  } else {
    for (int r = 0; r < rounds; r++) {
      unsigned sum = 0;
      for (int from = 0; from < 4; from++) {
        Flag<Acquire, Shared> box{full + from};
        if (lane == 0) box.wait_for(1);
        __syncwarp();
        sum = sum * 9 + boxes[from][31 - lane];
        __syncwarp();
        if (lane == 0) box.release(0);
      }
      out[r * 32 + lane] = sum;
    }
  }
}

/// Four lanes put items into one queue at places that they draw. A fifth lane takes them out.
extern "C" __global__ void wait_producers_lanes(unsigned *words, unsigned *out, int each) {
  Flag<Volatile, Global> tail{words};
  if (threadIdx.x < 4) {
    for (int r = 0; r < each; r++) {
      unsigned at = tail.add(1);
      words[1 + 2 * at] = threadIdx.x * 100 + r;
      Flag<Volatile, Global>{words + 2 + 2 * at}.release(1);
    }
  } else if (threadIdx.x == 4) {
    unsigned seen[4] = {0, 0, 0, 0};
    for (int at = 0; at < 4 * each; at++) {
      Flag<Volatile, Global>{words + 2 + 2 * at}.wait_for(1);
      unsigned item = words[1 + 2 * at];
      // The items of one lane arrive in their order.
      for (int from = 0; from < 4; from++)
        if (item / 100 == from) seen[from] = seen[from] * 3 + item % 100 + 1;
      words[1 + 2 * at] = 0;
    }
    for (int from = 0; from < 4; from++) out[from] = seen[from];
  }
}

/// A tree of flags: each thread waits for the two children, then adds their sums to its number.
template <Form form, Space space> __device__ unsigned tree_up(unsigned *flags, unsigned *sums, unsigned own) {
  unsigned sum = own;
  for (unsigned below = 2 * threadIdx.x + 1; below <= 2 * threadIdx.x + 2 && below < blockDim.x; below++) {
    Flag<form, space>{flags + below}.wait_for(1);
    sum += sums[below] * 2;
  }
  sums[threadIdx.x] = sum;
  Flag<form, space>{flags + threadIdx.x}.release(1);
  return sum;
}

/// Each thread waits for its parent, then changes the parent's value.
template <Form form, Space space> __device__ unsigned tree_down(unsigned *flags, unsigned *values, unsigned own, unsigned before) {
  unsigned value = own;
  if (threadIdx.x > 0) {
    unsigned above = (threadIdx.x - 1) / 2;
    Flag<form, space>{flags + above}.wait_for(before + 1);
    value += values[above] * 3;
  }
  values[threadIdx.x] = value;
  Flag<form, space>{flags + threadIdx.x}.release(before + 1);
  return value;
}

extern "C" __global__ void wait_tree_up(const unsigned *in, unsigned *global, unsigned *out) {
  unsigned *words = words_of<Shared, 128>(global);
  out[threadIdx.x] = tree_up<Relaxed, Shared>(words, words + 64, in[threadIdx.x]);
}

extern "C" __global__ void wait_tree_down(const unsigned *in, unsigned *words, unsigned *out) {
  out[threadIdx.x] = tree_down<Acquire, Global>(words, words + blockDim.x, in[threadIdx.x], 0);
}

/// Up and down again: no thread continues before all have arrived.
extern "C" __global__ void wait_tree_both(const unsigned *in, unsigned *global, unsigned *out) {
  unsigned *words = words_of<Generic, 192>(global);
  unsigned sum = tree_up<Volatile, Generic>(words, words + 64, in[threadIdx.x]);
  out[blockIdx.x * blockDim.x + threadIdx.x] = tree_down<Volatile, Generic>(words, words + 128, sum, 1);
}

/// Two threads exchange a number repeatedly; each changes it.
template <Form form, Space space> __device__ void ping_pong(unsigned *global, unsigned *out, unsigned first, unsigned second, int rounds) {
  unsigned *words = words_of<space, 2>(global);
  Flag<form, space> turn{words};
  if (threadIdx.x != first && threadIdx.x != second) return;
  unsigned me = threadIdx.x == second;
  for (int r = 0; r < rounds; r++) {
    turn.wait_for(2 * r + me);
    unsigned value = words[1] * 3 + 1 + me;
    words[1] = value;
    out[(blockIdx.x * rounds + r) * 2 + me] = value;
    turn.release(2 * r + me + 1);
  }
}

extern "C" __global__ void wait_ping_pong_shared(unsigned *words, unsigned *out, int first, int second, int rounds) { ping_pong<Volatile, Shared>(words, out, first, second, rounds); }
extern "C" __global__ void wait_ping_pong_global(unsigned *words, unsigned *out, int first, int second, int rounds) { ping_pong<Relaxed, Global>(words, out, first, second, rounds); }
extern "C" __global__ void wait_ping_pong_generic(unsigned *words, unsigned *out, int first, int second, int rounds) { ping_pong<Acquire, Generic>(words, out, first, second, rounds); }

/// Every thread sends a number to another thread and waits for one from it.
template <Form form, Space space> __device__ void both_ways(const unsigned *in, unsigned *global, unsigned *out, unsigned distance) {
  unsigned *words = words_of<space, 128>(global);
  words[64 + threadIdx.x] = in[threadIdx.x] * 5;
  Flag<form, space>{words + threadIdx.x}.release(1);
  unsigned other = threadIdx.x ^ distance;
  Flag<form, space>{words + other}.wait_for(1);
  out[threadIdx.x] = words[64 + other] - in[threadIdx.x];
}

extern "C" __global__ void wait_both_ways_shared(const unsigned *in, unsigned *words, unsigned *out, int distance) { both_ways<Acquire, Shared>(in, words, out, distance); }
extern "C" __global__ void wait_both_ways_global(const unsigned *in, unsigned *words, unsigned *out, int distance) { both_ways<Volatile, Global>(in, words, out, distance); }

/// The second warp waits for the first. All threads load the same word, and its value depends on
/// the warp; a branch on it leads to one of two barriers.
template <Form form, Space space> __device__ void warps_in_turn(unsigned *global, unsigned *out) {
  unsigned *words = words_of<space, 66>(global);
  Flag<form, space> flag{words};
  if (threadIdx.x >= 32) flag.wait_for(1);
  unsigned x = words[1];
  __syncwarp();
  if ((threadIdx.x & 31) == 0) {
    words[1] = x + 1;
    flag.release(1);
  }
  unsigned seen;
  asm volatile(
      "{\n.reg .pred p;\n.reg .u32 other;\nsetp.eq.u32 p, %1, 0;\n@p bra A;\n"
      "st.u32 [%2], 100;\nbar.sync 0;\nld.u32 other, [%3];\nadd.u32 %0, other, 1;\nbra B;\n"
      "A:\nst.u32 [%2], 200;\nbar.sync 0;\nld.u32 %0, [%3];\nB:\n}"
      : "=r"(seen)
      : "r"(x), "l"(words + 2 + threadIdx.x), "l"(words + 2 + (threadIdx.x ^ 37))
      : "memory");
  out[2 * threadIdx.x] = x;
  out[2 * threadIdx.x + 1] = seen;
}

extern "C" __global__ void wait_warps_in_turn_shared(unsigned *words, unsigned *out) { warps_in_turn<Volatile, Shared>(words, out); }
extern "C" __global__ void wait_warps_in_turn_global(unsigned *words, unsigned *out) { warps_in_turn<Relaxed, Global>(words, out); }

/// A barrier of a counter and a phase, for which every thread waits.
extern "C" __global__ void wait_barrier_by_hand(const unsigned *in, unsigned *words, unsigned *out, int rounds) {
  Flag<Acquire, Global> count{words}, phase{words + 1};
  unsigned *values = words + 2;
  unsigned value = in[threadIdx.x];
  for (int r = 0; r < rounds; r++) {
    values[(r & 1) * blockDim.x + threadIdx.x] = value;
    if (count.add(1) == blockDim.x - 1) {
      words[0] = 0;
      phase.release(r + 1);
    } else {
      phase.wait_for(r + 1);
    }
    value = value * 2 + values[(r & 1) * blockDim.x + (threadIdx.x + 1 + r) % blockDim.x];
  }
  out[threadIdx.x] = value;
}

/// One lane waits; the others read the flag and the data with weak loads after the warp's barrier.
extern "C" __global__ void wait_weak_after_barrier(const unsigned *in, unsigned *out, int rounds) {
  __shared__ unsigned rows[8][32];
  unsigned *flags = words_of<Shared, 8>(out);
  unsigned lane = threadIdx.x & 31;
  for (int r = 0; r < rounds; r++) {
    Flag<Relaxed, Shared> flag{flags + r};
    if (threadIdx.x < 32) {
      rows[r][lane] = in[r * 32 + lane];
      __syncwarp();
      if (lane == r) flag.release(lane + 5);
    } else {
      if (lane == 7) flag.wait_for(r + 5);
      __syncwarp();
      out[r * 32 + lane] = rows[r][(lane + 1) & 31] * flags[r];
    }
  }
}

/// Weak loads in a loop see what another thread stored when a barrier of the block orders them.
extern "C" __global__ void wait_weak_rounds(const unsigned *in, unsigned *words, unsigned *out) {
  unsigned rounds = 0;
  for (;;) {
    __syncthreads();
    unsigned seen = words[0];
    __syncthreads();
    if (seen != 0) break;
    if (threadIdx.x == in[1] && rounds == in[0]) words[0] = rounds + 1;
    rounds++;
  }
  out[threadIdx.x] = rounds + threadIdx.x;
}
