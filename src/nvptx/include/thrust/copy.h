// Copies, within a system and between the two.
#pragma once
#include "detail/selection.h"
#include "device_ptr.h"
#include <memory>
#include <vector>

namespace thrust {

template <class It>
concept contiguous = std::contiguous_iterator<It> || requires(It it) { raw_pointer_cast(it); };

template <class It> constexpr auto address_of(It it) {
  if constexpr (std::contiguous_iterator<It>) return std::to_address(it);
  else return raw_pointer_cast(it);
}

template <policy P, class In, class N, class Out> constexpr Out copy_n(P policy, In first, N count, Out out) {
  const auto from = on_device(first);
  const auto to = on_device(out);
  each(policy, count, [=] __host__ __device__(size_t index) { to[index] = from[index]; });
  return out + count;
}
template <policy P, class In, class Out> constexpr Out copy(P policy, In first, In last, Out out) {
  return thrust::copy_n(policy, first, last - first, out);
}

template <class In, class Out> Out copy(In first, In last, Out out) {
  typedef value_of<In> Value;
  constexpr bool fromDevice = is_device<In>, toDevice = is_device<Out>;
  constexpr bool isAny = std::is_same_v<typename system_of<In>::type, any_system_tag>;
  if constexpr (!fromDevice && !toDevice) return std::copy(first, last, out);
  else if constexpr (fromDevice == toDevice || (isAny && toDevice)) return thrust::copy(device, first, last, out);
  else if constexpr (fromDevice) {
    const size_t count = last - first;
    if (count == 0) return out;
    if constexpr (!contiguous<In>) {
      lanewise::Scratch<Value> elements(count);
      thrust::copy(device, first, last, elements.data());
      return thrust::copy(device_ptr<Value>(elements.data()), device_ptr<Value>(elements.data() + count), out);
    } else if constexpr (contiguous<Out> && std::is_same_v<Value, value_of<Out>>) {
      cudaMemcpy((void *)address_of(out), address_of(first), count * sizeof(Value), cudaMemcpyDeviceToHost);
      return out + count;
    } else {
      std::unique_ptr<Value[]> elements(new Value[count]);
      cudaMemcpy((void *)elements.get(), address_of(first), count * sizeof(Value), cudaMemcpyDeviceToHost);
      return std::copy(elements.get(), elements.get() + count, out);
    }
  } else {
    typedef value_of<Out> Target;
    const size_t count = std::distance(first, last);
    if (count == 0) return out;
    if constexpr (contiguous<In> && contiguous<Out> && std::is_same_v<Value, Target>) {
      cudaMemcpy((void *)address_of(out), address_of(first), count * sizeof(Value), cudaMemcpyHostToDevice);
    } else if constexpr (contiguous<Out>) {
      std::unique_ptr<Target[]> elements(new Target[count]);
      std::copy(first, last, elements.get());
      cudaMemcpy((void *)address_of(out), elements.get(), count * sizeof(Target), cudaMemcpyHostToDevice);
    } else {
      lanewise::Scratch<Target> elements(count);
      thrust::copy(first, last, device_ptr<Target>(elements.data()));
      thrust::copy(device, elements.data(), elements.data() + count, out);
    }
    return out + count;
  }
}
template <class In, class N, class Out> Out copy_n(In first, N count, Out out) {
  return thrust::copy(first, first + count, out);
}
template <class... Args> constexpr auto uninitialized_copy(Args... args) { return thrust::copy(args...); }

template <policy P, class In, class Stencil, class Out, class Predicate>
constexpr Out copy_if(P policy, In first, In last, Stencil stencil, Out out, Predicate accepts) {
  const auto in = on_device(first);
  const auto choice = on_device(stencil);
  const auto to = on_device(out);
  const size_t count = select_where(
      policy, last - first, [=] __host__ __device__(size_t index) { return bool(accepts(choice[index])); },
      [=] __host__ __device__(size_t index, size_t place) { to[place] = in[index]; });
  return out + count;
}
template <policy P, class In, class Out, class Predicate>
constexpr Out copy_if(P policy, In first, In last, Out out, Predicate accepts) {
  return thrust::copy_if(policy, first, last, first, out, accepts);
}
THRUST_WITHOUT_POLICY(copy_if)

}  // namespace thrust
