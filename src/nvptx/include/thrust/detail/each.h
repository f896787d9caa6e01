// Loops in the system of a policy.
#pragma once
#include "../../parallel/loop.h"
#include "system.h"

namespace thrust {

template <class Body> constexpr void each(host_policy, size_t count, Body body) {
  for (size_t index = 0; index < count; index++) body(index);
}
template <class Body> void each(device_policy policy, size_t count, Body body) {
  lanewise::loop(count, body, policy.stream);
}

}  // namespace thrust
