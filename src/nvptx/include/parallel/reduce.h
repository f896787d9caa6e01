// Reductions of arrays on the device.
#pragma once
#include "block.h"
#include "loop.h"

namespace lanewise {

// The number of elements that a block combines.
constexpr unsigned reduce_tile = 8 * loop_threads;

constexpr size_t reduce_blocks(size_t count) { return (count + reduce_tile - 1) / reduce_tile; }

// Returns the number of elements that `reduce` needs as `partial`.
constexpr size_t reduce_scratch(size_t count) {
  size_t total = 1;
  while (count > 1) total += count = reduce_blocks(count);
  return total;
}

template <class T, class In, class Op>
__global__ void reduce_kernel(In in, size_t count, T *out, Initial<T> initial, Op op) {
  __shared__ Storage<T, loop_threads> storage;
  const unsigned rank = threadIdx.x;
  const size_t start = size_t(blockIdx.x) * reduce_tile;
  const size_t rest = count - start, valid = rest < reduce_tile ? rest : reduce_tile;
  T value{};
  if (rank < valid) value = in[start + rank];
#pragma nounroll
  for (size_t at = rank + loop_threads; at < valid; at += loop_threads) value = op(value, T(in[start + at]));
  value = reduce_block(value, storage.data(), rank, loop_threads, valid, op);
  if (rank != 0) return;
  const bool isLast = gridDim.x == 1;
  out[blockIdx.x] = isLast && initial.exists ? op(initial.value, value) : value;
}

// Combines the initial element and `count` others with an operation that is associative and
// commutative. Returns the address of the result in `partial`. `count` must be at least 1.
template <class T, class In, class Op>
T *reduce(In in, size_t count, T *partial, Initial<T> initial, Op op, cudaStream_t stream = 0) {
  size_t blocks = reduce_blocks(count);
  reduce_kernel<T><<<blocks, loop_threads, 0, stream>>>(in, count, partial, initial, op);
  while (blocks > 1) {
    T *from = partial;
    partial += blocks;
    const size_t known = blocks;
    blocks = reduce_blocks(known);
    reduce_kernel<T><<<blocks, loop_threads, 0, stream>>>((const T *)from, known, partial, initial, op);
  }
  return partial;
}

}  // namespace lanewise
