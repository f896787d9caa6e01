// Prefix sums of arrays on the device, with any associative operation. A first pass combines the
// elements of each tile. The second pass scans each tile, from the combination of the tiles before.
#pragma once
#include "block.h"
#include "loop.h"

namespace lanewise {

constexpr unsigned scan_items = 4;
constexpr unsigned scan_tile = scan_items * loop_threads;

constexpr size_t scan_tiles(size_t count) { return (count + scan_tile - 1) / scan_tile; }

// Returns the number of elements that `scan` needs as scratch.
constexpr size_t scan_scratch(size_t count) {
  size_t total = 1;
  while (count > scan_tile) total += count = scan_tiles(count);
  return total;
}

template <class T, class In, class Op> __global__ void scan_totals(In in, size_t count, T *totals, Op op) {
  __shared__ Storage<T, loop_threads> storage;
  const size_t start = size_t(blockIdx.x) * scan_tile, first = start + scan_items * threadIdx.x;
  const size_t rest = count - start, valid = rest < scan_tile ? rest : scan_tile;
  T value{};
  for (unsigned item = 0; item < scan_items && first + item < count; item++)
    value = item == 0 ? T(in[first]) : op(value, T(in[first + item]));
  const unsigned threads = (valid + scan_items - 1) / scan_items;
  value = reduce_block(value, storage.data(), threadIdx.x, loop_threads, threads, op);
  if (threadIdx.x == 0) totals[blockIdx.x] = value;
}

// `before` has the inclusive scan of the tiles' totals. An exclusive scan without an initial element
// leaves its first result as it is.
template <class T, class In, class Out, class Op>
__global__ void scan_kernel(In in, size_t count, Out out, const T *before, Initial<T> initial, bool inclusive, Op op) {
  __shared__ Storage<T, loop_threads> storage;
  const unsigned rank = threadIdx.x;
  const size_t first = size_t(blockIdx.x) * scan_tile + scan_items * rank;
  T items[scan_items];
  unsigned length = 0;
  for (; length < scan_items && first + length < count; length++) items[length] = in[first + length];
  T sum{};
  for (unsigned item = 0; item < length; item++) sum = item == 0 ? items[0] : op(sum, items[item]);
  T *shared = storage.data();
  scan_block(sum, shared, rank, loop_threads, op);

  bool exists = initial.exists;
  T prefix = initial.value;
  const auto append = [&](const T &value) {
    prefix = exists ? op(prefix, value) : value;
    exists = true;
  };
  if (blockIdx.x > 0) append(before[blockIdx.x - 1]);
  if (rank > 0) append(shared[rank - 1]);
  for (unsigned item = 0; item < length; item++) {
    if (!inclusive && exists) out[first + item] = prefix;
    append(items[item]);
    if (inclusive) out[first + item] = prefix;
  }
}

// Writes the combination of the elements up to each one, or, if the scan is exclusive, before each
// one. `in` and `out` may be the same.
template <class T, class In, class Out, class Op>
void scan(In in, size_t count, Out out, T *scratch, Initial<T> initial, bool inclusive, Op op,
          cudaStream_t stream = 0) {
  if (count == 0) return;
  const size_t tiles = scan_tiles(count);
  if (tiles > 1) {
    scan_totals<T><<<tiles, loop_threads, 0, stream>>>(in, count, scratch, op);
    scan<T>((const T *)scratch, tiles, scratch, scratch + tiles, Initial<T>{}, true, op, stream);
  }
  scan_kernel<T><<<tiles, loop_threads, 0, stream>>>(in, count, out, (const T *)scratch, initial, inclusive, op);
}

}  // namespace lanewise
