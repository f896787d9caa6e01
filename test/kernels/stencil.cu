// Stencils in one, two and three dimensions.

#define RADIUS 3

/// A 7-point weighted sum with a halo in shared memory. Elements outside the array count as zero.
extern "C" __global__ void stencil_1d(const int *in, int *out, int n) {
  __shared__ int window[128 + 2 * RADIUS];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + RADIUS;
  window[t] = i < n ? in[i] : 0;
  if (threadIdx.x < RADIUS) {
    int left = i - RADIUS, right = i + blockDim.x;
    window[t - RADIUS] = left >= 0 && left < n ? in[left] : 0;
    window[t + blockDim.x] = right < n ? in[right] : 0;
  }
  __syncthreads();
  if (i >= n) return;
  int sum = 0;
#pragma unroll
  for (int d = -RADIUS; d <= RADIUS; d++) sum += window[t + d] * (RADIUS + 1 - abs(d));
  out[i] = sum;
}

/// The same neighborhood from registers: neighbors by shuffles, the edges of a warp by loads.
extern "C" __global__ void stencil_shuffle(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  float here = i < n ? in[i] : 0.0f;
  float left = __shfl_up_sync(0xffffffffu, here, 1);
  float right = __shfl_down_sync(0xffffffffu, here, 1);
  if (lane == 0) left = i > 0 && i <= n ? in[i - 1] : 0.0f;
  if (lane == 31) right = i + 1 < n ? in[i + 1] : 0.0f;
  if (i < n) out[i] = 0.25f * left + 0.5f * here + 0.25f * right;
}

/// A step of the game of life on a torus, one byte per cell, in 2-D blocks of odd shape.
extern "C" __global__ void stencil_life(const unsigned char *in, unsigned char *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int around = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      if (dx == 0 && dy == 0) continue;
      int nx = (x + dx + width) % width, ny = (y + dy + height) % height;
      around += in[ny * width + nx];
    }
  out[y * width + x] = around == 3 || (around == 2 && in[y * width + x]);
}

/// 7-point heat step in a 3-D grid of 3-D blocks; borders are copied.
extern "C" __global__ void stencil_3d(const float *in, float *out, uint3 size, float rate) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= size.x || y >= size.y || z >= size.z) return;
  unsigned row = size.x, plane = size.x * size.y, at = z * plane + y * row + x;
  float here = in[at];
  bool border = x == 0 || y == 0 || z == 0 || x == size.x - 1 || y == size.y - 1 || z == size.z - 1;
  if (!border) {
    float sum = in[at - 1] + in[at + 1] + in[at - row] + in[at + row] + in[at - plane] + in[at + plane];
    here += rate * (sum - 6.0f * here);
  }
  out[at] = here;
}
