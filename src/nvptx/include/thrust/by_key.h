// Reductions and scans of the values of consecutive equal keys.
#pragma once
#include "scan.h"
#include "tuple.h"

namespace thrust {

// A value, and whether it is the first one of its key. A scan does not pass such values.
template <class T> struct Segmented { T value; bool isFirst; };
template <class Op> struct SegmentedOp {
  Op op;
  template <class T> constexpr Segmented<T> operator()(const Segmented<T> &a, const Segmented<T> &b) const {
    return {b.isFirst ? b.value : T(op(a.value, b.value)), a.isFirst || b.isFirst};
  }
};
// Writes a value to `out` without its mark.
template <class T, class Out> struct SegmentedOut {
  Out out;
  struct Place {
    Out out;
    size_t index;
    constexpr void operator=(const Segmented<T> &x) { out[index] = x.value; }
  };
  constexpr Place operator[](size_t index) const { return {out, index}; }
  constexpr SegmentedOut operator+(size_t n) const { return {out + n}; }
};

template <policy P, class Keys, class Values, class Out, class Same, class Op>
constexpr Out inclusive_scan_by_key(P policy, Keys first, Keys last, Values values, Out out, Same same, Op op) {
  typedef value_of<Values> T;
  const auto keys = on_device(first);
  const auto in = on_device(values);
  const auto to = on_device(out);
  const size_t count = last - first;
  const auto mark = [=] __host__ __device__(size_t index) {
    return Segmented<T>{in[index], index == 0 || !same(keys[index - 1], keys[index])};
  };
  typedef indexed<P, std::decay_t<decltype(mark)>, Segmented<T>> It;
  scan_from<Segmented<T>>(policy, It(mark), It(mark, count), SegmentedOut<T, std::decay_t<decltype(to)>>{to}, {}, true,
                          SegmentedOp<Op>{op});
  return out + count;
}
template <policy P, class Keys, class Values, class Out, class Same = thrust::equal_to<>>
constexpr Out inclusive_scan_by_key(P policy, Keys first, Keys last, Values values, Out out, Same same = {}) {
  return thrust::inclusive_scan_by_key(policy, first, last, values, out, same, thrust::plus<>());
}
THRUST_WITHOUT_POLICY(inclusive_scan_by_key)

template <policy P, class Keys, class Values, class Out, class T, class Same = thrust::equal_to<>, class Op = thrust::plus<>>
constexpr Out exclusive_scan_by_key(P policy, Keys first, Keys last, Values values, Out out, T initial, Same same = {},
                                    Op op = {}) {
  const auto keys = on_device(first);
  const auto in = on_device(values);
  const auto to = on_device(out);
  const size_t count = last - first;
  // The scan of the values before each one, in which the initial value is the first one of its key.
  const auto shifted = [=] __host__ __device__(size_t index) {
    const bool isFirst = index == 0 || !same(keys[index - 1], keys[index]);
    return Segmented<T>{isFirst ? initial : T(in[index - 1]), isFirst};
  };
  typedef indexed<P, std::decay_t<decltype(shifted)>, Segmented<T>> It;
  scan_from<Segmented<T>>(policy, It(shifted), It(shifted, count), SegmentedOut<T, std::decay_t<decltype(to)>>{to}, {},
                          true, SegmentedOp<Op>{op});
  return out + count;
}
template <policy P, class Keys, class Values, class Out>
constexpr Out exclusive_scan_by_key(P policy, Keys first, Keys last, Values values, Out out) {
  return thrust::exclusive_scan_by_key(policy, first, last, values, out, value_of<Values>(0));
}
THRUST_WITHOUT_POLICY(exclusive_scan_by_key)

template <policy P, class Keys, class Values, class OutKeys, class OutValues, class Same = thrust::equal_to<>,
          class Op = thrust::plus<>>
pair<OutKeys, OutValues> reduce_by_key(P policy, Keys first, Keys last, Values values, OutKeys outKeys,
                                       OutValues outValues, Same same = {}, Op op = {}) {
  typedef value_of<Values> T;
  const size_t count = last - first;
  if (count == 0) return {outKeys, outValues};
  const auto keys = on_device(first);
  const auto toKeys = on_device(outKeys);
  const auto toValues = on_device(outValues);
  const auto finish = [&](T *sums) {
    thrust::inclusive_scan_by_key(policy, first, last, values, sums, same, op);
    return select_where(
        policy, count,
        [=] __host__ __device__(size_t index) { return index + 1 == count || !same(keys[index], keys[index + 1]); },
        [=] __host__ __device__(size_t index, size_t place) {
          toKeys[place] = keys[index];
          toValues[place] = sums[index];
        });
  };
  size_t total = 0;
  if constexpr (std::is_same_v<P, host_policy>) total = finish(std::unique_ptr<T[]>(new T[count]).get());
  else total = finish(lanewise::Scratch<T>(count).data());
  return {outKeys + total, outValues + total};
}
THRUST_WITHOUT_POLICY(reduce_by_key)

}  // namespace thrust
