// Asynchronous copies from global to shared memory, in pieces of up to 16 bytes.
#pragma once

namespace cuda {
// A number of bytes, and the alignment of both addresses.
template <unsigned int Alignment>
struct aligned_size_t {
  unsigned long value;
  __host__ __device__ constexpr explicit aligned_size_t(unsigned long value) : value(value) {}
  __host__ __device__ constexpr operator unsigned long() const { return value; }
};
}  // namespace cuda

namespace lanewise {

template <unsigned int Piece>
__device__ inline void copy_piece(void *to, const void *from) {
  if constexpr (Piece < 4) {
    for (unsigned int i = 0; i < Piece; i++) ((char *)to)[i] = ((const char *)from)[i];
  } else {
    unsigned int address = (unsigned int)__cvta_generic_to_shared(to);
    unsigned long long source = __cvta_generic_to_global(from);
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" : : "r"(address), "l"(source), "n"(Piece) : "memory");
  }
}

template <typename T, typename Size>
constexpr unsigned int alignment_of = alignof(T) > 16 ? 16 : alignof(T);
template <typename T, unsigned int Alignment>
constexpr unsigned int alignment_of<T, cuda::aligned_size_t<Alignment>> = Alignment > 16 ? 16 : Alignment;

// Copies by all threads of a group. Each piece has the alignment of both addresses.
template <typename Group, typename T, typename Size>
__device__ inline void copy_together(const Group &group, T *to, const T *from, Size bytes) {
  constexpr unsigned int piece = alignment_of<T, Size>;
  unsigned long total = bytes;
  for (unsigned long at = piece * (unsigned long)group.thread_rank(); at < total; at += piece * (unsigned long)group.size())
    copy_piece<piece>((char *)to + at, (const char *)from + at);
}

// A group of one thread.
struct OneThread {
  __device__ static unsigned int size() { return 1; }
  __device__ static unsigned int thread_rank() { return 0; }
};

}  // namespace lanewise
