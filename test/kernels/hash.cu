// Hashes on 32- and 64-bit words and on bytes.

typedef unsigned long long u64;

/// FNV-1a of fixed-length byte strings, 64 bits.
extern "C" __global__ void hash_fnv1a(const unsigned char *bytes, u64 *out, int length, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u64 h = 0xcbf29ce484222325ull;
  for (int k = 0; k < length; k++) h = (h ^ bytes[i * length + k]) * 0x100000001b3ull;
  out[i] = h;
}

/// splitmix64 streams: the third output of each seed.
extern "C" __global__ void hash_splitmix(const u64 *seed, u64 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u64 state = seed[i], z = 0;
  for (int k = 0; k < 3; k++) {
    state += 0x9e3779b97f4a7c15ull;
    z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    z ^= z >> 31;
  }
  out[i] = z;
}

/// MurmurHash3 finalizers, 64 and 32 bits, and the xor of a warp's hashes.
extern "C" __global__ void hash_murmur(const u64 *in, u64 *wide, unsigned *narrow, u64 *folded) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  u64 k = in[i];
  k ^= k >> 33;
  k *= 0xff51afd7ed558ccdull;
  k ^= k >> 33;
  k *= 0xc4ceb9fe1a85ec53ull;
  k ^= k >> 33;
  unsigned h = (unsigned)in[i];
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  h ^= h >> 16;
  wide[i] = k;
  narrow[i] = h;
  for (int m = 1; m < 32; m <<= 1) k ^= __shfl_xor_sync(0xffffffffu, k, m);
  if ((threadIdx.x & 31) == 0) folded[i >> 5] = k;
}

__constant__ unsigned crcNibble[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

/// CRC-32 of byte strings, a nibble at a time from a constant table.
extern "C" __global__ void hash_crc32(const unsigned char *bytes, unsigned *out, int length, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned crc = 0xffffffffu;
  for (int k = 0; k < length; k++) {
    crc ^= bytes[i * length + k];
    crc = crc >> 4 ^ crcNibble[crc & 15];
    crc = crc >> 4 ^ crcNibble[crc & 15];
  }
  out[i] = ~crc;
}

__device__ __forceinline__ unsigned sigma(unsigned x, int a, int b, int c) {
  return __funnelshift_r(x, x, a) ^ __funnelshift_r(x, x, b) ^ (x >> c);
}

/// The SHA-256 message schedule of a block of 16 words: W[63] and the xor of all 64, from a ring in local memory.
extern "C" __global__ void hash_schedule(const unsigned *in, unsigned *last, unsigned *all) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned w[16], fold = 0;
  for (int t = 0; t < 16; t++) {
    w[t] = in[i * 16 + t];
    fold ^= w[t];
  }
#pragma unroll 1
  for (int t = 16; t < 64; t++) {
    unsigned v = sigma(w[(t - 2) & 15], 17, 19, 10) + w[(t - 7) & 15] + sigma(w[(t - 15) & 15], 7, 18, 3) + w[t & 15];
    w[t & 15] = v;
    fold ^= v;
  }
  last[i] = w[15];
  all[i] = fold;
}
