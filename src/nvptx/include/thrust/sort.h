// Stable sorts.
#pragma once
#include "../parallel/sort.h"
#include "find.h"
#include <algorithm>
#include <numeric>

namespace thrust {

// Sorts the keys, and calls `permute(order)` with the former index of each sorted key.
template <class Keys, class Less, class Permute>
void sort_order(device_policy policy, Keys first, size_t count, Less less, Permute permute) {
  typedef value_of<Keys> Key;
  if (count == 0) return;
  lanewise::Scratch<Key> keys(count), otherKeys(count);
  lanewise::Scratch<unsigned> order(count), otherOrder(count);
  thrust::copy_n(policy, first, count, keys.data());
  lanewise::sort(keys.data(), order.data(), otherKeys.data(), otherOrder.data(), count, less, policy.stream);
  thrust::copy_n(policy, keys.data(), count, first);
  permute((const unsigned *)order.data());
}

template <policy P, class It, class Less> constexpr void stable_sort(P policy, It first, It last, Less less) {
  if constexpr (std::is_same_v<P, host_policy>) std::stable_sort(first, last, less);
  else sort_order(policy, first, last - first, less, [](const unsigned *) {});
}
template <policy P, class It> constexpr void stable_sort(P policy, It first, It last) {
  thrust::stable_sort(policy, first, last, thrust::less<>());
}
template <policy P, class It, class... Less> constexpr void sort(P policy, It first, It last, Less... less) {
  if constexpr (std::is_same_v<P, host_policy>) std::sort(first, last, less...);
  else thrust::stable_sort(policy, first, last, less...);
}
THRUST_WITHOUT_POLICY(stable_sort)
THRUST_WITHOUT_POLICY(sort)

template <policy P, class Keys, class Values, class Less>
void stable_sort_by_key(P policy, Keys first, Keys last, Values values, Less less) {
  typedef value_of<Values> Value;
  const size_t count = last - first;
  if constexpr (std::is_same_v<P, host_policy>) {
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return less(first[a], first[b]); });
    const std::vector<value_of<Keys>> oldKeys(first, last);
    const std::vector<Value> oldValues(values, values + count);
    for (size_t index = 0; index < count; index++) {
      first[index] = oldKeys[order[index]];
      values[index] = oldValues[order[index]];
    }
  } else
    sort_order(policy, first, count, less, [=](const unsigned *order) {
      lanewise::Scratch<Value> sorted(count);
      Value *to = sorted.data();
      const auto from = on_device(values);
      each(policy, count, [=] __host__ __device__(size_t index) { to[index] = from[order[index]]; });
      thrust::copy_n(policy, sorted.data(), count, values);
    });
}
template <policy P, class Keys, class Values> void stable_sort_by_key(P policy, Keys first, Keys last, Values values) {
  thrust::stable_sort_by_key(policy, first, last, values, thrust::less<>());
}
template <policy P, class Keys, class Values, class... Less>
void sort_by_key(P policy, Keys first, Keys last, Values values, Less... less) {
  thrust::stable_sort_by_key(policy, first, last, values, less...);
}
THRUST_WITHOUT_POLICY(stable_sort_by_key)
THRUST_WITHOUT_POLICY(sort_by_key)

}  // namespace thrust
