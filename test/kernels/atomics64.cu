// 64-bit atomics whose old values matter. The results are the same in any order of threads.

typedef unsigned long long u64;

/// One ticket per thread, from a counter that passes 2^32. Each ticket is drawn once. The largest
/// observed sum is the last one.
extern "C" __global__ void tickets64(u64 *next, u64 *most, unsigned *taken, u64 first, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u64 ticket = atomicAdd(next, 1ull);
  atomicMax(most, ticket + 1);
  u64 place = ticket - first;
  atomicAdd(&taken[place < n ? place : n], 1u);
}

/// The same with a counter in shared memory, one per block.
extern "C" __global__ void tickets64_shared(u64 *last, unsigned *taken, u64 first) {
  __shared__ u64 next, most;
  if (threadIdx.x == 0) next = first, most = 0;
  __syncthreads();
  u64 ticket = atomicAdd(&next, 1ull);
  atomicMax(&most, ticket + 1);
  u64 place = ticket - first;
  if (place < blockDim.x) atomicAdd(&taken[blockIdx.x * blockDim.x + place], 1u);
  __syncthreads();
  if (threadIdx.x == 0) last[2 * blockIdx.x] = next, last[2 * blockIdx.x + 1] = most;
}

/// A product and a bit mix by compare-and-swap loops that start from a plain load. Both commute.
/// Threads share `sets` sets of cells.
extern "C" __global__ void loops64(u64 *cells, unsigned sets, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  cells += 3 * (i % sets);
  u64 factor = 2ull * i + 0x100000001ull, old = cells[0], assumed;
  do {
    assumed = old;
    old = atomicCAS(&cells[0], assumed, assumed * factor);
  } while (old != assumed);
  u64 bits = factor * 0x9e3779b97f4a7c15ull;
  old = *(volatile u64 *)&cells[1];
  do {
    assumed = old;
    old = atomicCAS(&cells[1], assumed, assumed ^ bits);
  } while (old != assumed);
  // The least bit pattern. The loop ends early if the stored one is already lower.
  old = cells[2];
  while (bits < old) {
    assumed = old;
    old = atomicCAS(&cells[2], assumed, bits);
    if (old == assumed) break;
  }
}

/// A hash table of 64-bit items. The greater item stays and the lesser one moves on, so the
/// contents do not depend on the order of insertions.
extern "C" __global__ void hash_table64(const u64 *items, u64 *table, unsigned mask, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u64 item = items[i];
  unsigned at = (unsigned)((item * 0x9e3779b97f4a7c15ull) >> 40) & mask;
  while (item != 0) {
    u64 there = atomicAdd(&table[at], 0ull);
    if (there == item) break;
    if (there > item) {
      at = (at + 1) & mask;
      continue;
    }
    if (atomicCAS(&table[at], there, item) == there) {
      item = there;
      at = (at + 1) & mask;
    }
  }
}

/// A stack as a linked list. The head is a node number and a count of changes, so a node that was
/// removed and pushed again is not mistaken for its old self (the ABA problem). Every thread pushes
/// a node and pops one; each node is popped once. Threads share `stacks` stacks.
extern "C" __global__ void list64(u64 *head, unsigned *next, unsigned *popped, unsigned stacks, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  head += i % stacks;
  unsigned node = i + 1;
  u64 old = atomicAdd(head, 0ull), seen;
  for (;;) {
    atomicExch(&next[node], (unsigned)old);
    __threadfence();
    seen = atomicCAS(head, old, (old & 0xffffffff00000000ull) + 0x100000000ull + node);
    if (seen == old) break;
    old = seen;
  }
  old = atomicAdd(head, 0ull);
  for (;;) {
    node = (unsigned)old;
    if (node == 0) break;
    unsigned below = atomicAdd(&next[node], 0u);
    seen = atomicCAS(head, old, (old & 0xffffffff00000000ull) + 0x100000000ull + below);
    if (seen == old) break;
    old = seen;
  }
  atomicExch(&next[node], 0u);
  atomicAdd(&popped[node], 1u);
}

/// Each thread exchanges its value for another. Every value is returned once, except for the
/// remaining one, which the last thread takes.
extern "C" __global__ void exchange64(u64 *cell, unsigned *seen, unsigned *done, u64 first, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u64 old = atomicExch(cell, first + 1 + i);
  atomicAdd(&seen[old - first <= n ? old - first : n + 1], 1u);
  __threadfence();
  if (atomicAdd(done, 1u) == n - 1) {
    old = atomicExch(cell, 0ull);
    atomicAdd(&seen[old - first <= n ? old - first : n + 1], 1u);
  }
}

/// Some threads write values with matching halves, and others check the match: no thread sees a
/// torn value.
extern "C" __global__ void whole64(u64 *cells, unsigned *counts, int rounds, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u64 *cell = &cells[i & 3];
  unsigned torn = 0;
  for (int k = 0; k < rounds; k++) {
    unsigned low = i * 0x9e3779b1u + k;
    u64 whole = (u64)~low << 32 | low;
    u64 was;
    switch ((i >> 2) & 3) {
      case 0: asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(cell), "l"(whole) : "memory"); was = whole; break;
      case 1: was = atomicExch(cell, whole); break;
      default: asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(was) : "l"(cell) : "memory");
    }
    torn += (unsigned)(was >> 32) != ~(unsigned)was;
  }
  atomicAdd(&counts[0], torn);
  __threadfence();
  if (atomicAdd(&counts[1], 1u) == n - 1)
    for (int k = 0; k < 4; k++) atomicExch(&cells[k], 0ull);
}

__device__ __noinline__ u64 add_anywhere(u64 *cell, unsigned *word, u64 amount) {
  atomicInc(word, 6u);
  atomicMin((int *)word + 1, -(int)amount);
  return atomicAdd(cell, amount) + atomicCAS(word + 2, 0u, 5u);
}

/// The same updates of global or shared memory by the block's threads. Only the address determines
/// the space.
extern "C" __global__ void anywhere64(u64 *cells, unsigned *words, u64 *sums) {
  __shared__ u64 cell;
  __shared__ unsigned word[3];
  if (threadIdx.x == 0) cell = 0xffffff00ull, word[0] = 0, word[1] = 9, word[2] = 5;
  __syncthreads();
  bool odd = threadIdx.x & 1;
  u64 old = add_anywhere(odd ? &cell : &cells[0], odd ? word : words, threadIdx.x + 3);
  atomicMax(&sums[odd], old >> 20);
  __syncthreads();
  if (threadIdx.x == 0) {
    sums[2 + blockIdx.x] = cell;
    words[4 + blockIdx.x * 3] = word[0], words[5 + blockIdx.x * 3] = word[1], words[6 + blockIdx.x * 3] = word[2];
  }
}
