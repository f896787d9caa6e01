// The part of cuRAND for the host: XORWOW and Philox4x32-10, with CUDA's numbers in CUDA's order.
#pragma once
#include "curand_kernel.h"
#include "parallel/loop.h"

#define CURAND_H_
#define CURANDAPI

enum curandStatus_t {
  CURAND_STATUS_SUCCESS = 0,
  CURAND_STATUS_VERSION_MISMATCH = 100,
  CURAND_STATUS_NOT_INITIALIZED = 101,
  CURAND_STATUS_ALLOCATION_FAILED = 102,
  CURAND_STATUS_TYPE_ERROR = 103,
  CURAND_STATUS_OUT_OF_RANGE = 104,
  CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
  CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
  CURAND_STATUS_LAUNCH_FAILURE = 201,
  CURAND_STATUS_PREEXISTING_FAILURE = 202,
  CURAND_STATUS_INITIALIZATION_FAILED = 203,
  CURAND_STATUS_ARCH_MISMATCH = 204,
  CURAND_STATUS_INTERNAL_ERROR = 999,
};
enum curandRngType_t {
  CURAND_RNG_TEST = 0,
  CURAND_RNG_PSEUDO_DEFAULT = 100,
  CURAND_RNG_PSEUDO_XORWOW = 101,
  CURAND_RNG_PSEUDO_MRG32K3A = 121,
  CURAND_RNG_PSEUDO_MTGP32 = 141,
  CURAND_RNG_PSEUDO_MT19937 = 142,
  CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
  CURAND_RNG_QUASI_DEFAULT = 200,
  CURAND_RNG_QUASI_SOBOL32 = 201,
  CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202,
  CURAND_RNG_QUASI_SOBOL64 = 203,
  CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204,
};
enum curandOrdering_t {
  CURAND_ORDERING_PSEUDO_BEST = 100,
  CURAND_ORDERING_PSEUDO_DEFAULT = 101,
  CURAND_ORDERING_PSEUDO_SEEDED = 102,
  CURAND_ORDERING_PSEUDO_LEGACY = 103,
  CURAND_ORDERING_PSEUDO_DYNAMIC = 104,
  CURAND_ORDERING_QUASI_DEFAULT = 201,
};

struct curandGenerator_st {
  bool is_philox, is_host;
  cudaStream_t stream = 0;
  unsigned long long seed = 0, offset = 0;
  // The number of results so far, with those before the offset.
  unsigned long long next = 0;
  // The states on the device, from the first results on.
  void *states = nullptr;
};
typedef curandGenerator_st *curandGenerator_t;

#include "curand/generate.h"

static inline curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type) {
  const bool is_philox = type == CURAND_RNG_PSEUDO_PHILOX4_32_10;
  const bool is_xorwow = type == CURAND_RNG_PSEUDO_DEFAULT || type == CURAND_RNG_PSEUDO_XORWOW;
  if (!is_philox && !is_xorwow) return CURAND_STATUS_TYPE_ERROR;
  *generator = new curandGenerator_st{is_philox, false};
  return CURAND_STATUS_SUCCESS;
}
// Its results are stored on the host.
static inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type) {
  const curandStatus_t status = curandCreateGenerator(generator, type);
  if (status == CURAND_STATUS_SUCCESS) (*generator)->is_host = true;
  return status;
}
static inline curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  lanewise::random_restart(generator);
  delete generator;
  return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  generator->stream = stream;
  return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
  generator->seed = seed;
  return lanewise::random_restart(generator);
}
static inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  generator->offset = offset;
  return lanewise::random_restart(generator);
}
// The other orderings have other numbers.
static inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
  const bool is_default = order == CURAND_ORDERING_PSEUDO_BEST || order == CURAND_ORDERING_PSEUDO_DEFAULT ||
                          order == CURAND_ORDERING_PSEUDO_LEGACY;
  return is_default ? lanewise::random_restart(generator) : CURAND_STATUS_OUT_OF_RANGE;
}
template <int = 0> curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return curandGenerate(generator, nullptr, 0);
}
