// Atomic operations. A kernel stores old values only if they do not depend on the order of threads.

typedef unsigned long long u64;

/// Every 32-bit operation on global memory, most lanes of a warp on one address.
extern "C" __global__ void atomics_global(const unsigned *in, unsigned *cells, int *signedCells, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i];
  atomicAdd(&cells[0], v);
  atomicSub(&cells[1], v);
  atomicMin(&cells[2], v);
  atomicMax(&cells[3], v);
  atomicAnd(&cells[4], v | 0xf0000000u);
  atomicOr(&cells[5], v & 0x0f0f0f0fu);
  atomicXor(&cells[6], v);
  atomicInc(&cells[7], 9);
  atomicDec(&cells[8], 13);
  atomicMin(&signedCells[0], (int)v);
  atomicMax(&signedCells[1], (int)v);
}

/// The same on shared memory, and its final values.
extern "C" __global__ void atomics_shared(const unsigned *in, unsigned *out, int n) {
  __shared__ unsigned cell[9];
  __shared__ int least, most;
  if (threadIdx.x < 9) cell[threadIdx.x] = threadIdx.x == 2 || threadIdx.x == 4 ? 0xffffffffu : 0;
  if (threadIdx.x == 9) least = 0x7fffffff;
  if (threadIdx.x == 10) most = -0x7fffffff;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned v = in[i];
    atomicAdd(&cell[0], v);
    atomicSub(&cell[1], v);
    atomicMin(&cell[2], v);
    atomicMax(&cell[3], v);
    atomicAnd(&cell[4], v | 0xf0000000u);
    atomicOr(&cell[5], v & 0x0f0f0f0fu);
    atomicXor(&cell[6], v);
    atomicInc(&cell[7], 9);
    atomicDec(&cell[8], 13);
    atomicMin(&least, (int)v);
    atomicMax(&most, (int)v);
  }
  __syncthreads();
  if (threadIdx.x < 9) out[blockIdx.x * 11 + threadIdx.x] = cell[threadIdx.x];
  if (threadIdx.x == 0) out[blockIdx.x * 11 + 9] = least;
  if (threadIdx.x == 0) out[blockIdx.x * 11 + 10] = most;
}

/// 64-bit add, min, max, bit operations, exchange and compare-and-swap.
extern "C" __global__ void atomics_wide(const u64 *in, u64 *cells, long long *signedCells, u64 *own, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u64 v = in[i];
  atomicAdd(&cells[0], v);
  atomicMin(&cells[1], v);
  atomicMax(&cells[2], v);
  atomicAnd(&cells[3], v | 0xff00ff00ff000000ull);
  atomicOr(&cells[4], v & 0x00ff00000000ff00ull);
  atomicXor(&cells[5], v);
  atomicMin(&signedCells[0], (long long)v);
  atomicMax(&signedCells[1], (long long)v);
  u64 old = atomicExch(&own[i], v + 1);
  u64 seen = atomicCAS(&own[i], v + (i & 1), old ^ v);
  atomicAdd(&own[i], seen);
}

/// f32 sums of integers, which are exact in any order, in global and in shared memory.
extern "C" __global__ void atomics_float(const float *in, float *sums, int n) {
  __shared__ float total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&sums[i & 3], in[i]);
    atomicAdd(&total, in[i] * 0.5f);
  }
  __syncthreads();
  if (threadIdx.x == 0) sums[4 + blockIdx.x] = total;
}

/// f32 maximum by a compare-and-swap loop, and a product by another.
extern "C" __global__ void atomics_cas_loop(const float *in, float *most, unsigned *product, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i];
  int *word = (int *)most, old = *(volatile int *)word;
  while (__int_as_float(old) < v) {
    int seen = atomicCAS(word, old, __float_as_int(v));
    if (seen == old) break;
    old = seen;
  }
  unsigned factor = 2u * i + 1, was = *(volatile unsigned *)product, assumed;
  do {
    assumed = was;
    was = atomicCAS(product, assumed, assumed * factor);
  } while (was != assumed);
}

/// One ticket per thread. Tickets are a permutation, so the marked elements are the same in any
/// order.
extern "C" __global__ void atomics_tickets(unsigned *next, unsigned *taken, unsigned *last, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned ticket = atomicAdd(next, 1u);
  atomicAdd(&taken[ticket], 1u);
  __threadfence();
  unsigned done = atomicInc(last, n - 1);
  if (done == n - 1) taken[n] = 77;
}

/// Each block acquires and releases a lock with exch and cas; the count that it guards is exact.
extern "C" __global__ void atomics_lock(int *lock, volatile int *guarded, int rounds) {
  if (threadIdx.x == 0)
    for (int k = 0; k < rounds; k++) {
      while (atomicCAS(lock, 0, 1) != 0) {}
      __threadfence();
      *guarded = *guarded + (int)blockIdx.x + 1;
      __threadfence();
      atomicExch(lock, 0);
    }
}
