// Stable sorts of arrays of numbers by a range of their bits.
#pragma once
#include "../../parallel/sort.h"
#include "device_reduce.cuh"
#include <cstdint>

namespace cub {

// The order of the bits of a number. Signed and floating-point numbers are mapped to unsigned ones of
// the same order, and -0.0 equals 0.0.
template <class Key> struct BitsPrecede {
  typedef std::conditional_t<sizeof(Key) == 1, uint8_t,
                             std::conditional_t<sizeof(Key) == 2, uint16_t,
                                                std::conditional_t<sizeof(Key) == 4, uint32_t, uint64_t>>>
      Bits;
  int begin, end;
  bool isDescending;

  __device__ Bits bits(Key key) const {
    constexpr int width = 8 * sizeof(Key);
    constexpr Bits sign = Bits(1) << (width - 1);
    Bits value;
    memcpy(&value, &key, sizeof key);
    if constexpr (std::is_integral_v<Key>) {
      if constexpr (std::is_signed_v<Key>) value ^= sign;
    } else {
      if (value == sign) value = 0;
      value ^= value & sign ? Bits(~Bits(0)) : sign;
    }
    value >>= begin;
    const int length = end - begin;
    return length < width ? value & ((Bits(1) << length) - 1) : value;
  }
  __device__ bool operator()(const Key &a, const Key &b) const {
    return isDescending ? bits(b) < bits(a) : bits(a) < bits(b);
  }
};

struct DeviceRadixSort {
  // Sorts keys, and values if there are any. The scratch memory has two arrays of keys and two of indices.
  template <class Key, class Value, class Count>
  static cudaError_t run(void *memory, size_t &bytes, const Key *keys, Key *toKeys, const Value *values, Value *toValues,
                         Count count, BitsPrecede<Key> less, cudaStream_t stream) {
    if (wants_size(memory, bytes, 2 * count * (sizeof(Key) + sizeof(unsigned)))) return cudaSuccess;
    unsigned *order = (unsigned *)memory;
    Key *sorted = (Key *)(order + 2 * count);
    lanewise::loop(count, [=] __device__(size_t index) { sorted[index] = keys[index]; }, stream);
    lanewise::sort(sorted, order, sorted + count, order + count, count, less, stream);
    lanewise::loop(
        count,
        [=] __device__(size_t index) {
          toKeys[index] = sorted[index];
          if constexpr (!std::is_same_v<Value, NullType>) toValues[index] = values[order[index]];
        },
        stream);
    return cudaPeekAtLastError();
  }
  template <class Key, class Value, class Count>
  static cudaError_t run(void *memory, size_t &bytes, DoubleBuffer<Key> &keys, DoubleBuffer<Value> &values, Count count,
                         BitsPrecede<Key> less, cudaStream_t stream) {
    const bool isSort = memory != nullptr;
    const cudaError_t error = run(memory, bytes, (const Key *)keys.Current(), keys.Alternate(),
                                  (const Value *)values.Current(), values.Alternate(), count, less, stream);
    if (isSort) keys.selector ^= 1, values.selector ^= 1;
    return error;
  }

#define LANEWISE_RADIX_SORT(suffix, isDescending)                                                                   \
  template <class Key, class Count>                                                                                 \
  static cudaError_t SortKeys##suffix(void *memory, size_t &bytes, const Key *keys, Key *toKeys, Count count,       \
                                      int begin = 0, int end = 8 * sizeof(Key), cudaStream_t stream = 0,            \
                                      bool = false) {                                                               \
    return run(memory, bytes, keys, toKeys, (const NullType *)nullptr, (NullType *)nullptr, count,                  \
               BitsPrecede<Key>{begin, end, isDescending}, stream);                                                 \
  }                                                                                                                 \
  template <class Key, class Count>                                                                                 \
  static cudaError_t SortKeys##suffix(void *memory, size_t &bytes, DoubleBuffer<Key> &keys, Count count,            \
                                      int begin = 0, int end = 8 * sizeof(Key), cudaStream_t stream = 0,            \
                                      bool = false) {                                                               \
    DoubleBuffer<NullType> none;                                                                                    \
    return run(memory, bytes, keys, none, count, BitsPrecede<Key>{begin, end, isDescending}, stream);               \
  }                                                                                                                 \
  template <class Key, class Value, class Count>                                                                    \
  static cudaError_t SortPairs##suffix(void *memory, size_t &bytes, const Key *keys, Key *toKeys,                   \
                                       const Value *values, Value *toValues, Count count, int begin = 0,            \
                                       int end = 8 * sizeof(Key), cudaStream_t stream = 0, bool = false) {          \
    return run(memory, bytes, keys, toKeys, values, toValues, count, BitsPrecede<Key>{begin, end, isDescending},    \
               stream);                                                                                             \
  }                                                                                                                 \
  template <class Key, class Value, class Count>                                                                    \
  static cudaError_t SortPairs##suffix(void *memory, size_t &bytes, DoubleBuffer<Key> &keys,                        \
                                       DoubleBuffer<Value> &values, Count count, int begin = 0,                     \
                                       int end = 8 * sizeof(Key), cudaStream_t stream = 0, bool = false) {          \
    return run(memory, bytes, keys, values, count, BitsPrecede<Key>{begin, end, isDescending}, stream);             \
  }
  LANEWISE_RADIX_SORT(, false)
  LANEWISE_RADIX_SORT(Descending, true)
#undef LANEWISE_RADIX_SORT
};

}  // namespace cub
