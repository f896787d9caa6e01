// A stable merge sort of arrays on the device.
#pragma once
#include "block.h"
#include "loop.h"

namespace lanewise {

// Sorts tiles of `loop_threads` elements. The place of an element is the number of elements that
// must precede it.
template <class Key, class Less> __global__ void sort_tiles(Key *keys, unsigned *order, size_t count, Less less) {
  __shared__ Storage<Key, loop_threads> storage;
  const unsigned rank = threadIdx.x;
  const size_t start = size_t(blockIdx.x) * loop_threads;
  const size_t rest = count - start;
  const unsigned valid = rest < loop_threads ? rest : loop_threads;
  Key *tile = storage.data();
  const bool isValid = rank < valid;
  Key key{};
  unsigned index = 0;
  if (isValid) {
    key = tile[rank] = keys[start + rank];
    index = order[start + rank];
  }
  __syncthreads();
  if (!isValid) return;
  unsigned place = 0;
#pragma nounroll
  for (unsigned other = 0; other < valid; other++)
    place += other < rank ? !less(key, tile[other]) : other > rank && less(tile[other], key);
  keys[start + place] = key;
  order[start + place] = index;
}

// Merges neighboring runs of `width` elements.
template <class Key, class Less>
__global__ void merge_runs(const Key *keys, const unsigned *order, Key *toKeys, unsigned *toOrder, size_t count,
                           size_t width, Less less) {
  const size_t index = size_t(blockIdx.x) * loop_threads + threadIdx.x;
  if (index >= count) return;
  const size_t run = index / width, start = run / 2 * 2 * width, middle = start + width;
  const bool isLeft = run % 2 == 0;
  const Key key = keys[index];
  size_t low = isLeft ? middle : start, high = isLeft ? middle + width : middle;
  if (low > count) low = count;
  if (high > count) high = count;
  const size_t first = low;
  // Equal elements of the left run precede those of the right run.
  while (low < high) {
    const size_t probe = low + (high - low) / 2;
    const bool precedes = isLeft ? less(keys[probe], key) : !less(key, keys[probe]);
    if (precedes) low = probe + 1;
    else high = probe;
  }
  const size_t place = start + (index - (isLeft ? start : middle)) + (low - first);
  toKeys[place] = key;
  toOrder[place] = order[index];
}

// Sorts `count` keys. `order` receives the former index of each key. The results are in `keys` and
// `order`; the other arrays are scratch of the same sizes.
template <class Key, class Less>
void sort(Key *keys, unsigned *order, Key *otherKeys, unsigned *otherOrder, size_t count, Less less,
          cudaStream_t stream = 0) {
  if (count == 0) return;
  const size_t blocks = (count - 1) / loop_threads + 1;
  loop(count, [=] __device__(size_t index) { order[index] = index; }, stream);
  sort_tiles<<<blocks, loop_threads, 0, stream>>>(keys, order, count, less);
  Key *from = keys, *to = otherKeys;
  unsigned *fromOrder = order, *toOrder = otherOrder;
  for (size_t width = loop_threads; width < count; width *= 2) {
    merge_runs<<<blocks, loop_threads, 0, stream>>>((const Key *)from, (const unsigned *)fromOrder, to, toOrder, count,
                                                    width, less);
    std::swap(from, to);
    std::swap(fromOrder, toOrder);
  }
  if (from == keys) return;
  loop(
      count,
      [=] __device__(size_t index) {
        keys[index] = from[index];
        order[index] = fromOrder[index];
      },
      stream);
}

}  // namespace lanewise
