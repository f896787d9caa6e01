// Scans with decoupled look-back, as in CUB before version 2.0. The descriptor of a tile is a vector
// of its status and its sum. Blocks load and store it at once, with weak instructions (`.cg`), and
// poll the descriptors of earlier tiles. A fence of the block precedes each load.
static const unsigned ALL = 0xffffffffu;

/// The status of a tile: its sum is unknown, its own sum is known, or the sum up to its end is.
static const unsigned UNKNOWN = 0, OWN = 1, TOTAL = 2;

template <typename Number> struct Descriptor { Number status, sum; };

__device__ void store(Descriptor<unsigned> *to, Descriptor<unsigned> value) {
  asm volatile("st.global.cg.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(value.status), "r"(value.sum) : "memory");
}

__device__ void store(Descriptor<unsigned long long> *to, Descriptor<unsigned long long> value) {
  asm volatile("st.global.cg.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(value.status), "l"(value.sum) : "memory");
}

__device__ Descriptor<unsigned> load(const Descriptor<unsigned> *from) {
  Descriptor<unsigned> value;
  asm volatile("ld.global.cg.v2.u32 {%0, %1}, [%2];" : "=r"(value.status), "=r"(value.sum) : "l"(from) : "memory");
  return value;
}

__device__ Descriptor<unsigned long long> load(const Descriptor<unsigned long long> *from) {
  Descriptor<unsigned long long> value;
  asm volatile("ld.global.cg.v2.u64 {%0, %1}, [%2];" : "=l"(value.status), "=l"(value.sum) : "l"(from) : "memory");
  return value;
}

template <typename Number> __device__ Number sum_of_warp(Number value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(ALL, value, step);
  return value;
}

/// The sum of all tiles before this one. One warp looks back at 32 tiles at a time.
template <typename Number> __device__ Number look_back(const Descriptor<Number> *tiles, unsigned tile, unsigned lane) {
  Number sum = 0;
  for (int at = (int)tile - 1 - (int)lane;; at -= 32) {
    // Before the first tile, the sum is zero.
    Descriptor<Number> found = {TOTAL, 0};
    do {
      __threadfence_block();
      if (at >= 0) found = load(&tiles[at]);
    } while (__any_sync(ALL, found.status == UNKNOWN));
    unsigned ends = __ballot_sync(ALL, found.status == TOTAL);
    // The tiles up to the nearest one that knows the sum up to its end.
    bool needed = ((ends ^ (ends - 1)) >> lane & 1) != 0;
    sum += sum_of_warp(needed ? found.sum : Number(0));
    if (ends != 0) return sum;
  }
}

/// The inclusive prefix sums of `n` numbers. Each thread has one number, and each block one tile.
template <typename Number>
__device__ void scan(const unsigned *in, Descriptor<Number> *tiles, Number *out, int n) {
  __shared__ Number sums[2], before;
  unsigned thread = threadIdx.x, lane = thread & 31, warp = thread / 32, tile = blockIdx.x;
  int at = tile * blockDim.x + thread;
  // The factor exceeds 32 bits, so the upper halves of wide sums differ.
  Number value = at < n ? in[at] * Number(0x300000005ull) : Number(0);
  for (int step = 1; step < 32; step *= 2) {
    Number other = __shfl_up_sync(ALL, value, step);
    if (lane >= step) value += other;
  }
  if (lane == 31) sums[warp] = value;
  __syncthreads();
  if (warp == 1) value += sums[0];
  if (warp == 0) {
    Number own = sums[0] + sums[1];
    if (lane == 0) store(&tiles[tile], {tile == 0 ? TOTAL : OWN, own});
    Number sum = tile == 0 ? Number(0) : look_back(tiles, tile, lane);
    if (lane == 0 && tile != 0) store(&tiles[tile], {TOTAL, sum + own});
    if (lane == 0) before = sum;
  }
  __syncthreads();
  if (at < n) out[at] = before + value;
}

extern "C" __global__ void look_back_pairs(const unsigned *in, Descriptor<unsigned> *tiles, unsigned *out, int n) {
  scan(in, tiles, out, n);
}

extern "C" __global__ void look_back_wide(const unsigned *in, Descriptor<unsigned long long> *tiles, unsigned long long *out, int n) {
  scan(in, tiles, out, n);
}
