// Reductions and counts: many inputs, few outputs.
static const unsigned ALL = 0xffffffffu;

/// The wrapping sum, in out[0], which starts at zero. Any grid.
extern "C" __global__ void reduce(const unsigned *in, unsigned *out, unsigned n) {
  __shared__ unsigned sums[32];
  unsigned sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int step = 16; step > 0; step >>= 1) sum += __shfl_down_sync(ALL, sum, step);
  unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < blockDim.x / 32 ? sums[lane] : 0;
    for (int step = 16; step > 0; step >>= 1) sum += __shfl_down_sync(ALL, sum, step);
    if (lane == 0) atomicAdd(out, sum);
  }
}

/// Counts of the four bytes of every word, into 256 bins that start at zero. Blocks of 256 threads, any grid.
extern "C" __global__ void histogram(const unsigned *in, unsigned *bins, unsigned n) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned word = in[i];
    for (int shift = 0; shift < 32; shift += 8) atomicAdd(&local[(word >> shift) & 255], 1);
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

/// Counts keys (below 8) in a table for each block number modulo 1024, with one atomic for all
/// equal keys of a warp. Blocks of 256 threads alternate over chunks of 1024 keys, which divide n.
extern "C" __global__ void aggregate(const unsigned *keys, unsigned *counts, unsigned n) {
  unsigned lane = threadIdx.x & 31, below = (1u << lane) - 1, table = (blockIdx.x & 1023) * 8;
  for (unsigned base = blockIdx.x * 1024; base < n; base += gridDim.x * 1024) {
    unsigned key[4];
#pragma unroll
    for (int i = 0; i < 4; i++) key[i] = keys[base + i * 256 + threadIdx.x];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      unsigned same = __match_any_sync(ALL, key[i]);
      // The lowest lane among those with the key.
      if ((same & below) == 0) atomicAdd(&counts[table + key[i]], __popc(same));
    }
  }
}

/// Keeps the even values of each tile of 1024, in order, at the tile's place in `out`. Blocks of 256 threads.
extern "C" __global__ void compact(const unsigned *in, unsigned *out, unsigned *counts) {
  __shared__ unsigned kept[32];
  unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5, base = blockIdx.x * 1024;
  unsigned value[4], ballot[4];
  for (int i = 0; i < 4; i++) {
    value[i] = in[base + i * 256 + threadIdx.x];
    ballot[i] = __ballot_sync(ALL, (value[i] & 1) == 0);
    if (lane == 0) kept[i * 8 + warp] = __popc(ballot[i]);
  }
  __syncthreads();
  if (warp == 0) {
    unsigned own = kept[lane], sum = own;
    for (int step = 1; step < 32; step <<= 1) {
      unsigned before = __shfl_up_sync(ALL, sum, step);
      if (lane >= step) sum += before;
    }
    kept[lane] = sum - own;
    if (lane == 31) counts[blockIdx.x] = sum;
  }
  __syncthreads();
  for (int i = 0; i < 4; i++) {
    unsigned rank = kept[i * 8 + warp] + __popc(ballot[i] & ((1u << lane) - 1));
    if ((value[i] & 1) == 0) out[base + rank] = value[i];
  }
}
