// Test data generated on the device: the same words on every machine.

/// Word i is a hash of i and the seed. A `limit` other than 0 takes it modulo `limit`; `unit` makes
/// it an f32 from -1 to 1.
extern "C" __global__ void fill(unsigned *out, unsigned n, unsigned seed, unsigned limit, unsigned unit) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned x = i * 0x9e3779b1u + seed;
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    x ^= x >> 16;
    if (limit != 0) x %= limit;
    // 24 bits, which are exact in f32.
    if (unit != 0) x = __float_as_uint((float)((int)x >> 8) * 1.1920928955078125e-7f);
    out[i] = x;
  }
}
