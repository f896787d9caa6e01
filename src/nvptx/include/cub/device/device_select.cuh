// Selections of the elements of arrays.
#pragma once
#include "../../parallel/select.h"
#include "device_reduce.cuh"

namespace cub {

struct DeviceSelect {
  template <class In, class Out, class Total, class Count, class Accepts>
  static cudaError_t run(void *memory, size_t &bytes, In in, Out out, Total total, Count count, Accepts accepts,
                         cudaStream_t stream) {
    const size_t scratch = lanewise::scan_scratch(count);
    if (wants_size(memory, bytes, (count + scratch) * sizeof(unsigned))) return cudaSuccess;
    unsigned *ends = (unsigned *)memory;
    lanewise::select(count, ends, ends + count, accepts,
                     [=] __device__(size_t index, size_t place) { out[place] = in[index]; }, stream);
    lanewise::loop(1, [=] __device__(size_t) { *total = count == 0 ? 0 : ends[count - 1]; }, stream);
    return cudaPeekAtLastError();
  }
  template <class In, class Flags, class Out, class Total, class Count>
  static cudaError_t Flagged(void *memory, size_t &bytes, In in, Flags flags, Out out, Total total, Count count,
                             cudaStream_t stream = 0, bool = false) {
    return run(memory, bytes, thrust::on_device(in), thrust::on_device(out), thrust::on_device(total), count,
               [=] __device__(size_t index) { return bool(flags[index]); }, stream);
  }
  template <class In, class Out, class Total, class Count, class Predicate>
  static cudaError_t If(void *memory, size_t &bytes, In in, Out out, Total total, Count count, Predicate accepts,
                        cudaStream_t stream = 0, bool = false) {
    const auto from = thrust::on_device(in);
    return run(memory, bytes, from, thrust::on_device(out), thrust::on_device(total), count,
               [=] __device__(size_t index) { return bool(accepts(from[index])); }, stream);
  }
  template <class In, class Out, class Total, class Count>
  static cudaError_t Unique(void *memory, size_t &bytes, In in, Out out, Total total, Count count,
                            cudaStream_t stream = 0, bool = false) {
    const auto from = thrust::on_device(in);
    return run(memory, bytes, from, thrust::on_device(out), thrust::on_device(total), count,
               [=] __device__(size_t index) { return index == 0 || !(from[index - 1] == from[index]); }, stream);
  }
};

}  // namespace cub
