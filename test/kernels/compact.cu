// Stream compaction and partition.

/// Keeps the multiples of `k`, in order: one block, ballots and a scan of warp counts.
extern "C" __global__ void compact_block(const int *in, int *out, int *count, int n, int k) {
  __shared__ int warpCount[32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  int base = 0;
  for (int start = 0; start < n; start += blockDim.x) {
    int i = start + threadIdx.x;
    int v = i < n ? in[i] : 0;
    bool keep = i < n && v % k == 0;
    unsigned kept = __ballot_sync(0xffffffffu, keep);
    if (lane == 0) warpCount[warp] = __popc(kept);
    __syncthreads();
    int offset = base, total = 0;
    for (int w = 0; w < warps; w++) {
      if (w < warp) offset += warpCount[w];
      total += warpCount[w];
    }
    if (keep) out[offset + __popc(kept & ((1u << lane) - 1))] = v;
    base += total;
    __syncthreads();
  }
  if (threadIdx.x == 0) *count = base;
}

/// Partitions each warp's bytes: those below `pivot` first, then the others, both in order.
extern "C" __global__ void partition_bytes(const unsigned char *in, unsigned char *out, unsigned pivot) {
  int base = (blockIdx.x * blockDim.x + threadIdx.x) & ~31, lane = threadIdx.x & 31;
  unsigned v = in[base + lane];
  unsigned low = __ballot_sync(0xffffffffu, v < pivot);
  unsigned lanesBelow;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lanesBelow));
  int to = v < pivot ? __popc(low & lanesBelow) : __popc(low) + __popc(~low & lanesBelow);
  out[base + to] = (unsigned char)v;
}

/// Removes consecutive duplicates inside each warp (the neighbor by shfl.up).
extern "C" __global__ void unique_warp(const unsigned *in, unsigned *out, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned live = __ballot_sync(0xffffffffu, i < n);
  if (i >= n) return;
  unsigned v = in[i];
  unsigned before = __shfl_up_sync(live, v, 1);
  bool first = lane == 0 || v != before;
  unsigned firsts = __ballot_sync(live, first);
  if (first) out[(i & ~31) + __popc(firsts & ((1u << lane) - 1))] = v;
  if (lane == 0) counts[i >> 5] = __popc(firsts);
}
