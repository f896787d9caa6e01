// Transposes: by shuffles inside a warp, through padded shared memory in 2-D blocks.

/// Each warp transposes 32x32 words, one row per register, in five rounds of exchange.
extern "C" __global__ void transpose_warp(const unsigned *in, unsigned *out) {
  const unsigned *tile = in + blockIdx.x * 1024;
  int lane = threadIdx.x;
  unsigned r[32];
#pragma unroll
  for (int i = 0; i < 32; i++) r[i] = tile[i * 32 + lane];
#pragma unroll
  for (int s = 16; s > 0; s >>= 1)
#pragma unroll
    for (int i = 0; i < 32; i++)
      if ((i & s) == 0) {
        unsigned send = lane & s ? r[i] : r[i + s];
        unsigned got = __shfl_xor_sync(0xffffffffu, send, s);
        if (lane & s) r[i] = got;
        else r[i + s] = got;
      }
#pragma unroll
  for (int i = 0; i < 32; i++) out[blockIdx.x * 1024 + i * 32 + lane] = r[i];
}

/// Matrix transpose for any size: 16x16 tiles, with a padded column against bank conflicts.
extern "C" __global__ void transpose_tiled(const float *in, float *out, int width, int height) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

/// Transposes the 32x32 bits of each warp's 32 words: 32 ballots.
extern "C" __global__ void transpose_bits(const unsigned *in, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned v = in[i], mine = 0;
#pragma unroll 4
  for (int b = 0; b < 32; b++) {
    unsigned column = __ballot_sync(0xffffffffu, (v >> b) & 1);
    if (b == lane) mine = column;
  }
  out[i] = mine;
}
