// Pointers to device memory. On the host, a reference to an element copies it.
#pragma once
#include "detail/facade.h"
#include "detail/system.h"

namespace thrust {

template <class T> class device_ptr;

template <class T> class device_reference {
  typedef std::remove_const_t<T> Value;
  T *address_;

public:
  explicit constexpr device_reference(T *address) : address_(address) {}
  device_reference(const device_reference &) = default;
  constexpr device_ptr<T> operator&() const;

  constexpr operator Value() const {
#ifdef __CUDA_ARCH__
    return *address_;
#else
    Value value;
    cudaMemcpy((void *)std::addressof(value), address_, sizeof value, cudaMemcpyDeviceToHost);
    return value;
#endif
  }
  constexpr const device_reference &operator=(const Value &value) const {
#ifdef __CUDA_ARCH__
    *const_cast<Value *>(address_) = value;
#else
    cudaMemcpy((void *)address_, std::addressof(value), sizeof value, cudaMemcpyHostToDevice);
#endif
    return *this;
  }
  constexpr const device_reference &operator=(const device_reference &other) const { return *this = Value(other); }
  constexpr const device_reference &operator+=(const Value &x) const { return *this = Value(*this) + x; }
  constexpr const device_reference &operator-=(const Value &x) const { return *this = Value(*this) - x; }
  constexpr const device_reference &operator*=(const Value &x) const { return *this = Value(*this) * x; }
  constexpr const device_reference &operator/=(const Value &x) const { return *this = Value(*this) / x; }
  constexpr const device_reference &operator++() const { return *this += 1; }
  constexpr const device_reference &operator--() const { return *this -= 1; }
};

template <class T> class device_ptr : public facade<device_ptr<T>, std::remove_const_t<T>, device_reference<T>> {
  T *address_ = nullptr;

public:
  typedef device_system_tag system;
  typedef T element_type;
  typedef T *pointer;
  constexpr device_ptr() = default;
  constexpr device_ptr(std::nullptr_t) {}
  explicit constexpr device_ptr(T *address) : address_(address) {}
  template <class U>
    requires std::is_convertible_v<U *, T *>
  constexpr device_ptr(const device_ptr<U> &other) : address_(other.get()) {}

  constexpr T *get() const { return address_; }
  constexpr T *on_device() const { return address_; }
  constexpr device_reference<T> dereference() const { return device_reference<T>(address_); }
  constexpr void move(ptrdiff_t n) { address_ += n; }
  constexpr ptrdiff_t distance_from(const device_ptr &other) const { return address_ - other.address_; }
  explicit constexpr operator bool() const { return address_ != nullptr; }
};

template <class T> constexpr device_ptr<T> device_reference<T>::operator&() const { return device_ptr<T>(address_); }

template <class T> constexpr device_ptr<T> device_pointer_cast(T *p) { return device_ptr<T>(p); }
template <class T> constexpr device_ptr<T> device_pointer_cast(const device_ptr<T> &p) { return p; }
template <class T> constexpr T *raw_pointer_cast(T *p) { return p; }
template <class T> constexpr T *raw_pointer_cast(const device_ptr<T> &p) { return p.get(); }
template <class T> constexpr T &raw_reference_cast(T &x) { return x; }
template <class T> constexpr T &raw_reference_cast(const device_reference<T> &x) { return *(&x).get(); }

template <class T> void swap(device_reference<T> a, device_reference<T> b) {
  const std::remove_const_t<T> value = a;
  a = b;
  b = value;
}

}  // namespace thrust
