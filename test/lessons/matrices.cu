// Wrong answers to the lessons about matrices.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda::wmma;

// Reads a row of b instead of a column.
__global__ void multiply_by_rows(int n, const float *a, const float *b, float *c) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[y * n + k] * b[x * n + k];
  c[y * n + x] = sum;
}

// Fills the tiles without a comparison with the size.
__global__ void tiles_without_bounds(int n, const float *a, const float *b, float *c) {
  __shared__ float left[8][8];
  __shared__ float right[8][8];
  int x = blockIdx.x * 8 + threadIdx.x;
  int y = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int first = 0; first < n; first += 8) {
    left[threadIdx.y][threadIdx.x] = a[y * n + first + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + x];
    __syncthreads();
    for (int k = 0; k < 8; k++) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  if (x < n && y < n) c[y * n + x] = sum;
}

// Reads the rows of a as if each had 16 elements.
__global__ void halves_of_short_rows(int k, const half *a, const half *b, float *c) {
  fragment<matrix_a, 16, 16, 16, half, row_major> left;
  fragment<matrix_b, 16, 16, 16, half, row_major> right;
  fragment<accumulator, 16, 16, 16, float> sums;
  fill_fragment(sums, 0.0f);
  for (int first = 0; first < k; first += 16) {
    load_matrix_sync(left, a + first, 16);
    load_matrix_sync(right, b + first * 16, 16);
    mma_sync(sums, left, right, sums);
  }
  store_matrix_sync(c, sums, 16, mem_row_major);
}
