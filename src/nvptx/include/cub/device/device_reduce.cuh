// Reductions of arrays. The first call of an operation, without memory, returns the bytes that it
// needs.
#pragma once
#include "../../parallel/reduce.h"
#include "../functors.h"

namespace cub {

// Returns whether the caller only wants to know the size of the memory. CUB never returns 0 bytes.
inline bool wants_size(void *memory, size_t &bytes, size_t needed) {
  if (memory == nullptr) bytes = needed + 1;
  return memory == nullptr;
}

struct DeviceReduce {
  template <class In, class Out, class Count, class Op, class T>
  static cudaError_t Reduce(void *memory, size_t &bytes, In in, Out out, Count count, Op op, T initial,
                            cudaStream_t stream = 0, bool = false) {
    if (wants_size(memory, bytes, lanewise::reduce_scratch(count) * sizeof(T))) return cudaSuccess;
    const auto from = thrust::on_device(in);
    const auto to = thrust::on_device(out);
    if (count == 0) lanewise::loop(1, [=] __device__(size_t) { *to = initial; }, stream);
    else {
      const T *result = lanewise::reduce<T>(from, count, (T *)memory, {true, initial}, op, stream);
      lanewise::loop(1, [=] __device__(size_t) { *to = *result; }, stream);
    }
    return cudaPeekAtLastError();
  }
  template <class In, class Out, class Count>
  static cudaError_t Sum(void *memory, size_t &bytes, In in, Out out, Count count, cudaStream_t stream = 0, bool = false) {
    typedef std::conditional_t<std::is_same_v<thrust::value_of<Out>, void>, thrust::value_of<In>, thrust::value_of<Out>> T;
    return Reduce(memory, bytes, in, out, count, cub::Sum(), T(), stream);
  }
  template <class In, class Out, class Count>
  static cudaError_t Max(void *memory, size_t &bytes, In in, Out out, Count count, cudaStream_t stream = 0, bool = false) {
    typedef thrust::value_of<In> T;
    return Reduce(memory, bytes, in, out, count, cub::Max(), std::numeric_limits<T>::lowest(), stream);
  }
  template <class In, class Out, class Count>
  static cudaError_t Min(void *memory, size_t &bytes, In in, Out out, Count count, cudaStream_t stream = 0, bool = false) {
    typedef thrust::value_of<In> T;
    return Reduce(memory, bytes, in, out, count, cub::Min(), std::numeric_limits<T>::max(), stream);
  }
  template <class In, class Out, class Count>
  static cudaError_t ArgMax(void *memory, size_t &bytes, In in, Out out, Count count, cudaStream_t stream = 0, bool = false) {
    typedef thrust::value_of<In> T;
    return Reduce(memory, bytes, ArgIndexInputIterator<decltype(thrust::on_device(in)), int>(thrust::on_device(in)), out, count, cub::ArgMax(),
                  KeyValuePair<int, T>{1, std::numeric_limits<T>::lowest()}, stream);
  }
  template <class In, class Out, class Count>
  static cudaError_t ArgMin(void *memory, size_t &bytes, In in, Out out, Count count, cudaStream_t stream = 0, bool = false) {
    typedef thrust::value_of<In> T;
    return Reduce(memory, bytes, ArgIndexInputIterator<decltype(thrust::on_device(in)), int>(thrust::on_device(in)), out, count, cub::ArgMin(),
                  KeyValuePair<int, T>{1, std::numeric_limits<T>::max()}, stream);
  }
};

}  // namespace cub
