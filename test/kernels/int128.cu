// Division of 128-bit integers. nvcc expands it into 64-bit steps in which addc reads the carry
// flag of a subtraction.

typedef unsigned long long u64;
typedef unsigned __int128 u128;
typedef __int128 s128;

__device__ u128 joined(ulonglong2 halves) { return (u128)halves.y << 64 | halves.x; }

__device__ ulonglong2 halves(u128 value) { return make_ulonglong2((u64)value, (u64)(value >> 64)); }

/// Quotients and remainders of unsigned numbers; a zero divisor is replaced by 1.
extern "C" __global__ void int128_divide(const ulonglong2 *a, const ulonglong2 *b, ulonglong2 *quotient, ulonglong2 *remainder) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  u128 x = joined(a[i]), y = joined(b[i]);
  if (y == 0) y = 1;
  quotient[i] = halves(x / y);
  remainder[i] = halves(x % y);
}

/// Signed division, rounded toward zero. A divisor of 0 or -1 is replaced by 2.
extern "C" __global__ void int128_divide_signed(const ulonglong2 *a, const ulonglong2 *b, ulonglong2 *quotient, ulonglong2 *remainder) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s128 x = (s128)joined(a[i]), y = (s128)joined(b[i]);
  if (y == 0 || y == -1) y = 2;
  quotient[i] = halves((u128)(x / y));
  remainder[i] = halves((u128)(x % y));
}
