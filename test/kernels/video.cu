// Inner loops of a codec, in video instructions: motion search, half-sample interpolation,
// reconstruction, edges, colors.

/// The sum of absolute differences of a 16 by 16 block and each candidate of a search window. A
/// warp has one row of candidates, and shuffles find its best one. A word has four samples.
extern "C" __global__ void video_motion(const unsigned *current, const unsigned *reference, int2 *best, int pitch, int range) {
  int lane = threadIdx.x & 31, candidate = blockIdx.x;
  unsigned sum = 0;
  int shift = (lane % range) * 8 % 32, column = (lane % range) / 4;
  for (int y = 0; y < 16; y++)
    for (int x = 0; x < 4; x++) {
      const unsigned *row = reference + (candidate + y) * pitch + column + x;
      unsigned moved = __funnelshift_r(row[0], row[1], shift);
      asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %0;" : "+r"(sum) : "r"(current[y * 4 + x]), "r"(moved));
    }
  unsigned key = lane < range ? sum << 8 | lane : 0xffffffffu;
  for (int m = 16; m > 0; m >>= 1) key = min(key, __shfl_xor_sync(0xffffffffu, key, m));
  if (lane == 0) best[candidate] = make_int2(key >> 8, key & 255);
}

/// Averages of adjacent rows, and of 16-bit halves; the second are signed.
extern "C" __global__ void video_halfpel(const unsigned *in, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = in[i], b = in[(i + 1) % n], c = in[(i + 5) % n], d;
  asm("vavrg4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  out[i] = d;
  asm("vavrg4.s32.s32.s32 %0.b31, %1.b0123, %2.b7564, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  out[i + n] = d;
  asm("vavrg2.s32.s32.s32.add %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  out[i + 2 * n] = d;
}

/// Prediction plus signed residual, clipped to samples, and the residual again.
extern "C" __global__ void video_reconstruct(const unsigned *prediction, const unsigned *residual, unsigned *samples, unsigned *error, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned p = prediction[i], r = residual[i], s, e;
  asm("vadd4.u32.u32.s32.sat %0, %1, %2, %1;" : "=r"(s) : "r"(p), "r"(r));
  asm("vsub4.s32.u32.u32.sat %0, %1, %2, %1;" : "=r"(e) : "r"(s), "r"(p));
  samples[i] = s;
  error[i] = e;
}

/// The maximum of two rows if they differ by more than a limit, otherwise their average; and the
/// number of such samples in a warp.
extern "C" __global__ void video_edges(const unsigned *a, const unsigned *b, unsigned *out, unsigned *counts, unsigned limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = a[i], y = b[i], difference, is, count, average, most;
  asm("vabsdiff4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(difference) : "r"(x), "r"(y), "r"(0));
  asm("vset4.u32.u32.gt %0, %1, %2, %3;" : "=r"(is) : "r"(difference), "r"(limit * 0x1010101u), "r"(0));
  asm("vset4.u32.u32.gt.add %0, %1, %2, %3;" : "=r"(count) : "r"(difference), "r"(limit * 0x1010101u), "r"(0));
  asm("vavrg4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(average) : "r"(x), "r"(y), "r"(0));
  asm("vmax4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(most) : "r"(x), "r"(y), "r"(0));
  unsigned mask = is * 255u;
  out[i] = (most & mask) | (average & ~mask);
  for (int m = 16; m > 0; m >>= 1) count += __shfl_xor_sync(0xffffffffu, count, m);
  if ((threadIdx.x & 31) == 0) counts[i / 32] = count;
}

/// Packed luma and chroma to colors, by parts of registers: products in fixed point, scaled by
/// 2^-7, clipped, and stored in their bytes.
extern "C" __global__ void video_colours(const unsigned *yuv, unsigned *rgb, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned word = yuv[i], result = 0;
  int luma, u, v, base, red, green, blue;
  asm("vsub.s32.u32.u32 %0, %1.b0, %2;" : "=r"(luma) : "r"(word), "r"(16));
  asm("vsub.s32.u32.u32 %0, %1.b1, %2;" : "=r"(u) : "r"(word), "r"(128));
  asm("vsub.s32.u32.u32 %0, %1.b2, %2;" : "=r"(v) : "r"(word), "r"(128));
  asm("vmad.s32.s32.s32 %0, %1, %2, %3;" : "=r"(base) : "r"(luma), "r"(149), "r"(64));
  asm("vmad.s32.s32.s32.shr7 %0, %1, %2, %3;" : "=r"(red) : "r"(v), "r"(204), "r"(base));
  asm("vmad.s32.s32.s32 %0, -%1, %2, %3;" : "=r"(green) : "r"(v), "r"(104), "r"(base));
  asm("vmad.s32.s32.s32.sat.shr7 %0, -%1, %2, %3;" : "=r"(green) : "r"(u), "r"(50), "r"(green));
  asm("vmad.s32.s32.s32.shr7 %0, %1, %2, %3;" : "=r"(blue) : "r"(u), "r"(258), "r"(base));
#define PUT(value, part)                                                            \
  asm("vmax.s32.s32.s32 %0, %0, 0;" : "+r"(value));                                 \
  asm("vmin.s32.s32.s32 %0, %0, 255;" : "+r"(value));                               \
  asm("vadd.u32.u32.u32 %0." part ", %1.b0, 0, %0;" : "+r"(result) : "r"(value))
  PUT(red, "b0");
  PUT(green, "b1");
  PUT(blue, "b2");
  asm("vshl.u32.u32.u32.wrap %0.b3, %1.b3, 1, %0;" : "+r"(result) : "r"(word));
  rgb[i] = result;
}
