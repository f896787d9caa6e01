// Prefix sums of arrays.
#pragma once
#include "../../parallel/scan.h"
#include "device_reduce.cuh"

namespace cub {

struct DeviceScan {
  template <class T, class In, class Out, class Count, class Op>
  static cudaError_t run(void *memory, size_t &bytes, In in, Out out, Count count, lanewise::Initial<T> initial,
                         bool inclusive, Op op, cudaStream_t stream) {
    if (wants_size(memory, bytes, lanewise::scan_scratch(count) * sizeof(T))) return cudaSuccess;
    lanewise::scan<T>(thrust::on_device(in), count, thrust::on_device(out), (T *)memory, initial, inclusive, op, stream);
    return cudaPeekAtLastError();
  }
  template <class In, class Out, class Op, class Count>
  static cudaError_t InclusiveScan(void *memory, size_t &bytes, In in, Out out, Op op, Count count,
                                   cudaStream_t stream = 0, bool = false) {
    return run<thrust::value_of<In>>(memory, bytes, in, out, count, {}, true, op, stream);
  }
  template <class In, class Out, class Op, class T, class Count>
  static cudaError_t ExclusiveScan(void *memory, size_t &bytes, In in, Out out, Op op, T initial, Count count,
                                   cudaStream_t stream = 0, bool = false) {
    return run<T>(memory, bytes, in, out, count, {true, initial}, false, op, stream);
  }
  template <class In, class Out, class Count>
  static cudaError_t InclusiveSum(void *memory, size_t &bytes, In in, Out out, Count count, cudaStream_t stream = 0,
                                  bool = false) {
    return InclusiveScan(memory, bytes, in, out, cub::Sum(), count, stream);
  }
  template <class In, class Out, class Count>
  static cudaError_t ExclusiveSum(void *memory, size_t &bytes, In in, Out out, Count count, cudaStream_t stream = 0,
                                  bool = false) {
    return ExclusiveScan(memory, bytes, in, out, cub::Sum(), thrust::value_of<In>(), count, stream);
  }
};

}  // namespace cub
