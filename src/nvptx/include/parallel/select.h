// Selections of the elements of an array that a predicate accepts, in their order.
#pragma once
#include "scan.h"

namespace lanewise {

// The numbers 0 and 1 of a predicate of indices, as an array.
template <class Accepts> struct Flags {
  Accepts accepts;
  __device__ unsigned operator[](size_t index) const { return accepts(index) ? 1 : 0; }
};

struct Plus {
  template <class A, class B> constexpr auto operator()(const A &a, const B &b) const { return a + b; }
};

// Writes the number of accepted indices before and at each index to `ends`, and calls `move(index,
// place)` for each accepted index. The total is the last element of `ends`.
template <class Accepts, class Move>
void select(size_t count, unsigned *ends, unsigned *scratch, Accepts accepts, Move move, cudaStream_t stream = 0) {
  scan<unsigned>(Flags<Accepts>{accepts}, count, ends, scratch, Initial<unsigned>{}, true, Plus(), stream);
  loop(
      count,
      [=] __device__(size_t index) {
        const unsigned before = index == 0 ? 0 : ends[index - 1];
        if (ends[index] != before) move(index, before);
      },
      stream);
}

}  // namespace lanewise
