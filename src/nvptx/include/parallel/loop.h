// Loops over elements on the device, for the algorithms of Thrust, CUB and cuBLAS.
#pragma once

namespace lanewise {

constexpr unsigned loop_threads = 256;

template <class Body> __global__ void loop_kernel(Body body, size_t count) {
  size_t index = size_t(blockIdx.x) * loop_threads + threadIdx.x;
  if (index < count) body(index);
}

// Calls `body(index)` on the device for each index below `count`.
template <class Body> void loop(size_t count, Body body, cudaStream_t stream = 0) {
  if (count == 0) return;
  loop_kernel<<<(count - 1) / loop_threads + 1, loop_threads, 0, stream>>>(body, count);
}

// Memory of the device that is freed at the end of the scope.
template <class T> class Scratch {
  T *data_ = nullptr;

public:
  explicit Scratch(size_t count) {
    if (count > 0 && cudaMalloc(&data_, count * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
  }
  Scratch(const Scratch &) = delete;
  ~Scratch() {
    if (data_) cudaFreeAsync(data_, 0);
  }
  T *data() const { return data_; }
};

}  // namespace lanewise
