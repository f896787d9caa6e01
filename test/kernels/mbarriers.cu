// Barriers in shared memory: producers, consumers, and asynchronous copies that arrive.
#include <cooperative_groups.h>
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

/// One warp alternately fills two buffers. The others sum a buffer and release it.
extern "C" __global__ void produce_and_consume(const int *in, int *out, int rounds) {
  __shared__ Barrier full[2], empty[2];
  __shared__ int buffer[2][64];
  int t = threadIdx.x, consumers = blockDim.x - 32;
  if (t < 2) {
    init(&full[t], blockDim.x);
    init(&empty[t], blockDim.x);
  }
  __syncthreads();
  if (t < 32) {
    for (int i = 0; i < rounds; i++) {
      empty[i & 1].arrive_and_wait();
      for (int k = t; k < 64; k += 32) buffer[i & 1][k] = in[i * 64 + k];
      (void)full[i & 1].arrive();
    }
    return;
  }
  (void)empty[0].arrive();
  (void)empty[1].arrive();
  int sum = 0;
  for (int i = 0; i < rounds; i++) {
    full[i & 1].arrive_and_wait();
    for (int k = 0; k < 8; k++) sum = sum * 3 + buffer[i & 1][(t * 7 + k * 11) & 63];
    (void)empty[i & 1].arrive();
  }
  out[blockIdx.x * consumers + t - 32] = sum;
}

/// A block rotates a row: in each phase all threads move by one, and the last ones leave.
extern "C" __global__ void drop_out(const int *in, int *out) {
  __shared__ Barrier barrier;
  __shared__ int row[96];
  int t = threadIdx.x, n = blockDim.x;
  if (t == 0) init(&barrier, n);
  row[t] = in[blockIdx.x * n + t];
  __syncthreads();
  int sum = row[t], rounds = 2 + t / 32;
  for (int i = 0; i < rounds; i++) {
    if (i + 1 == rounds) {
      out[blockIdx.x * n + t] = sum;
      barrier.arrive_and_drop();
      return;
    }
    int next = row[(t + 1 + i) % n];
    barrier.arrive_and_wait();
    sum = sum * 5 + next;
  }
}

/// Copies of a group, awaited at a barrier.
extern "C" __global__ void copy_to_barrier(const int *in, int *out, int n) {
  __shared__ Barrier barrier;
  __shared__ alignas(16) int part[256];
  auto block = cooperative_groups::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  int sum = 0;
  for (int i = 0; i < n; i++) {
    cuda::memcpy_async(block, part, in + (blockIdx.x * n + i) * 256, cuda::aligned_size_t<16>(sizeof(part)), barrier);
    barrier.arrive_and_wait();
    for (int k = threadIdx.x; k < 256; k += blockDim.x) sum += part[255 - k] * (k + i);
    barrier.arrive_and_wait();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
