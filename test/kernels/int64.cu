// 64-bit integers.

typedef unsigned long long u64;
typedef long long s64;

/// Products: low and high halves, signed and unsigned, and the folded 128-bit square.
extern "C" __global__ void wide_multiply(const u64 *a, const u64 *b, u64 *low, u64 *high, s64 *signedHigh, u64 *folded) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  u64 x = a[i], y = b[i];
  low[i] = x * y;
  high[i] = __umul64hi(x, y);
  signedHigh[i] = __mul64hi((s64)x, (s64)y);
  unsigned __int128 square = (unsigned __int128)x * x;
  folded[i] = (u64)square ^ (u64)(square >> 64);
}

/// Quotients and remainders; a zero divisor is replaced by 1.
extern "C" __global__ void wide_divide(const u64 *a, const u64 *b, u64 *quotient, u64 *remainder, s64 *signedQuotient, s64 *signedRemainder) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  u64 x = a[i], y = b[i] ? b[i] : 1;
  quotient[i] = x / y;
  remainder[i] = x % y;
  s64 z = (s64)y == -1 ? 2 : (s64)y;
  signedQuotient[i] = (s64)x / z;
  signedRemainder[i] = (s64)x % z;
}

/// Shifts by 0 to 63, rotations, and larger shift counts, which PTX's shl and shr clamp.
extern "C" __global__ void wide_shift(const u64 *a, const unsigned *by, u64 *left, u64 *right, s64 *arithmetic, u64 *rotated) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  u64 x = a[i];
  unsigned s = by[i];
  asm("shl.b64 %0, %1, %2;" : "=l"(left[i]) : "l"(x), "r"(s));
  asm("shr.u64 %0, %1, %2;" : "=l"(right[i]) : "l"(x), "r"(s));
  asm("shr.s64 %0, %1, %2;" : "=l"(arithmetic[i]) : "l"(x), "r"(s));
  s &= 63;
  rotated[i] = (x << s) | (x >> (64 - s & 63));
}

/// Comparisons, minimum, maximum, absolute value, negation, selection.
extern "C" __global__ void wide_compare(const s64 *a, const s64 *b, s64 *out, unsigned *flags) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s64 x = a[i], y = b[i];
  u64 ux = x, uy = y;
  flags[i] = (x < y) | (x <= y) << 1 | (x == y) << 2 | (x > y) << 3 | (ux < uy) << 4 | (ux >= uy) << 5 | (x != y) << 6;
  s64 r = min(x, y) ^ (max(x, y) << 1);
  r += (s64)(min(ux, uy) >> 3) - (s64)(max(ux, uy) >> 5);
  r ^= llabs(x) - (-y);
  out[i] = r;
}

/// Bit counting and reversal on 64 bits.
extern "C" __global__ void wide_bits(const u64 *in, int *counts, u64 *reversed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  u64 x = in[i];
  counts[i] = __popcll(x) + 100 * __clzll((s64)x) + 10000 * __ffsll((s64)x);
  reversed[i] = __brevll(x);
}

/// Conversions between widths, and f32 from and to 64-bit integers.
extern "C" __global__ void wide_convert(const s64 *in, const float *real, s64 *narrowed, float *floats, s64 *whole, u64 *unsignedWhole) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s64 x = in[i];
  narrowed[i] = (s64)(signed char)x + (s64)(short)(x >> 8) * 3 + (s64)(int)(x >> 16) * 5 + (s64)(unsigned)x + (unsigned char)(x >> 40);
  floats[2 * i] = __ll2float_rn(x);
  floats[2 * i + 1] = __ull2float_rz((u64)x);
  whole[i] = __float2ll_rz(real[i]);
  unsignedWhole[i] = __float2ull_rn(real[i]);
}

/// 128-bit sums and differences with carries, and their comparison.
extern "C" __global__ void wide_carry(const ulonglong2 *a, const ulonglong2 *b, ulonglong2 *sum, ulonglong2 *difference) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  ulonglong2 x = a[i], y = b[i], s, d;
  asm("add.cc.u64 %0, %2, %4;\n\taddc.u64 %1, %3, %5;" : "=l"(s.x), "=l"(s.y) : "l"(x.x), "l"(x.y), "l"(y.x), "l"(y.y));
  unsigned __int128 p = (unsigned __int128)x.y << 64 | x.x, q = (unsigned __int128)y.y << 64 | y.x;
  unsigned __int128 r = p > q ? p - q : q - p;
  d.x = (u64)r;
  d.y = (u64)(r >> 64);
  sum[i] = s;
  difference[i] = d;
}

/// Shuffles, votes and reductions of 64-bit values.
extern "C" __global__ void wide_warp(const u64 *in, u64 *out, unsigned *matches) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  u64 v = in[i], sum = v;
  for (int m = 16; m; m >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, m);
  u64 before = __shfl_up_sync(0xffffffffu, v, 3);
  out[i] = sum ^ (lane >= 3 ? before << 1 : 0);
  int all;
  matches[i] = __match_any_sync(0xffffffffu, v & ~0xffull) + __popc(__match_all_sync(0xffffffffu, v >> 60, &all)) + all;
}
