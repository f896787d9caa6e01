#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda::wmma;

// The grid has one warp.
__global__ void multiply_halves(int k, const half *a, const half *b, float *c) {
  fragment<matrix_a, 16, 16, 16, half, row_major> left;
  fragment<matrix_b, 16, 16, 16, half, row_major> right;
  fragment<accumulator, 16, 16, 16, float> sums;
  fill_fragment(sums, 0.0f);
  for (int first = 0; first < k; first += 16) {
    load_matrix_sync(left, a + first, k);
    load_matrix_sync(right, b + first * 16, 16);
    mma_sync(sums, left, right, sums);
  }
  store_matrix_sync(c, sums, 16, mem_row_major);
}
