// Prefix sums.
#pragma once
#include "../parallel/scan.h"
#include "functional.h"
#include "iterator/transform_iterator.h"
#include "reduce.h"

namespace thrust {

template <class T, policy P, class In, class Out, class Op>
constexpr Out scan_from(P policy, In first, In last, Out out, lanewise::Initial<T> initial, bool inclusive, Op op) {
  const size_t count = last - first;
  if constexpr (std::is_same_v<P, host_policy>) {
    for (size_t index = 0; index < count; index++) {
      const T value = first[index];
      const T before = initial.value;
      initial.value = initial.exists ? T(op(before, value)) : value;
      if (inclusive || initial.exists) out[index] = inclusive ? initial.value : before;
      initial.exists = true;
    }
  } else if (count > 0) {
    lanewise::Scratch<T> scratch(lanewise::scan_scratch(count));
    lanewise::scan<T>(on_device(first), count, on_device(out), scratch.data(), initial, inclusive, op, policy.stream);
  }
  return out + count;
}

template <policy P, class In, class Out, class Op>
constexpr Out inclusive_scan(P policy, In first, In last, Out out, Op op) {
  return scan_from<value_of<In>>(policy, first, last, out, {}, true, op);
}
template <policy P, class In, class Out> constexpr Out inclusive_scan(P policy, In first, In last, Out out) {
  return thrust::inclusive_scan(policy, first, last, out, thrust::plus<>());
}
template <policy P, class In, class Out, class T, class Op>
constexpr Out inclusive_scan(P policy, In first, In last, Out out, T initial, Op op) {
  return scan_from<T>(policy, first, last, out, {true, initial}, true, op);
}
template <policy P, class In, class Out, class T, class Op>
constexpr Out exclusive_scan(P policy, In first, In last, Out out, T initial, Op op) {
  return scan_from<T>(policy, first, last, out, {true, initial}, false, op);
}
template <policy P, class In, class Out, class T>
constexpr Out exclusive_scan(P policy, In first, In last, Out out, T initial) {
  return thrust::exclusive_scan(policy, first, last, out, initial, thrust::plus<>());
}
template <policy P, class In, class Out> constexpr Out exclusive_scan(P policy, In first, In last, Out out) {
  return thrust::exclusive_scan(policy, first, last, out, value_of<In>(0));
}
THRUST_WITHOUT_POLICY(inclusive_scan)
THRUST_WITHOUT_POLICY(exclusive_scan)

template <policy P, class In, class Out, class Function, class Op>
constexpr Out transform_inclusive_scan(P policy, In first, In last, Out out, Function function, Op op) {
  return thrust::inclusive_scan(policy, make_transform_iterator(first, function),
                                make_transform_iterator(last, function), out, op);
}
template <policy P, class In, class Out, class Function, class T, class Op>
constexpr Out transform_exclusive_scan(P policy, In first, In last, Out out, Function function, T initial, Op op) {
  return thrust::exclusive_scan(policy, make_transform_iterator(first, function),
                                make_transform_iterator(last, function), out, initial, op);
}
THRUST_WITHOUT_POLICY(transform_inclusive_scan)
THRUST_WITHOUT_POLICY(transform_exclusive_scan)

}  // namespace thrust
#include "by_key.h"
