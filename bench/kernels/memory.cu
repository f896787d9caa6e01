// Memory-bound kernels, which measure a chip's bandwidth.

extern "C" __global__ void copy(const unsigned *in, unsigned *out, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];
}

/// Transposes a square matrix through 32 x 32 tiles in shared memory. Blocks of 32 x 8 threads.
extern "C" __global__ void transpose(const float *in, float *out, unsigned size) {
  __shared__ float tile[32][33];
  unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (unsigned row = 0; row < 32; row += 8) tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * size + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (unsigned row = 0; row < 32; row += 8) out[(y + row) * size + x] = tile[threadIdx.x][threadIdx.y + row];
}

/// One step of heat flow on a square grid. The border keeps its values. Blocks of 32 x 8 threads
/// have four rows per thread, and read shared rows once.
extern "C" __global__ void stencil(const float *in, float *out, unsigned size) {
  const int ROWS = 4;
  unsigned x = blockIdx.x * 32 + threadIdx.x, y = (blockIdx.y * 8 + threadIdx.y) * ROWS, i = y * size + x;
  // At the border an element replaces its missing neighbor.
  unsigned left = x > 0 ? 1 : 0, right = x + 1 < size ? 1 : 0;
  float column[ROWS + 2], west[ROWS], east[ROWS];
  column[0] = in[y > 0 ? i - size : i];
#pragma unroll
  for (int row = 0; row < ROWS; row++) {
    column[row + 1] = in[i + row * size];
    west[row] = in[i + row * size - left];
    east[row] = in[i + row * size + right];
  }
  column[ROWS + 1] = in[y + ROWS < size ? i + ROWS * size : i];
#pragma unroll
  for (int row = 0; row < ROWS; row++) {
    float centre = column[row + 1];
    float moved = fmaf(0.125f, fmaf(-4, centre, west[row] + east[row] + column[row] + column[row + 2]), centre);
    bool inside = left != 0 && right != 0 && y + row > 0 && y + row + 1 < size;
    out[i + row * size] = inside ? moved : centre;
  }
}
