// Cross-entropy, and the mean of it.
#include "arithmetic.cuh"

/// A warp for a row: its loss, and what comes back to its logits. Rows are `stride` long, of which the first `vocabulary` are characters.
extern "C" __global__ void cross_entropy(int vocabulary, int stride, float weight, const int *targets, const float *logits, float *losses, float *back) {
  int lane = threadIdx.x;
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  int target = targets[row];
  float top = -1.0e30f;
  for (int c = lane; c < vocabulary; c += 32) top = fmaxf(top, logits[row * stride + c]);
  top = warp_max(top);
  float sum = 0.0f;
  for (int c = lane; c < vocabulary; c += 32) sum += own_exp(logits[row * stride + c] - top);
  sum = warp_sum(sum);
  if (lane == 0) losses[row] = own_log(sum) - (logits[row * stride + target] - top);
  float share = 1.0f / sum;
  for (int c = lane; c < stride; c += 32) {
    float chance = c < vocabulary ? own_exp(logits[row * stride + c] - top) * share : 0.0f;
    back[row * stride + c] = (c == target ? chance - 1.0f : chance) * weight;
  }
}

/// The sum of what 256 threads have, for the first of them: by warps, then by the first warp.
__device__ __forceinline__ float block_sum(float value) {
  __shared__ float sums[8];
  int lane = threadIdx.x % 32;
  value = warp_sum(value);
  if (lane == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  return warp_sum(lane < 8 ? sums[lane] : 0.0f);
}

/// One block: the step's loss goes into a ring.
extern "C" __global__ void mean_loss(int rows, int ring, float weight, const int *clock, const float *losses, float *history) {
  float sum = 0.0f;
  for (int row = threadIdx.x; row < rows; row += 256) sum += losses[row];
  sum = block_sum(sum);
  if (threadIdx.x == 0) history[clock[0] % ring] = sum * weight;
}

/// Squares of 4,096 gradients a block, added up.
extern "C" __global__ void sum_squares(int count, const float *grads, float *sums) {
  int end = min(count, (int)blockIdx.x * 4096 + 4096);
  float sum = 0.0f;
  for (int i = blockIdx.x * 4096 + threadIdx.x; i < end; i += 256) sum = fmaf(grads[i], grads[i], sum);
  sum = block_sum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/// One block: gradients longer than 1 shall be scaled to 1.
extern "C" __global__ void clip(int count, const float *sums, float *rates) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < count; i += 256) sum += sums[i];
  float length = sqrtf(block_sum(sum));
  if (threadIdx.x == 0) {
    rates[6] = length > 1.0f ? 1.0f / length : 1.0f;
    rates[7] = length;
  }
}
