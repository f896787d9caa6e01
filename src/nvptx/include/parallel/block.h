// Reductions and scans by the threads of a block. `shared` has an element for each thread. All
// threads of the block call these functions.
#pragma once

namespace lanewise {

// Memory for `count` elements. Shared variables cannot have constructors.
template <class T, int count> struct Storage {
  alignas(T) unsigned char bytes[count * sizeof(T)];
  __device__ T *data() { return reinterpret_cast<T *>(bytes); }
};

// The element before all others, if there is one.
template <class T> struct Initial { bool exists; T value; };

// Combines the values of the first `valid` threads, in the order of their ranks. The result is that
// of the thread with rank 0.
template <class T, class Op>
__device__ T reduce_block(T value, T *shared, unsigned rank, unsigned threads, unsigned valid, Op op) {
  shared[rank] = value;
  __syncthreads();
#pragma nounroll
  for (unsigned step = 1; step < threads; step *= 2) {
    const bool combines = rank % (2 * step) == 0 && rank + step < valid;
    if (combines) shared[rank] = value = op(value, shared[rank + step]);
    __syncthreads();
  }
  return value;
}

// Returns the combination of the values of all threads up to this one, in the order of their ranks.
template <class T, class Op>
__device__ T scan_block(T value, T *shared, unsigned rank, unsigned threads, Op op) {
  shared[rank] = value;
  __syncthreads();
#pragma nounroll
  for (unsigned step = 1; step < threads; step *= 2) {
    if (rank >= step) value = op(shared[rank - step], value);
    __syncthreads();
    shared[rank] = value;
    __syncthreads();
  }
  return value;
}

}  // namespace lanewise
