// Products of matrices: 256 threads for 32 x 32 results, two by two each, of tiles in shared memory. Sums are fused and in the order of the terms.
#include "arithmetic.cuh"

constexpr int tile = 32;

struct Tiles {
  float left[tile][tile + 1];
  float right[tile][tile + 1];
};

/// Adds the products of two tiles, of which `left` is by terms and rows, and `right` by terms and columns.
__device__ __forceinline__ void add_products(const Tiles &tiles, float (&sums)[2][2]) {
  int x = threadIdx.x;
  int y = threadIdx.y;
#pragma unroll 1
  for (int k = 0; k < tile; k++) {
    float a0 = tiles.left[k][y];
    float a1 = tiles.left[k][y + 16];
    float b0 = tiles.right[k][x];
    float b1 = tiles.right[k][x + 16];
    sums[0][0] = fmaf(a0, b0, sums[0][0]);
    sums[0][1] = fmaf(a0, b1, sums[0][1]);
    sums[1][0] = fmaf(a1, b0, sums[1][0]);
    sums[1][1] = fmaf(a1, b1, sums[1][1]);
  }
}

/// Of a matrix whose rows are `stride` long: 32 rows from `row`, 32 columns from `column`.
__device__ __forceinline__ void load(float (&to)[tile][tile + 1], const float *from, int stride, int row, int column) {
  for (int r = threadIdx.y; r < tile; r += 16)
    for (int c = threadIdx.x; c < tile; c += 16) to[r][c] = from[(row + r) * stride + column + c];
}

/// The same, transposed.
__device__ __forceinline__ void load_across(float (&to)[tile][tile + 1], const float *from, int stride, int row, int column) {
  for (int r = threadIdx.y; r < tile; r += 16)
    for (int c = threadIdx.x; c < tile; c += 16) to[c][r] = from[(row + r) * stride + column + c];
}

__device__ __forceinline__ void store(float *to, int stride, int row, int column, const float (&sums)[2][2]) {
  for (int r = 0; r < 2; r++)
    for (int c = 0; c < 2; c++) to[(row + threadIdx.y + 16 * r) * stride + column + threadIdx.x + 16 * c] = sums[r][c];
}

/// out = x * weights + bias; no bias where its place is negative.
extern "C" __global__ void matmul(int inner, int columns, int weights_at, int bias_at, const float *x, const float *params, float *out) {
  __shared__ Tiles tiles;
  int row = blockIdx.y * tile;
  int column = blockIdx.x * tile;
  float b0 = bias_at < 0 ? 0.0f : params[bias_at + column + threadIdx.x];
  float b1 = bias_at < 0 ? 0.0f : params[bias_at + column + threadIdx.x + 16];
  float sums[2][2] = {{b0, b1}, {b0, b1}};
  for (int k = 0; k < inner; k += tile) {
    load_across(tiles.left, x, inner, row, k);
    load(tiles.right, params + weights_at, columns, k, column);
    __syncthreads();
    add_products(tiles, sums);
    __syncthreads();
  }
  store(out, columns, row, column, sums);
}

/// out = back * weights, transposed: what comes back to the input.
extern "C" __global__ void matmul_back_input(int inner, int columns, int weights_at, const float *back, const float *params, float *out) {
  __shared__ Tiles tiles;
  int row = blockIdx.y * tile;
  int column = blockIdx.x * tile;
  float sums[2][2] = {};
  for (int k = 0; k < columns; k += tile) {
    load_across(tiles.left, back, columns, row, k);
    load_across(tiles.right, params + weights_at, columns, column, k);
    __syncthreads();
    add_products(tiles, sums);
    __syncthreads();
  }
  store(out, inner, row, column, sums);
}

/// x, transposed, * back: the gradient of the weights.
extern "C" __global__ void matmul_back_weights(int rows, int inner, int columns, int weights_at, const float *x, const float *back, float *grads) {
  __shared__ Tiles tiles;
  int row = blockIdx.y * tile;
  int column = blockIdx.x * tile;
  float sums[2][2] = {};
  for (int k = 0; k < rows; k += tile) {
    load(tiles.left, x, inner, k, row);
    load(tiles.right, back, columns, k, column);
    __syncthreads();
    add_products(tiles, sums);
    __syncthreads();
  }
  store(grads + weights_at, columns, row, column, sums);
}

/// The gradient of a bias: the sums of columns. A block for 32 of them, whose eight warps each add every eighth row.
extern "C" __global__ void bias_back(int rows, int columns, int bias_at, const float *back, float *grads) {
  __shared__ float sums[8][32];
  int lane = threadIdx.x;
  int warp = threadIdx.y;
  int column = blockIdx.x * 32 + lane;
  float sum = 0.0f;
  for (int row = warp; row < rows; row += 8) sum += back[row * columns + column];
  sums[warp][lane] = sum;
  __syncthreads();
  if (warp != 0) return;
  for (int other = 1; other < 8; other++) sum += sums[other][lane];
  grads[bias_at + column] = sum;
}
