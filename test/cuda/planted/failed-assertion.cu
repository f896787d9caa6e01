#include <cassert>

// An index from memory is beyond the end of the table.
__global__ void gather(const int *index, const int *table, int *out, int size) {
  int at = index[threadIdx.x];
  assert(at < size);  // fault
  out[threadIdx.x] = table[at];
}
