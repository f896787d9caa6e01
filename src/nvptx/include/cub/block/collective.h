// What the operations of blocks have in common: their shared memory, and the ranks of the threads.
#pragma once

namespace cub {

__device__ inline int RowMajorTid(int x, int y, int) {
  return threadIdx.x + x * (threadIdx.y + y * threadIdx.z);
}

template <class Storage> class Collective {
  Storage *storage_;

  static __device__ Storage *own() {
    __shared__ Storage storage;
    return &storage;
  }

protected:
  __device__ Storage &storage() { return *storage_; }
  static __device__ unsigned rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }

public:
  __device__ Collective() : storage_(own()) {}
  explicit __device__ Collective(Storage &storage) : storage_(&storage) {}
};

}  // namespace cub
