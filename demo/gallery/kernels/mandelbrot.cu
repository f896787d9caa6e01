// The Mandelbrot set: a warp for 8 x 4 pixels, which goes on until all of its lanes have voted to end.

constexpr unsigned all_lanes = 0xffffffffu;

/// Blocks of 8 x 32 threads. `steps` gets the steps after which each pixel left, or -1; `rounds` how many rounds of 16 steps its warp took.
extern "C" __global__ void mandelbrot(int width, int most, float left, float top, float size, int *steps, int *rounds) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  float cr = left + size * (float)x;
  float ci = top + size * (float)y;
  float r = 0.0f;
  float i = 0.0f;
  int left_at = -1;
  int round = 0;
  for (int step = 0; step < most; step += 16) {
    for (int k = 0; k < 16; k++) {
      float next = r * r - i * i + cr;
      i = 2.0f * r * i + ci;
      r = next;
      if (left_at < 0 && r * r + i * i > 4.0f) left_at = step + k;
      // What has left stays small: infinities take nothing with them.
      r = fminf(fmaxf(r, -8.0f), 8.0f);
      i = fminf(fmaxf(i, -8.0f), 8.0f);
    }
    round++;
    if (!__any_sync(all_lanes, left_at < 0)) break;
  }
  steps[y * width + x] = left_at;
  rounds[y * width + x] = round;
}
