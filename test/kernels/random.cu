// Random number generators.

/// xorshift32 and xorshift128 after `steps` steps.
extern "C" __global__ void rng_xorshift(const unsigned *seed, unsigned *small, uint4 *large, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = seed[i];
  uint4 s = make_uint4(x, x ^ 0x9e3779b9u, ~x, x * 69069u + 1u);
  for (int k = 0; k < steps; k++) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    unsigned t = s.w;
    s.w = s.z;
    s.z = s.y;
    s.y = s.x;
    t ^= t << 11;
    t ^= t >> 8;
    s.x = t ^ s.x ^ (s.x >> 19);
  }
  small[i] = x;
  large[i] = s;
}

/// Philox 4x32-10; the thread's index is the counter.
extern "C" __global__ void rng_philox(uint4 *out, unsigned key0, unsigned key1, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint4 c = make_uint4(i, 0x12345678u, i * 7, 0xdeadbeefu);
#pragma unroll
  for (int r = 0; r < 10; r++) {
    unsigned h0 = __umulhi(0xd2511f53u, c.x), l0 = 0xd2511f53u * c.x;
    unsigned h1 = __umulhi(0xcd9e8d57u, c.z), l1 = 0xcd9e8d57u * c.z;
    c = make_uint4(h1 ^ c.y ^ key0, l1, h0 ^ c.w ^ key1, l0);
    key0 += 0x9e3779b9u;
    key1 += 0xbb67ae85u;
  }
  out[i] = c;
}

/// PCG-XSH-RR 64/32: `draws` outputs of each thread's own stream, as floats of [0, 1).
extern "C" __global__ void rng_pcg32(const unsigned long long *seed, float *out, int draws, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long state = seed[i], increment = 2ull * i + 1;
  for (int k = 0; k < draws; k++) {
    unsigned long long old = state;
    state = old * 6364136223846793005ull + increment;
    unsigned x = (unsigned)(((old >> 18) ^ old) >> 27);
    unsigned r = __funnelshift_r(x, x, (unsigned)(old >> 59));
    out[k * n + i] = (r >> 8) * (1.0f / 16777216.0f);
  }
}

/// Monte Carlo: points inside the quarter circle, counted by ballots and one atomic per warp.
extern "C" __global__ void rng_pi(unsigned *inside, unsigned seed, int rounds) {
  unsigned x = seed + blockIdx.x * blockDim.x + threadIdx.x;
  x = (x ^ 61) ^ (x >> 16), x *= 9, x ^= x >> 4, x *= 0x27d4eb2d, x ^= x >> 15;
  unsigned hits = 0;
  for (int k = 0; k < rounds; k++) {
    x = x * 1664525u + 1013904223u;
    unsigned a = x >> 16;
    x = x * 1664525u + 1013904223u;
    unsigned b = x >> 16;
    hits += __popc(__ballot_sync(0xffffffffu, (unsigned long long)a * a + (unsigned long long)b * b < 0x100000000ull));
  }
  if ((threadIdx.x & 31) == 0) atomicAdd(inside, hits);
}
