// The generator Philox4x32-10 (Salmon and others, "Parallel random numbers", 2011): ten rounds of a
// keyed function of a counter.
#pragma once

struct curandStatePhilox4_32_10 : lanewise::KeptNumbers {
  uint4 counter;
  uint2 key;
  // The index of the next number of the counter's four.
  unsigned used;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

namespace lanewise {

__device__ inline uint4 philox(uint4 c, uint2 key) {
#pragma nounroll
  for (int round = 0; round < 10; round++) {
    const unsigned long long x = 0xd2511f53ull * c.x, z = 0xcd9e8d57ull * c.z;
    c = {(unsigned)(z >> 32) ^ c.y ^ key.x, (unsigned)z, (unsigned)(x >> 32) ^ c.w ^ key.y, (unsigned)x};
    key = {key.x + 0x9e3779b9, key.y + 0xbb67ae85};
  }
  return c;
}
__device__ inline unsigned component(uint4 v, unsigned index) {
  return index < 2 ? (index == 0 ? v.x : v.y) : index == 2 ? v.z : v.w;
}
// Adds `n` to the counter from `low` on, and returns the carry.
__device__ inline bool philox_advance(unsigned &low, unsigned &high, unsigned long long n) {
  const unsigned long long before = ((unsigned long long)high << 32) | low, after = before + n;
  low = (unsigned)after;
  high = (unsigned)(after >> 32);
  return after < before;
}

}  // namespace lanewise

static __device__ inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *state) {
  lanewise::philox_advance(state->counter.z, state->counter.w, n);
}
static __device__ inline void skipahead(unsigned long long n, curandStatePhilox4_32_10 *state) {
  state->used += (unsigned)n & 3;
  const unsigned long long counters = (n >> 2) + (state->used >> 2);
  state->used &= 3;
  if (lanewise::philox_advance(state->counter.x, state->counter.y, counters)) skipahead_sequence(1, state);
}
static __device__ inline void curand_init(unsigned long long seed, unsigned long long sequence,
                                          unsigned long long offset, curandStatePhilox4_32_10 *state) {
  *state = {{}, {}, {(unsigned)seed, (unsigned)(seed >> 32)}, 0};
  skipahead_sequence(sequence, state);
  skipahead(offset, state);
}
static __device__ inline unsigned curand(curandStatePhilox4_32_10 *state) {
  const unsigned number = lanewise::component(lanewise::philox(state->counter, state->key), state->used);
  skipahead(1, state);
  return number;
}
// The next four numbers.
static __device__ inline uint4 curand4(curandStatePhilox4_32_10 *state) {
  const uint4 first = lanewise::philox(state->counter, state->key);
  skipahead(4, state);
  if (state->used == 0) return first;
  const uint4 next = lanewise::philox(state->counter, state->key);
  unsigned numbers[4];
  for (unsigned i = 0; i < 4; i++) {
    const unsigned at = state->used + i;
    numbers[i] = at < 4 ? lanewise::component(first, at) : lanewise::component(next, at - 4);
  }
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}
