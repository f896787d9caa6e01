// A hash table of 64-bit keys with open addressing, and a small kernel for repeated launches.
typedef unsigned long long u64;

__device__ unsigned place(u64 key, unsigned slots) { return (unsigned)((key * 0x9e3779b97f4a7c15ull) >> 32) & (slots - 1); }

/// Two words of `in` are a key. 0 is an empty slot and not a key.
__device__ u64 key_at(const uint2 *in, unsigned i) {
  uint2 words = in[i];
  return ((u64)words.y << 32 | words.x) | 1;
}

extern "C" __global__ void table_clear(u64 *table, unsigned *found, unsigned slots) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < slots) table[i] = 0;
  if (i < 2) found[i] = 0;
}

/// The order of insertion determines the places of keys but not their number: `count` is increased
/// for each new key.
extern "C" __global__ void table_insert(const uint2 *in, u64 *table, unsigned *count, unsigned n, unsigned slots) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  bool fresh = false;
  if (i < n) {
    u64 key = key_at(in, i);
    unsigned slot = place(key, slots);
    for (;;) {
      u64 was = atomicCAS(&table[slot], 0ull, key);
      fresh = was == 0;
      if (fresh || was == key) break;
      slot = (slot + 1) & (slots - 1);
    }
  }
  unsigned warp = __ballot_sync(0xffffffffu, fresh);
  if ((threadIdx.x & 31) == 0 && warp != 0) atomicAdd(count, __popc(warp));
}

/// Looks up each key from `first` on, and counts those found.
extern "C" __global__ void table_find(const uint2 *in, const u64 *table, unsigned *out, unsigned *count, unsigned first, unsigned n, unsigned slots) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  bool found = false;
  if (i < n) {
    u64 key = key_at(in, first + i);
    unsigned slot = place(key, slots);
    for (u64 was = table[slot]; was != 0; was = table[slot]) {
      found = was == key;
      if (found) break;
      slot = (slot + 1) & (slots - 1);
    }
    out[i] = found;
  }
  unsigned warp = __ballot_sync(0xffffffffu, found);
  if ((threadIdx.x & 31) == 0 && warp != 0) atomicAdd(count + 1, __popc(warp));
}

/// One step of a recurrence in every element.
extern "C" __global__ void small_step(const unsigned *in, unsigned *out, unsigned step) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * 1664525u + step;
}
