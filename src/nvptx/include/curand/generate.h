// Arrays of random numbers. A generator has 4096 streams (XORWOW) or 65536 streams (Philox), which are
// sequences of its seed. They contribute results in turn: XORWOW's one number or a pair of normal
// numbers each, and Philox's four.
#pragma once

namespace lanewise {

static inline curandStatus_t random_restart(curandGenerator_t generator) {
  if (generator->states) cudaFreeAsync(generator->states, generator->stream);
  generator->states = nullptr;
  return CURAND_STATUS_SUCCESS;
}
template <class State> bool random_start(curandGenerator_t generator, size_t streams, unsigned turn) {
  if (generator->states) return true;
  if (cudaMalloc(&generator->states, streams * sizeof(State)) != cudaSuccess) return false;
  State *states = (State *)generator->states;
  const unsigned long long seed = generator->seed, offset = generator->next = generator->offset;
  loop(
      streams,
      [=] __device__(size_t stream) {
        const unsigned long long round = turn * streams, rest = offset % round, start = stream * turn;
        // Without `min`, whose call clang 22.1 moves out of the condition.
        const unsigned long long before = rest <= start ? 0 : rest - start < turn ? rest - start : turn;
        curand_init(seed, stream, offset / round * turn + before, &states[stream]);
      },
      generator->stream);
  return true;
}
// Stores `count` results of `draw(state)`. `turn`: the number of results that a stream contributes at once.
template <class State, class T, class Draw>
curandStatus_t random_fill(curandGenerator_t generator, size_t streams, unsigned turn, T *to, size_t count, Draw draw) {
  if (!random_start<State>(generator, streams, generator->is_philox ? 4 : 1)) return CURAND_STATUS_ALLOCATION_FAILED;
  State *states = (State *)generator->states;
  const unsigned long long first = generator->next, end = first + count;
  loop(
      streams,
      [=] __device__(size_t stream) {
        State state = states[stream];
        const unsigned long long round = turn * streams;
        for (unsigned long long at = first / round * round + stream * turn; at < end; at += round)
          for (unsigned i = 0; i < turn; i++)
            if (at + i >= first && at + i < end) to[at + i - first] = draw(&state);
        states[stream] = state;
      },
      generator->stream);
  generator->next = end;
  return cudaPeekAtLastError() == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}
template <class T, class Draw>
curandStatus_t random_results(curandGenerator_t generator, unsigned turn, T *to, size_t count, Draw draw) {
  Scratch<T> stored(generator->is_host ? count : 0);
  T *target = generator->is_host ? stored.data() : to;
  const curandStatus_t status =
      generator->is_philox ? random_fill<curandStatePhilox4_32_10>(generator, 65536, 4, target, count, draw)
                           : random_fill<curandStateXORWOW>(generator, 4096, turn, target, count, draw);
  if (generator->is_host && cudaMemcpy(to, target, count * sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess)
    return CURAND_STATUS_LAUNCH_FAILURE;
  return status;
}
template <class T, class Draw>
curandStatus_t random_pairs(curandGenerator_t generator, T *to, size_t count, Draw draw) {
  if (count % 2 && !generator->is_philox) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return random_results(generator, 2, to, count, draw);
}

}  // namespace lanewise

// Templates, so that a program contains only the kernels that it uses.
template <int = 0> curandStatus_t curandGenerate(curandGenerator_t generator, unsigned *to, size_t count) {
  return lanewise::random_results(generator, 1, to, count, [] __device__(auto *state) { return curand(state); });
}
template <int = 0> curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *to, size_t count) {
  return lanewise::random_results(generator, 1, to, count,
                                  [] __device__(auto *state) { return curand_uniform(state); });
}
template <int = 0> curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *to, size_t count) {
  return lanewise::random_results(generator, 1, to, count, [] __device__(auto *state) {
    const unsigned low = curand(state);
    return lanewise::uniform(low, curand(state));
  });
}
template <int = 0> curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *to, size_t count,
                                                       float mean, float deviation) {
  return lanewise::random_pairs(generator, to, count,
                                [=] __device__(auto *state) { return mean + deviation * curand_normal(state); });
}
template <int = 0> curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *to, size_t count,
                                                             double mean, double deviation) {
  return lanewise::random_pairs(generator, to, count,
                                [=] __device__(auto *state) { return mean + deviation * curand_normal_double(state); });
}
template <int = 0> curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *to, size_t count,
                                                          float mean, float deviation) {
  return lanewise::random_pairs(generator, to, count,
                                [=] __device__(auto *state) { return curand_log_normal(state, mean, deviation); });
}
template <int = 0> curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *to, size_t count,
                                                                double mean, double deviation) {
  return lanewise::random_pairs(generator, to, count, [=] __device__(auto *state) {
    return curand_log_normal_double(state, mean, deviation);
  });
}
