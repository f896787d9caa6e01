// The pipeline of a block: warps that fill stages of shared memory, and warps that empty them.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/pipeline>

constexpr int width = 32, stages = 3, rounds = 8;
using Pipeline = cuda::pipeline<cuda::thread_scope_block>;

// Each row of threads sums its own element of all rounds.
template <class Make> __device__ void sum(const int *in, int *out, bool produces, bool consumes, Make make) {
  __shared__ int buffer[stages][width];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  auto pipeline = make(&state);
  const int x = threadIdx.x;
  int total = 0;
  for (int round = 0; round < rounds; round++) {
    if (produces) {
      pipeline.producer_acquire();
      cuda::memcpy_async(&buffer[round % stages][x], in + round * width + x, sizeof(int), pipeline);
      pipeline.producer_commit();
    }
    if (consumes) {
      pipeline.consumer_wait();
      total += buffer[round % stages][width - 1 - x];
      pipeline.consumer_release();
    }
  }
  if (consumes) out[x] = total;
}
__global__ void by_role(const int *in, int *out) {
  const bool produces = threadIdx.y == 0;
  const auto role = produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  sum(in, out, produces, !produces, [=](auto *state) {
    return cuda::make_pipeline(cooperative_groups::this_thread_block(), state, role);
  });
}
__global__ void by_count(const int *in, int *out) {
  sum(in, out, threadIdx.y == 0, threadIdx.y != 0, [](auto *state) {
    return cuda::make_pipeline(cooperative_groups::this_thread_block(), state, width);
  });
}
__global__ void unified(const int *in, int *out) {
  sum(in, out, true, true,
      [](auto *state) { return cuda::make_pipeline(cooperative_groups::this_thread_block(), state); });
}

int main() {
  int host[rounds][width], result[width], *in, *out, failures = 0;
  for (int round = 0; round < rounds; round++)
    for (int x = 0; x < width; x++) host[round][x] = 100 * round + x * x;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof result);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  for (int kind = 0; kind < 3; kind++) {
    cudaMemset(out, 0, sizeof result);
    if (kind == 0) by_role<<<1, dim3(width, 2)>>>(in, out);
    if (kind == 1) by_count<<<1, dim3(width, 2)>>>(in, out);
    if (kind == 2) unified<<<1, dim3(width, 1)>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    bool good = true;
    for (int x = 0; x < width; x++) {
      const int other = width - 1 - x;
      good &= result[x] == 100 * rounds * (rounds - 1) / 2 + rounds * other * other;
    }
    printf("pipeline %d: %s\n", kind, good ? "passed" : "FAILED");
    failures += !good;
  }
  return failures;
}
