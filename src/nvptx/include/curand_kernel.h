// The part of cuRAND for kernels: XORWOW and Philox4x32-10, with CUDA's numbers.
#pragma once

#define CURAND_KERNEL_H_

namespace lanewise {

// The second number of a pair. The next call for the same distribution returns it.
template <class T> struct KeptNumber {
  T value;
  int distribution;
  __device__ bool take(int wanted) {
    if (distribution != wanted) return false;
    distribution = 0;
    return true;
  }
  template <class Pair> __device__ T keep(int of, Pair pair) {
    distribution = of;
    value = pair.y;
    return pair.x;
  }
};
struct KeptNumbers {
  KeptNumber<double> kept_double;
  KeptNumber<float> kept_float;
};

}  // namespace lanewise

#include "curand/xorwow.h"
#include "curand/philox.h"
#include "curand/distributions.h"
