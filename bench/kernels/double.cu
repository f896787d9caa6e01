// f64 forces between bodies.

/// Accelerations of `n` bodies (x, y, z and mass), one thread per body. Each block reads all
/// bodies, 128 at a time, through shared memory.
extern "C" __global__ void nbody(const double4_16a *bodies, double *out, unsigned n) {
  __shared__ double4_16a tile[128];
  unsigned own = blockIdx.x * 128 + threadIdx.x;
  double4_16a body = bodies[own];
  double ax = 0, ay = 0, az = 0;
  for (unsigned first = 0; first < n; first += 128) {
    tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
    for (unsigned i = 0; i < 128; i++) {
      double dx = tile[i].x - body.x, dy = tile[i].y - body.y, dz = tile[i].z - body.z;
      double square = fma(dx, dx, fma(dy, dy, fma(dz, dz, 1.0 / 1024)));
      double weight = tile[i].w / (square * sqrt(square));
      ax = fma(dx, weight, ax);
      ay = fma(dy, weight, ay);
      az = fma(dz, weight, az);
    }
    __syncthreads();
  }
  out[own * 3] = ax;
  out[own * 3 + 1] = ay;
  out[own * 3 + 2] = az;
}

/// Converts words to f64 numbers of at most 24 bits from -1 to 1.
extern "C" __global__ void to_double(const int *in, double *out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (in[i] >> 8) * (1.0 / 8388608);
}
