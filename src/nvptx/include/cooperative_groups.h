// CUDA's cooperative groups. Each kind of group has a file.
#pragma once
#include "cooperative_groups/block.h"
#include "cooperative_groups/cluster.h"
#include "cooperative_groups/coalesced.h"
#include "cooperative_groups/grid.h"
#include "cooperative_groups/partition.h"
#include "cooperative_groups/thread_group.h"
#include "cooperative_groups/tile.h"

namespace cooperative_groups {

template <typename Group>
__device__ void sync(const Group &group) { group.sync(); }
template <typename Group>
__device__ unsigned int group_size(const Group &group) { return group.size(); }
template <typename Group>
__device__ unsigned int thread_rank(const Group &group) { return group.thread_rank(); }

// Calls a function in one thread of the group.
template <typename Group, typename Function, typename... Args>
__device__ void invoke_one(const Group &group, Function &&function, Args &&...args) {
  if (group.thread_rank() == 0) function(static_cast<Args &&>(args)...);
}

}  // namespace cooperative_groups
