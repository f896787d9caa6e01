// Reductions by the threads of a block.
#pragma once
#include "../../parallel/block.h"
#include "../functors.h"
#include "collective.h"

namespace cub {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS,
};

template <class T, int x, BlockReduceAlgorithm algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int y = 1, int z = 1, int arch = 0>
class BlockReduce : public Collective<lanewise::Storage<T, x * y * z>> {
  static constexpr unsigned threads = x * y * z;

public:
  typedef lanewise::Storage<T, x * y * z> TempStorage;
  using Collective<TempStorage>::Collective;

  // The result is that of the first thread.
  template <class Op> __device__ T Reduce(T value, Op op) { return Reduce(value, op, threads); }
  template <class Op> __device__ T Reduce(T value, Op op, int valid) {
    return lanewise::reduce_block(value, this->storage().data(), this->rank(), threads, valid, op);
  }
  template <int items, class Op> __device__ T Reduce(T (&values)[items], Op op) {
    T value = values[0];
    for (int item = 1; item < items; item++) value = op(value, values[item]);
    return Reduce(value, op);
  }
  __device__ T Sum(T value) { return Reduce(value, cub::Sum()); }
  __device__ T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
  template <int items> __device__ T Sum(T (&values)[items]) { return Reduce(values, cub::Sum()); }
};

}  // namespace cub
