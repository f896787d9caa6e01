// The types of the driver API that kernels use.
#pragma once

#include "prelude.h"

/** Describes a tensor in global memory to the copies of `cp.async.bulk.tensor`. The host encodes it. */
struct alignas(64) CUtensorMap {
  unsigned long long opaque[16];
};
