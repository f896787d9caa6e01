// Kernels that read the fragments of nvcuda::wmma, in which CUDA does not specify the lane of each
// element.
#include <mma.h>

using namespace nvcuda;

/// Stores the distance of each sum from its row's maximum, and the maximum's place. Elements have
/// the places of mma.sync: lane 4g + t has the rows g and g + 8.
extern "C" __global__ void wmma_row_maxima(const signed char *a, const signed char *b, int *below, int *at) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::fill_fragment(sum, 0);
  wmma::mma_sync(sum, fa, fb, sum);
  int t = threadIdx.x % 4, g = threadIdx.x / 4;
  for (int half = 0; half < 2; half++) {
    int most = -2147483647 - 1, column = 0;
    for (int i = 0; i < 4; i++) {
      int value = sum.x[i / 2 * 4 + half * 2 + i % 2];
      if (value > most) most = value, column = i / 2 * 8 + 2 * t + i % 2;
    }
    for (int d = 1; d < 4; d *= 2) {
      int other = __shfl_xor_sync(~0u, most, d), place = __shfl_xor_sync(~0u, column, d);
      if (other > most || (other == most && place < column)) most = other, column = place;
    }
    for (int i = 0; i < 4; i++) sum.x[i / 2 * 4 + half * 2 + i % 2] -= most;
    if (t == 0) at[g + 8 * half] = column;
  }
  wmma::store_matrix_sync(below, sum, 16, wmma::mem_row_major);
}
