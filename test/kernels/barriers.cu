// Barriers with reductions, named barriers, and the barrier of a warp.

/// __syncthreads_count, _and and _or.
extern "C" __global__ void barrier_votes(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  int positive = __syncthreads_count(v > 0);
  int bounded = __syncthreads_and(v < 90);
  int marked = __syncthreads_or(v == 42);
  if (i < n) out[i] = positive * 100 + (bounded != 0) * 10 + (marked != 0);
}

/// Named barriers: the even and the odd warps synchronize separately, a different number of times.
extern "C" __global__ void barrier_named(const int *in, int *out) {
  __shared__ int line[2][64];
  int warp = threadIdx.x >> 5, side = warp & 1, t = (warp >> 1) * 32 + (threadIdx.x & 31);
  int v = in[blockIdx.x * 128 + threadIdx.x];
  for (int k = 0; k <= side; k++) {
    line[side][t] = v;
    asm volatile("bar.sync %0, 64;" ::"r"(side + 1) : "memory");
    v += line[side][63 - t] * 2;
    asm volatile("bar.sync %0, 64;" ::"r"(side + 1) : "memory");
  }
  out[blockIdx.x * 128 + threadIdx.x] = v;
}

/// Producers arrive, consumers wait: bar.arrive and bar.sync on the same two barriers.
extern "C" __global__ void barrier_producer(const int *in, int *out, int rounds) {
  __shared__ int slot[32];
  int lane = threadIdx.x & 31, sum = 0;
  bool producer = threadIdx.x < 32;
  for (int k = 0; k < rounds; k++) {
    if (producer) {
      slot[lane] = in[(blockIdx.x * rounds + k) * 32 + lane] * 2;
      asm volatile("bar.arrive 1, 64;" ::: "memory");
      asm volatile("bar.sync 2, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      sum += slot[31 - lane];
      asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  }
  if (!producer) out[blockIdx.x * 32 + lane] = sum;
}

/// bar.red on a named barrier by the first two warps only.
extern "C" __global__ void barrier_partial_votes(const int *in, int *out) {
  int v = in[threadIdx.x], count = -1, every = -1;
  if (threadIdx.x < 64) {
    asm volatile(
        "{\n\t.reg .pred p, q;\n\t"
        "setp.gt.s32 p, %2, 0;\n\t"
        "bar.red.popc.u32 %0, 3, 64, p;\n\t"
        "bar.red.and.pred q, 4, 64, !p;\n\t"
        "selp.s32 %1, 1, 0, q;\n\t}"
        : "=r"(count), "=r"(every)
        : "r"(v)
        : "memory");
  }
  out[threadIdx.x] = count * 10 + every;
}

/// __syncwarp orders a warp's accesses to shared memory, in halves with their own masks.
extern "C" __global__ void barrier_warp(const int *in, int *out) {
  __shared__ int line[128];
  int t = threadIdx.x, lane = t & 31, base = t & ~31;
  line[t] = in[t];
  __syncwarp();
  int v = line[base + (lane ^ 17)];
  __syncwarp();
  if (lane < 16) {
    line[t] = v + 1;
    __syncwarp(0x0000ffffu);
    v = line[base + 15 - lane];
  } else {
    line[t] = v * 3;
    __syncwarp(0xffff0000u);
    v = line[base + 47 - lane];
  }
  out[t] = v;
}

/// A double-buffered prefix sum with a barrier per step, in a loop bounded by the block size.
extern "C" __global__ void barrier_hillis_steele(const int *in, int *out) {
  __shared__ int buffer[2][128];
  int t = threadIdx.x, from = 0;
  buffer[0][t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int d = 1; d < blockDim.x; d <<= 1) {
    buffer[1 - from][t] = buffer[from][t] + (t >= d ? buffer[from][t - d] : 0);
    from = 1 - from;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + t] = buffer[from][t];
}

/// elect.sync: the machine chooses the leader, but the leader is always a single member of the
/// mask.
extern "C" __global__ void barrier_elect(unsigned *out) {
  unsigned mask = threadIdx.x & 1 ? 0xaaaaaaaau : 0x55555555u, leader, elected;
  asm volatile(
      "{\n\t.reg .pred p;\n\t"
      "elect.sync %0|p, %2;\n\t"
      "selp.u32 %1, 1, 0, p;\n\t}"
      : "=r"(leader), "=r"(elected)
      : "r"(mask));
  unsigned chosen = __ballot_sync(mask, elected);
  out[threadIdx.x] = __popc(chosen) * 4 + ((chosen & mask) == chosen) * 2 + (chosen == 1u << leader);
}
