// Distributions of random numbers, for all generators.
#pragma once

namespace lanewise {

// In (0, 1].
__device__ inline float uniform(unsigned x) { return x * 0x1p-32f + 0x1p-33f; }
__device__ inline double uniform(unsigned low, unsigned high) {
  return (low ^ ((unsigned long long)high << 21)) * 0x1p-53 + 0x1p-54;
}
// Two normal numbers (Box and Muller, 1958).
__device__ inline float2 normals(unsigned x, unsigned y) {
  const float scale = 6.28318548f * 0x1p-32f;
  float sine, cosine;
  __sincosf(__fmaf_rn((float)y, scale, scale * 0.5f), &sine, &cosine);
  const float length = sqrtf(-2 * logf(uniform(x)));
  return {sine * length, cosine * length};
}
__device__ inline double2 normals(uint4 x) {
  double sine, cosine;
  sincospi(2 * uniform(x.z, x.w), &sine, &cosine);
  const double length = sqrt(-2 * log(uniform(x.x, x.y)));
  return {sine * length, cosine * length};
}
template <class State> __device__ inline uint4 four_numbers(State *state) {
  const unsigned x = curand(state), y = curand(state), z = curand(state);
  return {x, y, z, curand(state)};
}
__device__ inline uint4 four_numbers(curandStatePhilox4_32_10 *state) { return curand4(state); }

}  // namespace lanewise

template <class State> static __device__ inline float curand_uniform(State *state) {
  return lanewise::uniform(curand(state));
}
template <class State> static __device__ inline double curand_uniform_double(State *state) {
  const unsigned low = curand(state);
  return lanewise::uniform(low, curand(state));
}
// Philox uses one number only.
static __device__ inline double curand_uniform_double(curandStatePhilox4_32_10 *state) {
  return curand(state) * 0x1p-32 + 0x1p-32;
}
template <class State> static __device__ inline float2 curand_normal2(State *state) {
  const unsigned x = curand(state);
  return lanewise::normals(x, curand(state));
}
template <class State> static __device__ inline double2 curand_normal2_double(State *state) {
  return lanewise::normals(lanewise::four_numbers(state));
}
template <class State> static __device__ inline float curand_normal(State *state) {
  if (state->kept_float.take(1)) return state->kept_float.value;
  return state->kept_float.keep(1, curand_normal2(state));
}
template <class State> static __device__ inline double curand_normal_double(State *state) {
  if (state->kept_double.take(1)) return state->kept_double.value;
  return state->kept_double.keep(1, curand_normal2_double(state));
}
template <class State> static __device__ inline float2 curand_log_normal2(State *state, float mean, float deviation) {
  const float2 pair = curand_normal2(state);
  return {expf(mean + deviation * pair.x), expf(mean + deviation * pair.y)};
}
template <class State>
static __device__ inline double2 curand_log_normal2_double(State *state, double mean, double deviation) {
  const double2 pair = curand_normal2_double(state);
  return {exp(mean + deviation * pair.x), exp(mean + deviation * pair.y)};
}
template <class State> static __device__ inline float curand_log_normal(State *state, float mean, float deviation) {
  if (state->kept_float.take(2)) return state->kept_float.value;
  return state->kept_float.keep(2, curand_log_normal2(state, mean, deviation));
}
template <class State>
static __device__ inline double curand_log_normal_double(State *state, double mean, double deviation) {
  if (state->kept_double.take(2)) return state->kept_double.value;
  return state->kept_double.keep(2, curand_log_normal2_double(state, mean, deviation));
}
static __device__ inline float4 curand_uniform4(curandStatePhilox4_32_10 *state) {
  const uint4 x = curand4(state);
  return {lanewise::uniform(x.x), lanewise::uniform(x.y), lanewise::uniform(x.z), lanewise::uniform(x.w)};
}
static __device__ inline double2 curand_uniform2_double(curandStatePhilox4_32_10 *state) {
  const uint4 x = curand4(state);
  return {lanewise::uniform(x.x, x.y), lanewise::uniform(x.z, x.w)};
}
static __device__ inline float4 curand_normal4(curandStatePhilox4_32_10 *state) {
  const uint4 x = curand4(state);
  const float2 a = lanewise::normals(x.x, x.y), b = lanewise::normals(x.z, x.w);
  return {a.x, a.y, b.x, b.y};
}
