// Integer loops of data-dependent length.

/// Collatz: the steps to 1 and the highest value reached (64 bits).
extern "C" __global__ void collatz(const unsigned *in, unsigned *steps, unsigned long long *peak, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = in[i], top = v;
  unsigned k = 0;
  while (v != 1) {
    v = v & 1 ? 3 * v + 1 : v >> 1;
    if (v > top) top = v;
    k++;
  }
  steps[i] = k;
  peak[i] = top;
}

/// The longest Collatz run of a warp and its lane: a packed 64-bit maximum by shuffles.
extern "C" __global__ void collatz_longest(unsigned first, unsigned *length, unsigned *number) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = first + i, k = 0;
  for (unsigned long long w = v; w != 1; k++) w = w % 2 ? 3 * w + 1 : w / 2;
  unsigned long long best = ((unsigned long long)k << 32) | ~v;
  for (int d = 16; d; d >>= 1) {
    unsigned long long other = __shfl_down_sync(0xffffffffu, best, d);
    best = other > best ? other : best;
  }
  if ((i & 31) == 0) {
    length[i >> 5] = (unsigned)(best >> 32);
    number[i >> 5] = ~(unsigned)best;
  }
}

/// Greatest common divisors: Euclid with %, and Stein with shifts and clz/ctz; both must agree.
extern "C" __global__ void gcd_pairs(const unsigned *a, const unsigned *b, unsigned *euclid, unsigned *stein, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i], y = b[i];
  while (y) {
    unsigned r = x % y;
    x = y;
    y = r;
  }
  euclid[i] = x;
  x = a[i], y = b[i];
  unsigned g;
  if (x == 0 || y == 0) g = x | y;
  else {
    int twos = __ffs(x | y) - 1;
    x >>= __ffs(x) - 1;
    do {
      y >>= __ffs(y) - 1;
      if (x > y) {
        unsigned t = x;
        x = y;
        y = t;
      }
      y -= x;
    } while (y);
    g = x << twos;
  }
  stein[i] = g;
}

/// A bitmap of the primes among 32 numbers per warp: trial division, then one ballot.
extern "C" __global__ void prime_bitmap(unsigned first, unsigned *bitmap) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = first + i;
  bool prime = v >= 2;
  for (unsigned d = 2; prime && d * d <= v; d += 1 + (d & 1)) prime = v % d != 0;
  unsigned mask = __ballot_sync(0xffffffffu, prime);
  if ((i & 31) == 0) bitmap[i >> 5] = mask;
}

/// base^exponent mod m with 64-bit products.
extern "C" __global__ void power_mod(const unsigned *base, const unsigned *exponent, unsigned *out, unsigned m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long b = base[i] % m, r = 1 % m;
  for (unsigned e = exponent[i]; e; e >>= 1) {
    if (e & 1) r = r * b % m;
    b = b * b % m;
  }
  out[i] = (unsigned)r;
}

/// Integer square roots, bit by bit, of u32 and of u64.
extern "C" __global__ void integer_sqrt(const unsigned long long *in, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = in[i], root = 0, bit = 1ull << 62;
  while (bit > v) bit >>= 2;
  while (bit) {
    if (v >= root + bit) {
      v -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
    bit >>= 2;
  }
  out[i] = (unsigned)root;
}
