// Selections in the system of a policy.
#pragma once
#include "../../parallel/select.h"
#include "each.h"

namespace thrust {

// Calls `move(index, place)` for each index that `accepts` accepts, and returns their number. The
// places are consecutive numbers.
template <class Accepts, class Move>
constexpr size_t select_where(host_policy, size_t count, Accepts accepts, Move move) {
  size_t place = 0;
  for (size_t index = 0; index < count; index++)
    if (accepts(index)) move(index, place++);
  return place;
}
template <class Accepts, class Move>
size_t select_where(device_policy policy, size_t count, Accepts accepts, Move move) {
  if (count == 0) return 0;
  lanewise::Scratch<unsigned> ends(count), scratch(lanewise::scan_scratch(count));
  lanewise::select(count, ends.data(), scratch.data(), accepts, move, policy.stream);
  unsigned total = 0;
  cudaMemcpy(&total, ends.data() + count - 1, sizeof total, cudaMemcpyDeviceToHost);
  return total;
}

}  // namespace thrust
