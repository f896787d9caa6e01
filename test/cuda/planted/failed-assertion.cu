#include <cassert>

// An index that memory holds is larger than the table.
__global__ void gather(const int *index, const int *table, int *out, int size) {
  int at = index[threadIdx.x];
  assert(at < size);  // fault
  out[threadIdx.x] = table[at];
}
