// cuRAND. The expected numbers are those of NVIDIA's library.
#include <cmath>
#include <cstdio>
#include <curand.h>
#include <vector>

static int failures = 0;
static void expect(bool good, const char *what) {
  printf("%s: %s\n", what, good ? "passed" : "FAILED");
  failures += !good;
}

template <class State>
static __global__ void draw(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                            unsigned *to) {
  State state;
  curand_init(seed, sequence, offset, &state);
  for (int i = 0; i < 3; i++) to[i] = curand(&state);
}
static __global__ void distribute(unsigned long long seed, double *to) {
  curandState state;
  curand_init(seed, 0, 7, &state);
  to[0] = curand_uniform(&state);
  to[1] = curand_uniform(&state);
  to[2] = curand_uniform_double(&state);
  curand_init(1234, 0, 0, &state);
  to[3] = curand_normal(&state);
  to[4] = curand_normal(&state);
}

template <class T> static bool equal(const T *device, std::vector<T> expected, double error = 0) {
  std::vector<T> found(expected.size());
  cudaMemcpy(found.data(), device, found.size() * sizeof(T), cudaMemcpyDeviceToHost);
  bool good = true;
  for (size_t i = 0; i < found.size(); i++) good &= fabs(double(found[i]) - double(expected[i])) <= error;
  return good;
}

static bool generates(curandRngType_t type, unsigned long long offset, std::vector<unsigned> expected) {
  curandGenerator_t generator;
  std::vector<unsigned> numbers(expected.size());
  bool good = curandCreateGeneratorHost(&generator, type) == CURAND_STATUS_SUCCESS;
  curandSetPseudoRandomGeneratorSeed(generator, 1234);
  curandSetGeneratorOffset(generator, offset);
  // The second call continues after the first.
  good &= curandGenerate(generator, numbers.data(), 1) == CURAND_STATUS_SUCCESS;
  good &= curandGenerate(generator, numbers.data() + 1, numbers.size() - 1) == CURAND_STATUS_SUCCESS;
  curandDestroyGenerator(generator);
  return good && numbers == expected;
}

int main(int argc, char **) {
  unsigned *words;
  double *reals;
  cudaMalloc(&words, 3 * sizeof(unsigned));
  cudaMalloc(&reals, 5 * sizeof(double));

  const unsigned long long seed = 12345678901;
  draw<curandState><<<1, 1>>>(seed + 1, 0x123456789, 7 * 0x10001, words);
  expect(equal(words, {1960460786, 3184883170, 1193079102}), "XORWOW");
  draw<curandStatePhilox4_32_10_t><<<1, 1>>>(seed + 0x100000003, 0x123456789, 7 * 0x30001, words);
  expect(equal(words, {939195987, 2452468972, 3175393705}), "Philox");

  distribute<<<1, 1>>>(seed, reals);
  const bool uniform = equal(reals, {0.08858034014701843, 0.2797034680843353, 0.6975852631762773});
  expect(uniform && equal(reals + 3, {0.780973554, -1.80157816}, 1e-6), "distributions");

  // The reference needs 10 s for them.
  if (argc > 1) {
    const std::vector<unsigned> xorwow = {2634722346, 3856448218, 1867875844, 3978931785};
    expect(generates(CURAND_RNG_PSEUDO_DEFAULT, 4094, xorwow), "generator of XORWOW");
    const std::vector<unsigned> philox = {894709446, 2385104922, 2666454581, 482218876, 4196888723};
    expect(generates(CURAND_RNG_PSEUDO_PHILOX4_32_10, 262142, philox), "generator of Philox");
  }
  curandGenerator_t other;
  expect(curandCreateGenerator(&other, CURAND_RNG_QUASI_SOBOL32) == CURAND_STATUS_TYPE_ERROR, "other generators");
  return failures;
}
