// Atomics of f64, halves, pairs and vectors.

typedef unsigned long long u64;
typedef unsigned short u16;

/// Sums of every floating type, each thread in its own cells, with every class of operands.
extern "C" __global__ void float_atomics(const u64 *operands, u64 *doubles, unsigned *floats, u16 *halves, u16 *brains,
                                         unsigned *halfPairs, unsigned *brainPairs, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u64 b = operands[i], was;
  unsigned word = (unsigned)(b >> 32), seen;
  u16 half = (u16)(b >> 48), old;
  asm volatile("atom.global.add.f64 %0, [%1], %2;" : "=l"(was) : "l"(doubles + i), "l"(b) : "memory");
  asm volatile("atom.global.add.f32 %0, [%1], %2;" : "=r"(seen) : "l"(floats + i), "r"(word) : "memory");
  asm volatile("atom.global.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(halves + i), "h"(half) : "memory");
  asm volatile("red.global.add.noftz.bf16 [%0], %1;" ::"l"(brains + i), "h"(half) : "memory");
  asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(halfPairs + i), "r"(word) : "memory");
  asm volatile("atom.global.add.noftz.bf16x2 %0, [%1], %2;" : "=r"(seen) : "l"(brainPairs + i), "r"(word) : "memory");
}

/// The same in shared memory.
extern "C" __global__ void float_atomics_shared(const u64 *operands, u64 *doubles, unsigned *floats, u16 *halves,
                                                int n) {
  __shared__ u64 aDouble[64];
  __shared__ unsigned aFloat[64];
  __shared__ u16 aHalf[64];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i >= n) return;
  aDouble[t] = doubles[i], aFloat[t] = floats[i], aHalf[t] = halves[i];
  u64 b = operands[i], was;
  unsigned word = (unsigned)(b >> 32), seen;
  u16 half = (u16)(b >> 48);
  asm volatile("atom.shared.add.f64 %0, [%1], %2;" : "=l"(was) : "r"((unsigned)__cvta_generic_to_shared(aDouble + t)), "l"(b) : "memory");
  asm volatile("atom.shared.add.f32 %0, [%1], %2;" : "=r"(seen) : "r"((unsigned)__cvta_generic_to_shared(aFloat + t)), "r"(word) : "memory");
  asm volatile("red.shared.add.noftz.f16 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(aHalf + t)), "h"(half) : "memory");
  doubles[i] = aDouble[t], floats[i] = aFloat[t], halves[i] = aHalf[t];
}

/// Sums of integers, exact in any order: f64 through shared memory and directly, vectors of f32,
/// pairs of halves.
extern "C" __global__ void sums_by_type(const double *in, double *sums, float *quads, unsigned *pairs, int n) {
  __shared__ double total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double v = in[i];
    atomicAdd(&total, v);
    atomicAdd(&sums[1 + (i & 1)], v * 0x1p-30);
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(quads + 4 * (i & 1)), "f"((float)(i & 7)), "f"(1.0f),
                 "f"(-(float)(i & 3)), "f"(0.5f) : "memory");
    asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(pairs + (i & 1)), "r"(0x40003c00u) : "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&sums[0], total);
}

/// Adjacent 16-bit counters, by compare-and-swap.
extern "C" __global__ void counters16(u16 *counters, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u16 *counter = counters + i % 3, old = *(volatile u16 *)counter, assumed;
  do {
    assumed = old;
    old = atomicCAS(counter, assumed, (u16)(assumed + 1 + i % 3 * 256));
  } while (old != assumed);
}
