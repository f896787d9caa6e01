// Removals, partitions and replacements of the elements that satisfy a predicate.
#pragma once
#include "copy.h"
#include "functional.h"
#include "tuple.h"

namespace thrust {

// Calls `work` with an array for `count` elements in the system of a policy.
template <class T, policy P, class Work> auto with_array(P, size_t count, Work work) {
  if constexpr (std::is_same_v<P, host_policy>) return work(std::unique_ptr<T[]>(new T[count]).get());
  else return work(lanewise::Scratch<T>(count).data());
}

template <policy P, class It, class Stencil, class Predicate>
It remove_if(P policy, It first, It last, Stencil stencil, Predicate removes) {
  return with_array<value_of<It>>(policy, last - first, [=](value_of<It> *kept) {
    const size_t count = thrust::copy_if(policy, first, last, stencil, kept, not_fn(removes)) - kept;
    return thrust::copy_n(policy, kept, count, first);
  });
}
template <policy P, class It, class Predicate> It remove_if(P policy, It first, It last, Predicate removes) {
  return thrust::remove_if(policy, first, last, first, removes);
}
template <policy P, class It, class T> It remove(P policy, It first, It last, T value) {
  return thrust::remove_if(policy, first, last, [=] __host__ __device__(const value_of<It> &x) { return x == value; });
}
template <policy P, class In, class Out, class Predicate>
Out remove_copy_if(P policy, In first, In last, Out out, Predicate removes) {
  return thrust::copy_if(policy, first, last, out, not_fn(removes));
}
THRUST_WITHOUT_POLICY(remove_if)
THRUST_WITHOUT_POLICY(remove)
THRUST_WITHOUT_POLICY(remove_copy_if)

template <policy P, class In, class Accepted, class Others, class Predicate>
pair<Accepted, Others> partition_copy(P policy, In first, In last, Accepted accepted, Others others, Predicate accepts) {
  return {thrust::copy_if(policy, first, last, accepted, accepts),
          thrust::copy_if(policy, first, last, others, not_fn(accepts))};
}
template <policy P, class It, class Predicate> It stable_partition(P policy, It first, It last, Predicate accepts) {
  const size_t count = last - first;
  return with_array<value_of<It>>(policy, count, [=](value_of<It> *parts) {
    const auto middle = thrust::copy_if(policy, first, last, parts, accepts);
    thrust::copy_if(policy, first, last, middle, not_fn(accepts));
    thrust::copy_n(policy, parts, count, first);
    return first + (middle - parts);
  });
}
template <policy P, class It, class Predicate> It partition(P policy, It first, It last, Predicate accepts) {
  return thrust::stable_partition(policy, first, last, accepts);
}
THRUST_WITHOUT_POLICY(partition_copy)
THRUST_WITHOUT_POLICY(stable_partition)
THRUST_WITHOUT_POLICY(partition)

template <policy P, class It, class Predicate, class T>
constexpr void replace_if(P policy, It first, It last, Predicate accepts, T value) {
  const auto to = on_device(first);
  each(policy, last - first, [=] __host__ __device__(size_t index) mutable {
    if (accepts(to[index])) to[index] = value;
  });
}
template <policy P, class It, class T> constexpr void replace(P policy, It first, It last, T old, T value) {
  thrust::replace_if(policy, first, last, [=] __host__ __device__(const value_of<It> &x) { return x == old; }, value);
}
THRUST_WITHOUT_POLICY(replace_if)
THRUST_WITHOUT_POLICY(replace)

template <policy P, class In, class Out, class Same>
constexpr Out unique_copy(P policy, In first, In last, Out out, Same same) {
  const auto in = on_device(first);
  const auto to = on_device(out);
  return out + select_where(
                   policy, last - first,
                   [=] __host__ __device__(size_t index) { return index == 0 || !same(in[index - 1], in[index]); },
                   [=] __host__ __device__(size_t index, size_t place) { to[place] = in[index]; });
}
template <policy P, class In, class Out> constexpr Out unique_copy(P policy, In first, In last, Out out) {
  return thrust::unique_copy(policy, first, last, out, thrust::equal_to<>());
}
template <policy P, class It, class Same> It unique(P policy, It first, It last, Same same) {
  return with_array<value_of<It>>(policy, last - first, [=](value_of<It> *kept) {
    const size_t count = thrust::unique_copy(policy, first, last, kept, same) - kept;
    return thrust::copy_n(policy, kept, count, first);
  });
}
template <policy P, class It> It unique(P policy, It first, It last) {
  return thrust::unique(policy, first, last, thrust::equal_to<>());
}
THRUST_WITHOUT_POLICY(unique_copy)
THRUST_WITHOUT_POLICY(unique)

template <policy P, class Keys, class Values, class Same = thrust::equal_to<>>
pair<Keys, Values> unique_by_key(P policy, Keys first, Keys last, Values values, Same same = {}) {
  const size_t count = last - first;
  const auto keys = on_device(first);
  const size_t total = with_array<value_of<Values>>(policy, count, [=](value_of<Values> *kept) {
    const auto in = on_device(values);
    const size_t places = select_where(
        policy, count,
        [=] __host__ __device__(size_t index) { return index == 0 || !same(keys[index - 1], keys[index]); },
        [=] __host__ __device__(size_t index, size_t place) { kept[place] = in[index]; });
    thrust::copy_n(policy, kept, places, values);
    return places;
  });
  thrust::unique(policy, first, last, same);
  return {first + total, values + total};
}
THRUST_WITHOUT_POLICY(unique_by_key)

template <policy P, class In, class Out> constexpr Out reverse_copy(P policy, In first, In last, Out out) {
  const size_t count = last - first;
  const auto in = on_device(first);
  const auto to = on_device(out);
  each(policy, count, [=] __host__ __device__(size_t index) { to[index] = in[count - 1 - index]; });
  return out + count;
}
template <policy P, class It> constexpr void reverse(P policy, It first, It last) {
  const size_t count = last - first;
  const auto to = on_device(first);
  each(policy, count / 2, [=] __host__ __device__(size_t index) {
    const value_of<It> low = to[index], high = to[count - 1 - index];
    to[index] = high;
    to[count - 1 - index] = low;
  });
}
THRUST_WITHOUT_POLICY(reverse_copy)
THRUST_WITHOUT_POLICY(reverse)

}  // namespace thrust
