// Reductions and prefix sums by the lanes of a warp, or of a part of it with a power of two lanes.
#pragma once
#include "../block/collective.h"
#include "../functors.h"

namespace cub {

// The value of another lane. The type may have any size.
template <class T> __device__ T shuffled(T value, unsigned lane, unsigned mask) {
  constexpr int words = (sizeof(T) + 3) / 4;
  unsigned from[words] = {}, to[words];
  memcpy(from, (const void *)&value, sizeof(T));
  for (int word = 0; word < words; word++) to[word] = __shfl_sync(mask, from[word], lane);
  memcpy((void *)&value, to, sizeof(T));
  return value;
}
__device__ inline unsigned LaneId() { return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32; }

template <int lanes> struct LogicalWarp {
  unsigned lane = LaneId(), rank = lane % lanes, first = lane - rank;
  unsigned mask = lanes == 32 ? 0xffffffff : ((1ull << lanes) - 1) << first;
};

template <class T, int lanes = 32, int arch = 0> struct WarpReduce {
  struct TempStorage {};
  __device__ WarpReduce(TempStorage &) {}

  // The result is that of the first lane.
  template <class Op> __device__ T Reduce(T value, Op op) { return Reduce(value, op, lanes); }
  template <class Op> __device__ T Reduce(T value, Op op, int valid) {
    const LogicalWarp<lanes> warp;
    for (unsigned step = 1; step < lanes; step *= 2) {
      const unsigned other = warp.rank + step;
      const T next = shuffled(value, other < lanes ? warp.first + other : warp.lane, warp.mask);
      if (other < valid) value = op(value, next);
    }
    return value;
  }
  __device__ T Sum(T value) { return Reduce(value, cub::Sum()); }
  __device__ T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
};

template <class T, int lanes = 32, int arch = 0> struct WarpScan {
  struct TempStorage {};
  __device__ WarpScan(TempStorage &) {}

  template <class Op> __device__ void InclusiveScan(T value, T &out, Op op) {
    const LogicalWarp<lanes> warp;
    for (unsigned step = 1; step < lanes; step *= 2) {
      const bool combines = warp.rank >= step;
      const T before = shuffled(value, combines ? warp.lane - step : warp.lane, warp.mask);
      if (combines) value = op(before, value);
    }
    out = value;
  }
  template <class Op> __device__ void InclusiveScan(T value, T &out, Op op, T &total) {
    InclusiveScan(value, out, op);
    const LogicalWarp<lanes> warp;
    total = shuffled(out, warp.first + lanes - 1, warp.mask);
  }
  template <class Op> __device__ void ExclusiveScan(T value, T &out, T initial, Op op) {
    InclusiveScan(value, value, op);
    const LogicalWarp<lanes> warp;
    const T before = shuffled(value, warp.rank > 0 ? warp.lane - 1 : warp.lane, warp.mask);
    out = warp.rank > 0 ? T(op(initial, before)) : initial;
  }
  template <class Op> __device__ void ExclusiveScan(T value, T &out, T initial, Op op, T &total) {
    T inclusive;
    InclusiveScan(value, inclusive, op, total);
    ExclusiveScan(value, out, initial, op);
  }
  __device__ void InclusiveSum(T value, T &out) { InclusiveScan(value, out, cub::Sum()); }
  __device__ void InclusiveSum(T value, T &out, T &total) { InclusiveScan(value, out, cub::Sum(), total); }
  __device__ void ExclusiveSum(T value, T &out) { ExclusiveScan(value, out, T(), cub::Sum()); }
  __device__ void ExclusiveSum(T value, T &out, T &total) { ExclusiveScan(value, out, T(), cub::Sum(), total); }
  __device__ T Broadcast(T value, unsigned rank) {
    const LogicalWarp<lanes> warp;
    return shuffled(value, warp.first + rank, warp.mask);
  }
};

}  // namespace cub
