// Prefix sums by the threads of a block.
#pragma once
#include "../../parallel/block.h"
#include "../functors.h"
#include "collective.h"

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <class T, int x, BlockScanAlgorithm algorithm = BLOCK_SCAN_RAKING, int y = 1, int z = 1, int arch = 0>
class BlockScan : public Collective<lanewise::Storage<T, x * y * z>> {
  static constexpr unsigned threads = x * y * z;
  typedef lanewise::Initial<T> Initial;

  // Returns the combination of the values before this thread. `total` receives that of all values.
  template <class Op> __device__ Initial before(T value, Op op, T &total) {
    T *shared = this->storage().data();
    const unsigned rank = this->rank();
    lanewise::scan_block(value, shared, rank, threads, op);
    total = shared[threads - 1];
    return rank == 0 ? Initial{} : Initial{true, shared[rank - 1]};
  }
  // Scans the values of this thread, from the values before it.
  template <int items, class Op>
  static __device__ void scan(const T (&in)[items], T (&out)[items], Initial prefix, bool inclusive, Op op) {
    for (int item = 0; item < items; item++) {
      const T value = in[item];
      if (!inclusive && prefix.exists) out[item] = prefix.value;
      prefix.value = prefix.exists ? T(op(prefix.value, value)) : value;
      prefix.exists = true;
      if (inclusive) out[item] = prefix.value;
    }
  }
  template <int items, class Op>
  __device__ void run(const T (&in)[items], T (&out)[items], Initial initial, bool inclusive, Op op, T &total) {
    T sum = in[0];
    for (int item = 1; item < items; item++) sum = op(sum, in[item]);
    Initial prefix = before(sum, op, total);
    if (initial.exists) prefix = {true, prefix.exists ? T(op(initial.value, prefix.value)) : initial.value};
    scan(in, out, prefix, inclusive, op);
  }
  // The form with a functor that receives the total and returns the value before the block.
  template <int items, class Op, class Prefix>
  __device__ void runAfter(const T (&in)[items], T (&out)[items], bool inclusive, Op op, Prefix &prefixOf) {
    T sum = in[0], total;
    for (int item = 1; item < items; item++) sum = op(sum, in[item]);
    const Initial prefix = before(sum, op, total);
    __syncthreads();
    if (this->rank() < 32) {
      const T first = prefixOf(total);
      if (this->rank() == 0) this->storage().data()[0] = first;
    }
    __syncthreads();
    const T first = this->storage().data()[0];
    scan(in, out, {true, prefix.exists ? T(op(first, prefix.value)) : first}, inclusive, op);
  }

public:
  typedef lanewise::Storage<T, x * y * z> TempStorage;
  using Collective<TempStorage>::Collective;

  template <int items, class Op> __device__ void InclusiveScan(T (&in)[items], T (&out)[items], Op op, T &total) {
    run(in, out, {}, true, op, total);
  }
  template <int items, class Op> __device__ void InclusiveScan(T (&in)[items], T (&out)[items], Op op) {
    T total;
    run(in, out, {}, true, op, total);
  }
  template <int items, class Op>
  __device__ void ExclusiveScan(T (&in)[items], T (&out)[items], T initial, Op op, T &total) {
    run(in, out, {true, initial}, false, op, total);
  }
  template <int items, class Op> __device__ void ExclusiveScan(T (&in)[items], T (&out)[items], T initial, Op op) {
    T total;
    run(in, out, {true, initial}, false, op, total);
  }
  template <int items> __device__ void InclusiveSum(T (&in)[items], T (&out)[items]) {
    InclusiveScan(in, out, cub::Sum());
  }
  template <int items> __device__ void InclusiveSum(T (&in)[items], T (&out)[items], T &total) {
    InclusiveScan(in, out, cub::Sum(), total);
  }
  template <int items, class Prefix>
    requires requires(Prefix prefix, T total) { prefix(total); }
  __device__ void InclusiveSum(T (&in)[items], T (&out)[items], Prefix &prefix) {
    runAfter(in, out, true, cub::Sum(), prefix);
  }
  template <int items> __device__ void ExclusiveSum(T (&in)[items], T (&out)[items]) {
    ExclusiveScan(in, out, T(), cub::Sum());
  }
  template <int items> __device__ void ExclusiveSum(T (&in)[items], T (&out)[items], T &total) {
    ExclusiveScan(in, out, T(), cub::Sum(), total);
  }
  template <int items, class Prefix>
    requires requires(Prefix prefix, T total) { prefix(total); }
  __device__ void ExclusiveSum(T (&in)[items], T (&out)[items], Prefix &prefix) {
    runAfter(in, out, false, cub::Sum(), prefix);
  }

  // The forms with one value of each thread.
  template <class Op> __device__ void InclusiveScan(T in, T &out, Op op, T &total) {
    T values[1] = {in};
    InclusiveScan(values, values, op, total);
    out = values[0];
  }
  template <class Op> __device__ void InclusiveScan(T in, T &out, Op op) {
    T total;
    InclusiveScan(in, out, op, total);
  }
  template <class Op> __device__ void ExclusiveScan(T in, T &out, T initial, Op op, T &total) {
    T values[1] = {in};
    ExclusiveScan(values, values, initial, op, total);
    out = values[0];
  }
  template <class Op> __device__ void ExclusiveScan(T in, T &out, T initial, Op op) {
    T total;
    ExclusiveScan(in, out, initial, op, total);
  }
  __device__ void InclusiveSum(T in, T &out) { InclusiveScan(in, out, cub::Sum()); }
  __device__ void InclusiveSum(T in, T &out, T &total) { InclusiveScan(in, out, cub::Sum(), total); }
  __device__ void ExclusiveSum(T in, T &out) { ExclusiveScan(in, out, T(), cub::Sum()); }
  __device__ void ExclusiveSum(T in, T &out, T &total) { ExclusiveScan(in, out, T(), cub::Sum(), total); }
};

}  // namespace cub
