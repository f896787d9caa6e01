// Matrices of small integers. Every sum of their products is exact in any order, and the result is
// known without a matrix product.
#include <cuda_fp16.h>

/// From -8 to 8.
__device__ int small(unsigned line, unsigned k, unsigned seed) {
  unsigned x = (line * 4096u + k) * 0x9e3779b1u + seed;
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;
  return (int)((x ^ (x >> 16)) % 17u) - 8;
}

/// A square matrix whose rows, or columns if `across` is 0, repeat after `period`.
extern "C" __global__ void fill_small(__half *out, unsigned side, unsigned period, unsigned seed, unsigned across) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < side * side; i += gridDim.x * blockDim.x) {
    unsigned row = i / side, column = i % side;
    out[i] = __int2half_rn(across ? small(row % period, column, seed) : small(column % period, row, seed));
  }
}

/// The products of each distinct row with each distinct column, in integers.
extern "C" __global__ void small_products(int *table, unsigned side, unsigned rows, unsigned columns, unsigned seedA, unsigned seedB) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * columns; i += gridDim.x * blockDim.x) {
    int sum = 0;
    for (unsigned k = 0; k < side; k++) sum += small(i / columns, k, seedA) * small(i % columns, k, seedB);
    table[i] = sum;
  }
}

/// Counts the elements that differ from the table.
extern "C" __global__ void count_wrong(const float *c, const int *table, unsigned *wrong, unsigned side, unsigned rows, unsigned columns) {
  unsigned own = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < side * side; i += gridDim.x * blockDim.x)
    own += c[i] != (float)table[i / side % rows * columns + i % side % columns];
  if (own != 0) atomicAdd(wrong, own);
}
