// Memory-bound kernels: what a chip reaches when it only moves data.

extern "C" __global__ void copy(const unsigned *in, unsigned *out, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];
}

/// Square matrix through 32 x 32 tiles in shared memory; blocks of 32 x 8 threads.
extern "C" __global__ void transpose(const float *in, float *out, unsigned size) {
  __shared__ float tile[32][33];
  unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (unsigned row = 0; row < 32; row += 8) tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * size + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (unsigned row = 0; row < 32; row += 8) out[(y + row) * size + x] = tile[threadIdx.x][threadIdx.y + row];
}

/// One step of heat flow on a square grid; the border keeps its values. Blocks of 32 x 8 threads.
extern "C" __global__ void stencil(const float *in, float *out, unsigned size) {
  unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, i = y * size + x;
  float centre = in[i];
  bool inside = x > 0 && y > 0 && x + 1 < size && y + 1 < size;
  if (inside) centre += 0.125f * (in[i - 1] + in[i + 1] + in[i - size] + in[i + size] - 4 * centre);
  out[i] = centre;
}
