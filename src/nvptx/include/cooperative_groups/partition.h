// Parts of a warp's group: the threads with the same label.
#pragma once
#include "coalesced.h"

namespace cooperative_groups {

template <typename Group, typename Label>
__device__ coalesced_group labeled_partition(const Group &group, Label label) {
  return coalesced_group(__match_any_sync(group.mask(), label));
}
template <typename Group>
__device__ coalesced_group binary_partition(const Group &group, bool isSecond) {
  unsigned int second = __ballot_sync(group.mask(), isSecond);
  return coalesced_group(isSecond ? second : group.mask() & ~second);
}

}  // namespace cooperative_groups
