// Escape-time loops: every lane leaves in a different iteration.

/// Mandelbrot iteration counts. Only mul, add and fma, so the results are exact wherever f32 is.
extern "C" __global__ void mandelbrot(unsigned short *out, int width, int height, float left, float top, float step, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float cr = left + x * step, ci = top - y * step;
  float zr = 0, zi = 0;
  int k = 0;
  while (k < limit && zr * zr + zi * zi < 4.0f) {
    float t = zr * zr - zi * zi + cr;
    zi = 2.0f * zr * zi + ci;
    zr = t;
    k++;
  }
  out[y * width + x] = (unsigned short)k;
}

/// A Julia set in 4.28 fixed point. __any_sync keeps the whole warp together, and the kernel stores
/// the escape mask.
extern "C" __global__ void julia_fixed(unsigned *steps, unsigned *escaped, int side, int cr, int ci, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = i % side, y = i / side;
  long long zr = ((long long)(x - side / 2) << 30) / side, zi = ((long long)(y - side / 2) << 30) / side;
  unsigned k = 0;
  bool out = false;
  for (int step = 0; step < limit && __any_sync(0xffffffffu, !out); step++) {
    long long rr = (zr * zr) >> 28, ii = (zi * zi) >> 28;
    out = out || rr + ii > (4ll << 28);
    if (out) continue;
    zi = ((2 * zr * zi) >> 28) + ci;
    zr = rr - ii + cr;
    k++;
  }
  unsigned mask = __ballot_sync(0xffffffffu, out);
  steps[i] = k;
  if ((threadIdx.x & 31) == 0) escaped[i >> 5] = mask;
}
